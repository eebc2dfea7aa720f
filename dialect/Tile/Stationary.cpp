//===- Stationary.cpp - Which operand a dataflow keeps ----------*- C++ -*-===//

#include "tilec/Tile/Stationary.h"

using namespace mlir;
using namespace tilec::tile;

SmallVector<unsigned> tilec::tile::getStationaryInputs(linalg::LinalgOp compute, Dataflow dataflow) {
  SmallVector<AffineMap> inputs;
  for (OpOperand *input : compute.getDpsInputOperands())
    if (isa<MemRefType>(input->get().getType()))
      inputs.push_back(compute.getMatchingIndexingMap(input));
  // Without rows.
  SmallVector<bool> moved(inputs.size(), true);
  AffineMap result = compute.getMatchingIndexingMap(compute.getDpsInitOperand(0));
  for (AffineExpr subscript : result.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(subscript);
    if (!dim)
      continue;
    SmallVector<bool> byDim = llvm::map_to_vector(inputs, [&](AffineMap map) { return map.isFunctionOfDim(dim.getPosition()); });
    if (llvm::all_equal(byDim))
      continue;
    moved = byDim;
    break;
  }
  SmallVector<unsigned> kept;
  for (auto [number, isMoved] : llvm::enumerate(moved))
    if (isMoved == (dataflow == Dataflow::InputStationary))
      kept.push_back(number);
  return kept;
}
