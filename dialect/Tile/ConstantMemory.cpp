//===- ConstantMemory.cpp - Operands in constant memory ---------*- C++ -*-===//
//
// Rules K8 and K9 of tile.kernel: the launcher copies such an operand as one piece
// into an array of the kernel's, and nothing writes it.
//
//===----------------------------------------------------------------------===//

#include "ConstantMemory.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilec/Tile/Distribution.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

LogicalResult tile::verifyConstantOperand(Operation *kernel, BlockArgument operand) {
  auto type = cast<MemRefType>(operand.getType());
  if (!type.hasStaticShape() || llvm::is_contained(type.getShape(), 0)) // kernel_k8
    return kernel->emitOpError("operand #") << operand.getArgNumber() << " lies in constant memory, where an array has elements, and how many is known; got " << type;
  if (!type.getLayout().isIdentity()) // kernel_k8
    return kernel->emitOpError("operand #") << operand.getArgNumber() << " lies in constant memory as rows without gaps, got " << type;
  constexpr int64_t kMostElements = 65536; // As many as CUDA has bytes there; machines state how many bytes it is.
  int64_t elements = 1;
  for (int64_t extent : type.getShape())
    elements = extent > kMostElements / elements ? kMostElements + 1 : elements * extent;
  if (elements > kMostElements) // kernel_k8
    return kernel->emitOpError("operand #") << operand.getArgNumber() << " has more than " << kMostElements << " elements, which constant memory cannot hold, got " << type;
  return success();
}

/// What is wrong with this use of `operand`; empty where nothing is.
static StringRef findMisuse(OpOperand &use) {
  Operation *op = use.getOwner();
  auto stage = dyn_cast<StageOp>(op);
  if (stage && stage.getIndices() && use.getOperandNumber() != 0) // limit_x46
    return "numbers elements by an operand in constant memory; let the indices lie in dram";
  if (stage && stage.getIndices()) // limit_x46
    return "gathers from an operand in constant memory; let it lie in dram";
  if (stage && getLevel(stage.getTile().getType()) != Level::RF) // limit_x46
    return "stages an operand in constant memory to smem; read it where it lies, or stage it to rf";
  if (auto store = dyn_cast<StoreOp>(op); store && store.getIndices()) // limit_x46
    return "numbers elements by an operand in constant memory; let the indices lie in dram";
  return "";
}

LogicalResult tile::verifyConstantUses(KernelOp kernel) {
  for (BlockArgument operand : kernel.getBody().getArguments()) {
    if (!isInConstantMemory(operand.getType()))
      continue;
    for (const TileUse &use : getTileUses(operand)) {
      StringRef misuse = use.writes ? "writes to constant memory, which kernels only read" : findMisuse(*use.operand); // kernel_k9
      if (misuse.empty())
        continue;
      InFlightDiagnostic diag = use.operand->getOwner()->emitOpError(misuse);
      diag.attachNote(operand.getLoc()) << "this operand is of type " << operand.getType();
      return diag;
    }
  }
  return success();
}
