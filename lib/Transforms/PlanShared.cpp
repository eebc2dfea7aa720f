//===- PlanShared.cpp - tile-plan-smem --------------------------*- C++ -*-===//
//
// Writes the map of shared memory into the nest, or checks the one that is there.
//
//===----------------------------------------------------------------------===//

#include "PlanPass.h"

#include "tilec/Analysis/SharedPlan.h"
#include "llvm/ADT/MapVector.h"

namespace tilec {
#define GEN_PASS_DEF_PLANSHAREDPASS
#include "tilec/Transforms/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using analysis::SharedArray;
using analysis::SharedPlan;
using tile::ForOp;
using tile::StageOp;

static LogicalResult verifyPlaces(const SharedPlan &plan) {
  for (const SharedArray &array : plan.arrays)
    if (!array.placed) {
      InFlightDiagnostic diag = array.op->emitOpError("has an array of ")
                                << array.bytes()
                                << " bytes in shared memory without a place, where others of its kernel have one; say smem_at of all "
                                   "or of none";
      const auto *other = llvm::find_if(plan.arrays, [&](const SharedArray &one) { return one.placed; });
      diag.attachNote(other->op->getLoc()) << "this one says where it lies";
      return diag;
    }
  for (const SharedArray &array : plan.arrays)
    if (array.offset % array.alignment != 0)
      return array.op->emitOpError("has an array at byte ") << array.offset << " of shared memory, whose boxes with a swizzle begin at multiples of "
                                                            << array.alignment;
  SmallVector<const SharedArray *> sorted = llvm::map_to_vector(plan.arrays, [](const SharedArray &array) { return &array; });
  llvm::stable_sort(sorted, [](const SharedArray *a, const SharedArray *b) { return a->offset < b->offset; });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1]->offset + sorted[i - 1]->bytes() > sorted[i]->offset) {
      InFlightDiagnostic diag = sorted[i]->op->emitOpError("has an array at byte ")
                                << sorted[i]->offset << " of shared memory, where another one ends at byte "
                                << sorted[i - 1]->offset + sorted[i - 1]->bytes();
      diag.attachNote(sorted[i - 1]->op->getLoc()) << "the other one begins at byte " << sorted[i - 1]->offset;
      return diag;
    }
  return success();
}

LogicalResult tilec::placeShared(tile::KernelOp kernel, bool remarks) {
  SharedPlan plan = analysis::planShared(kernel);
  WalkResult counted = kernel.walk([&](ForOp loop) -> WalkResult {
    size_t arrays = llvm::count_if(plan.arrays, [&](const SharedArray &array) { return array.op == loop.getOperation(); });
    if (!loop.getSmemAt() || loop.getSmemAt()->size() == arrays)
      return success();
    return loop.emitOpError("smem_at lists ") << loop.getSmemAt()->size() << " of the places of the loop's arrays in shared memory; expected " << arrays;
  });
  if (counted.wasInterrupted())
    return failure();
  if (plan.placed)
    return verifyPlaces(plan);
  if (!plan.isDynamic())
    return success();
  Builder builder(kernel.getContext());
  llvm::MapVector<Operation *, SmallVector<int64_t>> places;
  for (const SharedArray &array : plan.arrays)
    places[array.op].push_back(array.offset);
  for (const auto &[op, offsets] : places) {
    if (auto stage = dyn_cast<StageOp>(op))
      stage.setSmemAtAttr(builder.getI64IntegerAttr(offsets.front()));
    else if (auto hold = dyn_cast<tile::HoldOp>(op))
      hold.setSmemAtAttr(builder.getI64IntegerAttr(offsets.front()));
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      store.setSmemAtAttr(builder.getI64IntegerAttr(offsets.front()));
    else
      cast<ForOp>(op).setSmemAtAttr(builder.getDenseI64ArrayAttr(offsets));
  }
  if (remarks)
    kernel.emitRemark("takes ") << plan.bytes << " bytes of shared memory, more than a block has of static one, or boxes with a swizzle: its arrays have places";
  return success();
}

template struct tilec::PlanPass<tilec::impl::PlanSharedPassBase, placeShared>;
