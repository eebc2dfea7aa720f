//===- Forms.h - What functions say that kernels have no word for -*- C++ -*-===//
//
// Exporters write more than kernels without loops can say: arrays of truth values, ops with several results, elements that bodies take from arrays, constant
// arrays, subscripts that divide. Each becomes what kernels do say, ahead of bufferization where nothing else is written here.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_FUNCTIONS_FORMS_H
#define TILEC_MAPPING_FUNCTIONS_FORMS_H

#include "../Generics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::mapping {

/// Extent `dim` of `array`, or all of them, as whoever makes it was told; else what asks the array.
mlir::OpFoldResult getExtent(mlir::OpBuilder &b, mlir::Location loc, mlir::Value array, int64_t dim);
llvm::SmallVector<mlir::OpFoldResult> getExtents(mlir::OpBuilder &b, mlir::Location loc, mlir::Value array);
/// Is `size` extent `dim` of `array`, as far as that is known?
bool isExtent(mlir::OpFoldResult size, mlir::Value array, int64_t dim);
/// Are the extents known of all dimensions that `view`, tensor.expand_shape or collapse_shape, parts or merges?
bool hasKnownParts(mlir::Operation *view);
/// Do tensors of these types, of one rank, have the same extents, known and not, along all dimensions but one?
bool areAlikeBut(mlir::Type first, mlir::Type second, int64_t but);
/// Extents that are asked of what ops make are asked of arguments, as far as that is known.
void nameExtents(mlir::ModuleOp module);

/// Constant arrays that hold one number are fills, a generic op that reads what is filled computes with the number instead, and `linalg.pack` and `unpack` are pads, views and transposes.
void writeOut(mlir::ModuleOp module);

/// Slices at places that the function computes become ops: those that take one extract its elements, those that insert one choose. Of arrays and slices of known extents.
void placeSlices(mlir::ModuleOp module);

/// Arguments of index type that the function computes with become integers of 64 bits: indices of kernels are extents.
void widenIndices(mlir::func::FuncOp function);

/// Each result of an op is made by one of its own, as far as the body makes it from no other's. What it chooses with another result, as the place of a greatest
/// element, is the least of the places where that is.
void partResults(mlir::ModuleOp module);

/// What a body extracts from an array becomes an operand: read by a map where the place follows from the op's dimensions, else gathered by an op of its own, whose body does only that.
void takeExtracts(mlir::ModuleOp module);

/// A slice at a known place is an op that moves its elements, which it reads by a map. Those that begin where their array does, and of which that is no multiple, stay.
void readSlices(mlir::ModuleOp module);

/// Two arrays of one type that are joined, and read element by element alone, are chosen from by an op: by the place along a dimension of a view.
void joinPairs(mlir::ModuleOp module);

/// Quotients of integers that are rounded down, or up, are written by those that are rounded towards zero; after what reads them as subscripts.
void expandDivisions(mlir::ModuleOp module);

/// Dimensions that maps divide by a constant become two, of quotients and remainders.
void partDivided(mlir::ModuleOp module);

/// Erases ops on tensors that nobody reads, after all this or as they came.
void eraseUnread(mlir::ModuleOp module);

/// After bufferization: arrays of i1 hold bytes, of which 0 is false; 1 is written for true.
void widenFlags(mlir::func::FuncOp function);

/// How `gather`, an op that does nothing but extract elements of `table`, finds them: by `subscripts`, expressions in its dimensions, but for dimension `along`, if it is
/// there, which the element of `indices` that `read` says numbers.
struct Gathered {
  mlir::Value table;
  llvm::SmallVector<mlir::AffineExpr> subscripts;
  std::optional<unsigned> along;
  mlir::Value indices;
  mlir::AffineMap read;
};
std::optional<Gathered> getGathered(mlir::linalg::LinalgOp gather);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_FUNCTIONS_FORMS_H
