//===- Sizes.h - Extents of functions that are one size ------------*- C++ -*-===//
//
// What becomes of a function takes sizes as arguments. Extents that ops of the function require to be equal are one of them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_FUNCTIONS_SIZES_H
#define TILEC_MAPPING_FUNCTIONS_SIZES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/IntEqClasses.h"

#include <map>

namespace tilec::mapping {

/// What a value at `loc` is called; empty where it has no name.
llvm::StringRef getName(mlir::Location loc);

/// The dimensions that a view merges or parts.
llvm::SmallVector<mlir::ReassociationIndices> getGroups(mlir::Operation *view);

/// Does `slice` take all of dimension `dim`, which is dynamic?
bool takesAll(mlir::memref::SubViewOp slice, unsigned dim);

/// Which extents of arrays are equal.
class ExtentClasses {
public:
  /// Of the memrefs in `body`, whose ops say so.
  explicit ExtentClasses(mlir::Block &body);

  /// `memref` is one of them.
  unsigned get(mlir::Value memref, unsigned dim) const { return classes[numbers.at({memref.getAsOpaquePointer(), dim})]; }

private:
  unsigned numberOf(mlir::Value memref, unsigned dim);
  void numberAll(mlir::Value memref);
  void join(mlir::Operation &op);

  std::map<std::pair<void *, unsigned>, unsigned> numbers;
  llvm::SmallVector<std::pair<unsigned, unsigned>> equal;
  llvm::IntEqClasses classes;
};

/// The arguments of a kernel or a program that is made of `operands`: these, and then a size for each class of dynamic extents that they have, called by the first that has it and the number of
/// the dimension there.
class Signature {
public:
  /// `names` are those of the operands; sizes are at `loc`.
  Signature(const ExtentClasses &classes, mlir::Location loc, mlir::ValueRange operands, llvm::ArrayRef<mlir::Location> names);

  llvm::ArrayRef<mlir::Type> getTypes() const { return types; }
  llvm::ArrayRef<mlir::Location> getNames() const { return names; }
  /// What `tile.kernel` and `tile.program` have of the extents.
  mlir::ArrayAttr getShapes() const { return shapes; }
  /// Of each dynamic extent of `array` the argument of `block`, which has these; fails with a diagnostic where there is none.
  llvm::FailureOr<llvm::SmallVector<mlir::Value>> getSizes(mlir::Value array, mlir::Block &block) const;

private:
  const ExtentClasses &classes;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Location> names;
  mlir::ArrayAttr shapes;
  /// The class of each argument that is a size.
  llvm::SmallVector<unsigned> sizes;
};

/// A view of `from` that has the extents of `array`, whose dimensions these merge or part by `groups`, in the block of `b`, which has the arguments of `signature`.
llvm::FailureOr<mlir::Value> nameAs(mlir::OpBuilder &b, mlir::Location loc, mlir::Value from, mlir::Value array, llvm::ArrayRef<mlir::ReassociationIndices> groups, const Signature &signature);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_FUNCTIONS_SIZES_H
