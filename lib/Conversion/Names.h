//===- Names.h - Names that values have from the source ----------*- C++ -*-===//

#ifndef TILEC_CONVERSION_NAMES_H
#define TILEC_CONVERSION_NAMES_H

#include "mlir/IR/Location.h"
#include "tilec/Tile/Access.h"

namespace tilec {

/// A location without the name that the source gives.
mlir::Location unnamed(mlir::Location loc);
/// A location that gives values made for it a name.
mlir::Location named(mlir::Location loc, const llvm::Twine &name);
/// The name that a location carries, or `fallback`.
std::string nameOf(mlir::Location loc, llvm::StringRef fallback);
/// What a dimension is called: m where m0 walks it.
std::string getDimName(const tile::LinearExpr &subscript, unsigned dim);

} // namespace tilec

#endif // TILEC_CONVERSION_NAMES_H
