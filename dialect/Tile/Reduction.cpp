//===- Reduction.cpp - Loops whose iterations add up -------------*- C++ -*-===//
//
// See Reduction.h.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Reduction.h"

#include "tilec/Tile/Access.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tilec::tile;

SmallVector<Value> tilec::tile::getReducedTiles(ForOp loop) {
  llvm::SetVector<Value> tiles;
  loop.walk([&](linalg::LinalgOp op) {
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Access access = traceParts(init.get());
      Operation *def = access.root.getDefiningOp();
      if (!isa_and_present<HoldOp>(def) || loop->isAncestor(def))
        continue;
      for (Value iv : loop.getBody().getArguments())
        if (llvm::none_of(access.subscripts, [&](const LinearExpr &sum) { return sum.factorOf(iv) != 0; }))
          tiles.insert(access.root);
    }
  });
  return tiles.takeVector();
}
