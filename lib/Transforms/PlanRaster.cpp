//===- PlanRaster.cpp - tile-plan-raster ------------------------*- C++ -*-===//

#include "PlanPass.h"

#include "tilec/Analysis/CutTail.h"

namespace tilec {
#define GEN_PASS_DEF_PLANRASTERPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using tile::ForOp;

LogicalResult tilec::planRaster(tile::KernelOp kernel, bool remarks) {
  for (auto loop : kernel.getBody().getOps<ForOp>()) {
    bool onGrid = loop.getUnit() == tile::Unit::Block || loop.getUnit() == tile::Unit::Cluster;
    if (onGrid && !loop.getRaster()) {
      loop.setRasterAttr(tile::RasterAttr::get(kernel.getContext(), tile::RasterOrder::Row, 1, 1));
      if (remarks)
        loop.emitRemark("takes tiles row by row, as blocks are numbered");
    }
    ForOp cut = loop.getCutLoop();
    if (!cut || cut.getCutWorth())
      continue;
    analysis::CutWorth worth = analysis::getCutWorth(cut);
    cut.setCutWorth(ArrayRef<int64_t>{worth.idle, worth.spare, worth.steps});
    if (remarks)
      cut.emitRemark("is cut where whole waves leave a ") << worth.idle << "th of the device idle and that saves a block " << worth.steps
                                                          << (worth.steps == 1 ? " step" : " steps") << "; fewer blocks, up to a " << worth.spare << "th, share it where each tile is then cut evenly";
  }
  return success();
}

template struct tilec::PlanPass<tilec::impl::PlanRasterPassBase, planRaster>;
