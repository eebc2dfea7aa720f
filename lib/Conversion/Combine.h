//===- Combine.h - How partial results become one -----------------*- C++ -*-===//

#ifndef TILEC_CONVERSION_COMBINE_H
#define TILEC_CONVERSION_COMBINE_H

#include "Context.h"

namespace tilec {

/// How two partial results become one.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc, tile::Combine kind, mlir::Value lhs, mlir::Value rhs);
/// The partial result that changes nothing.
mlir::TypedAttr getIdentity(tile::Combine kind, mlir::Type type);
/// Combines `width` elements of a flat array, from that at `first` on, with those of `more`.
void combineRun(Context &context, mlir::Location loc, tile::Combine kind, mlir::Value array, const Indices &first, mlir::Value more,
                int64_t width);

} // namespace tilec

#endif // TILEC_CONVERSION_COMBINE_H
