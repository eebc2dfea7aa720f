//===- Presence.cpp - Elements that exist where they are stored -*- C++ -*-===//
//
// A store writes no absent elements. They are those that the operand which the tile
// was staged from does not have, so the subscripts of both tell which they are; a
// nest where both do not agree would need a test for each element.
//
//===----------------------------------------------------------------------===//

#include "Presence.h"

#include "tilec/Tile/Touches.h"

using namespace mlir;
using namespace tilec::tile;

bool tilec::tile::hasAllElements(Value tile) {
  while (auto stage = traceParts(tile).root.getDefiningOp<StageOp>()) {
    if (stage.getPad())
      return true;
    tile = stage.getSource();
  }
  return !isa<BlockArgument>(traceParts(tile).root);
}

// rule_a1
static LogicalResult verifyStore(KernelOp kernel, StoreOp store) {
  if (hasAllElements(store.getTile()))
    return success();
  Access source = traceToOperand(store.getTile()), dest = getDestAccess(store);
  auto type = cast<MemRefType>(store.getTile().getType());
  TouchSystem stored(kernel, /*scope=*/nullptr);
  SmallVector<TouchSystem::Sum> elements;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    TouchSystem::Sum &element = elements.emplace_back(stored.addVariable()), last;
    last.constant = extent - 1;
    stored.requireNotNegative(last - element);
    auto [root, bounds] = dest.getBounds(dim);
    stored.requireInside(stored.getSum(dest.subscripts[dim], 0) + element, root, bounds);
  }
  for (auto [dim, element] : llvm::enumerate(elements)) {
    TouchSystem::Sum place = stored.getSum(source.subscripts[dim], 0) + element, before;
    before.constant = -1;
    TouchSystem below = stored, above = stored;
    below.requireNotNegative(before - place);
    auto [root, bounds] = source.getBounds(dim);
    above.requireNotNegative(place - above.getExtent(root, bounds));
    if (below.isEmpty() && above.isEmpty())
      continue;
    InFlightDiagnostic diag = store.emitOpError("stores elements that dimension ")
                              << bounds << " of operand #" << cast<BlockArgument>(root).getArgNumber()
                              << " may not have to places that the destination has";
    diag.attachNote(traceParts(store.getTile()).root.getLoc())
        << "the tile is staged here; pad gives absent elements a value, and equal subscripts and extents show that there are none";
    return diag;
  }
  return success();
}

LogicalResult tilec::tile::verifyPresence(KernelOp kernel) {
  WalkResult result = kernel.walk([&](StoreOp store) -> WalkResult { return verifyStore(kernel, store); });
  return failure(result.wasInterrupted());
}
