//===- RowBodies.h - Bodies of a group of rows --------------------*- C++ -*-===//

#ifndef TILEC_MAPPING_ROWBODIES_H
#define TILEC_MAPPING_ROWBODIES_H

#include "tilec/Mapping/RowGroup.h"

namespace tilec::mapping {

/// The body of a value's op, with the bodies of what it is computed with inside.
class BodyWriter {
public:
  BodyWriter(const RowGroup &group, mlir::OpBuilder &b, const mlir::IRMapping &copied, llvm::function_ref<mlir::Value(unsigned)> getIndex) : group(group), b(b), copied(copied), getIndex(getIndex) {}
  /// The element that a value has at the point.
  llvm::DenseMap<unsigned, mlir::Value> known;
  /// `old` is what a reduction has put together so far.
  mlir::Value write(unsigned number, mlir::Value old);

private:
  const RowGroup &group;
  mlir::OpBuilder &b;
  const mlir::IRMapping &copied;
  llvm::function_ref<mlir::Value(unsigned)> getIndex;
};

} // namespace tilec::mapping

#endif // TILEC_MAPPING_ROWBODIES_H
