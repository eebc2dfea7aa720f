//===- Forms.h - What functions say that kernels have no word for -*- C++ -*-===//
//
// Exporters write more than kernels without loops can say: arrays of truth values, ops with several results, elements that bodies take from arrays, constant
// arrays, subscripts that divide. Each becomes what kernels do say, ahead of bufferization where nothing else is written here.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MAPPING_FUNCTIONS_FORMS_H
#define TILEC_MAPPING_FUNCTIONS_FORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::mapping {

/// Constant arrays that hold one number are fills, a generic op that reads what is filled computes with the number instead, and `linalg.pack` and `unpack` are pads, views and transposes.
void writeOut(mlir::ModuleOp module);

/// Each result of an op is made by one of its own, as far as the body makes it from no other's. What it chooses with another result, as the place of a greatest
/// element, is the least of the places where that is.
void partResults(mlir::ModuleOp module);

/// What a body extracts from an array becomes an operand: read by a map where the place follows from the op's dimensions, else gathered by an op of its own, whose body does only that.
void takeExtracts(mlir::ModuleOp module);

/// A slice at a known place is an op that moves its elements, which it reads by a map. Those that begin where their array does, and of which that is no multiple, stay.
void readSlices(mlir::ModuleOp module);

/// What joins two arrays of one type for ops that compute element by element is one of these, too.
void joinPairs(mlir::ModuleOp module);

/// Quotients of integers that are rounded down, or up, are written by those that are rounded towards zero; after what reads them as subscripts.
void expandDivisions(mlir::ModuleOp module);

/// Dimensions that maps divide by a constant become two, of quotients and remainders.
void partDivided(mlir::ModuleOp module);

/// Erases fills that nobody reads after all this.
void eraseUnreadFills(mlir::ModuleOp module);

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

//===----------------------------------------------------------------------===//
// Generic ops
//===----------------------------------------------------------------------===//

/// Does each of `dims` dimensions stand alone in a subscript of one of `maps`, so that operands say how far it goes?
bool areKnown(llvm::ArrayRef<mlir::AffineMap> maps, unsigned dims);

/// `op` with `inputs`, read by `maps`, for which its body has arguments already.
mlir::linalg::GenericOp replaceInputs(mlir::linalg::GenericOp op, mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps);

/// `op` without the inputs that its body does not read, as far as dimensions stay known.
mlir::linalg::GenericOp dropUnread(mlir::linalg::GenericOp op);

/// The ops of the body of `value` that it is made by.
llvm::SetVector<mlir::Operation *> getMakers(mlir::Value value, mlir::Block *body);

/// Writes copies of the makers of `value` in `body` at `b`, of which `copied` knows the arguments.
mlir::Value copyMade(mlir::OpBuilder &b, mlir::Value value, mlir::Block *body, mlir::IRMapping &copied);

} // namespace tilec::mapping

#endif // TILEC_MAPPING_FUNCTIONS_FORMS_H
