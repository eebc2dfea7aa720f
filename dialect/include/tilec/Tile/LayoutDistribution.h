//===- LayoutDistribution.h - Register tiles spread by a layout --*- C++ -*-===//
//
// An instruction says by a thread/value layout which thread holds which element. Loops on
// threads say the same by digits. This turns the one into the other, so that the rest of
// the compiler knows one form.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILE_LAYOUTDISTRIBUTION_H
#define TILEC_TILE_LAYOUTDISTRIBUTION_H

#include "tilec/Layout/Layout.h"
#include "tilec/Tile/Distribution.h"

namespace tilec::tile {

/// How the thread/value layout `threadValue` spreads a tile of `rows` x `columns`: (thread, value) to row + rows * column. The
/// values of a thread stay in their order. Fails where it is no such spread:
/// an element has no thread, a thread holds one twice, or a mode crosses from one column into another.
mlir::FailureOr<Distribution> getDistribution(const layout::Layout &threadValue, int64_t rows, int64_t columns);

/// Makes one digit of two local ones that stand side by side in their dimension and, in `values`, in a thread's array.
void mergeValues(Distribution &result, llvm::SmallVectorImpl<LocalDigit> &values);

} // namespace tilec::tile

#endif // TILEC_TILE_LAYOUTDISTRIBUTION_H
