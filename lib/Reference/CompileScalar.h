//===- CompileScalar.h - arith and math ops to instructions ------*- C++ -*-===//
//
// Registers of SSA values, and the instructions of scalar ops.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REFERENCE_COMPILESCALAR_H
#define TILEC_LIB_REFERENCE_COMPILESCALAR_H

#include "Bytecode.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace tilec::reference {

/// Gives each scalar value a register.
class RegisterMap {
public:
  explicit RegisterMap(Registers &registers) : registers(registers) {}
  uint32_t get(mlir::Value value);
  uint32_t create();
  /// Sets the register of `value` once, for the whole run.
  void set(mlir::Value value, Cell cell);

private:
  Registers &registers;
  llvm::DenseMap<mlir::Value, uint32_t> numbers;
};

/// Appends the instructions of a scalar op. A constant is put into its register at once. Fails with a diagnostic
/// for an op without a meaning here.
llvm::LogicalResult compileScalar(mlir::Operation *op, RegisterMap &map, Code &code);

} // namespace tilec::reference

#endif // TILEC_LIB_REFERENCE_COMPILESCALAR_H
