//===- Printer.h - State of printing one kernel ------------------*- C++ -*-===//
//
// Statements and expressions share which values are variables and which are
// written where they are used.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_CUDA_PRINTER_H
#define TILEC_CODEGEN_CUDA_PRINTER_H

#include "Names.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/CUDA/PrintCUDA.h"
#include "tilec/Kernel/Kernel.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

namespace tilec {

/// How tightly an expression binds, loosest first (C++ operator precedence).
enum class Binding { Ternary, Or, And, BitOr, BitXor, BitAnd, Equality, Relation, Shift, Sum, Product, Unary, Primary };

struct Expression {
  std::string text;
  Binding binding = Binding::Primary;
};

class Printer {
public:
  Printer(kernel::FuncOp function, const PrintOptions &options) : function(function), options(options) {}
  mlir::FailureOr<PrintedKernel> run();

private:
  //===--- Statements (Statements.cpp) ------------------------------------===//
  mlir::LogicalResult printSignature();
  mlir::LogicalResult printBlock(mlir::Block &block);
  mlir::LogicalResult printStatement(mlir::Operation &op);
  mlir::LogicalResult printFor(kernel::ForOp loop);
  mlir::LogicalResult printIf(mlir::scf::IfOp op);
  mlir::LogicalResult printRoles(kernel::RolesOp op);
  mlir::LogicalResult printStore(mlir::memref::StoreOp op);
  mlir::LogicalResult printArray(kernel::RegistersOp op);
  mlir::LogicalResult printFlat(mlir::memref::CollapseShapeOp op);
  mlir::LogicalResult printShared(kernel::SharedOp op);
  mlir::LogicalResult printVariable(mlir::Operation &op);
  void line(mlir::Location loc, const llvm::Twine &text);

  //===--- Expressions (Expressions.cpp) -----------------------------------===//
  Expression print(mlir::Value value);
  Expression printDefinition(mlir::Operation *op);
  Expression printCall(kernel::VocabularyCall call);
  Expression printArith(mlir::Operation *op);
  Expression printCast(mlir::Operation *op);
  Expression printCompare(mlir::Operation *op);
  Expression printConstant(mlir::Attribute value);
  /// A value whose C++ type is exactly its own: a plain number is an int.
  Expression printExact(mlir::Value value);
  Expression printTernary(mlir::scf::IfOp op);
  /// An integer op that wraps where its result does not fit.
  Expression wrapped(mlir::Operation *op, llvm::StringRef symbol, Binding binding);
  Expression shiftedUnsigned(mlir::Operation *op);
  Expression printExtremum(mlir::Operation *op, llvm::StringRef name);
  /// `expression`, which C++ computes in an int, as `type`.
  Expression asNarrow(mlir::Type type, Expression expression);
  Expression binary(mlir::Value lhs, llvm::StringRef symbol, mlir::Value rhs, Binding binding);
  Expression function2(llvm::StringRef name, mlir::ValueRange arguments);
  std::string operand(mlir::Value value, Binding least);
  std::string element(mlir::Value array, mlir::ValueRange indices);
  Expression unknown(mlir::Operation *op);
  /// What a value without a name of its own is called: after what it is used for.
  std::string suggestName(mlir::Value value);
  std::string suggestName(mlir::Value value, llvm::SmallPtrSetImpl<mlir::Operation *> &seen);
  mlir::FailureOr<std::string> typeName(mlir::Type type, mlir::Location loc);

  //===--- Inlining (Inlining.cpp) ------------------------------------------===//
  /// Is the value written where it is used, instead of being a variable?
  bool isInlined(mlir::Value value);
  bool computeInlined(mlir::Operation *op);
  /// Finds the values that must be variables, or expressions would nest without end.
  void limitNesting();
  /// The names and numbers in the text of a value.
  unsigned countTerms(mlir::Value value);
  bool isShort(mlir::Operation *op);
  bool isKnown(mlir::Value value);
  /// The statement that the text of `op` ends up in.
  mlir::Operation *getStatement(mlir::Operation *op);
  bool isSimpleTernary(mlir::scf::IfOp op);

  kernel::FuncOp function;
  const PrintOptions &options;
  PrintedKernel result;
  NameScopes names;
  unsigned depth = 0;
  bool broken = false;
  bool usesInfinity = false;
  /// The condition printed next stands alone in the else of another.
  bool continuesElse = false;
  std::vector<NestPlace> bodyPlaces;
  std::string body;
  unsigned lastLine = 0;
  /// The op that made the access to memory in the line that is being written: in an expression it may stand
  /// beside what the access is used for.
  std::optional<NestPlace> accessPlace;
  std::set<std::string> functions;
  llvm::DenseMap<mlir::Operation *, bool> inlined;
  llvm::DenseSet<mlir::Operation *> tooDeep;
};

/// A statement as lines of at most 120 columns, indented by so many spaces; the later ones more.
llvm::SmallVector<std::string> wrapStatement(llvm::StringRef text, size_t indent);
/// The same for a line of a comment, `//` included.
std::string wrapComment(llvm::StringRef text);

/// The place in the nest that a location points to, and its file.
NestPlace getPlace(mlir::Location loc, std::string *file = nullptr);

} // namespace tilec

#endif // TILEC_CODEGEN_CUDA_PRINTER_H
