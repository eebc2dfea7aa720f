//===- Evaluate.cpp - Arguments, blocks and the run -------------*- C++ -*-===//
//
// The public functions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Reference/Evaluate.h"

#include "Program.h"

#include "llvm/ADT/DenseSet.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace tilec;
using namespace tilec::reference;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// The numbers of the size arguments, in their order.
static llvm::DenseMap<Value, unsigned> numberSizes(tile::KernelOp kernel) {
  llvm::DenseMap<Value, unsigned> numbers;
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (argument.getType().isIndex())
      numbers.insert({argument, numbers.size()});
  return numbers;
}

static LogicalResult checkCount(tile::KernelOp kernel, StringRef what, size_t expected, size_t actual) {
  if (expected == actual)
    return success();
  return kernel.emitOpError("takes ") << expected << " " << what << ", got " << actual;
}

static LogicalResult checkOperand(tile::KernelOp kernel, BlockArgument argument, unsigned number,
                                  const BufferView &view, ArrayRef<int64_t> sizes) {
  auto type = cast<MemRefType>(argument.getType());
  auto rank = static_cast<size_t>(type.getRank());
  if (view.shape.size() != rank || view.strides.size() != rank)
    return kernel.emitOpError("operand #") << number << " has rank " << rank << ", got " << view.shape.size()
                                           << " extents and " << view.strides.size() << " strides";
  bool isFloat = isa<FloatType>(type.getElementType());
  if (isFloat != std::holds_alternative<double *>(view.data))
    return kernel.emitOpError("operand #") << number << " has elements of type " << type.getElementType()
                                           << ", which take a buffer of " << (isFloat ? "double" : "int64_t");
  llvm::DenseMap<Value, unsigned> numbers = numberSizes(kernel);
  for (size_t dim = 0; dim < rank; ++dim) {
    OpFoldResult stated = kernel.getOperandExtent(argument.getArgNumber(), dim);
    auto value = dyn_cast<Value>(stated);
    int64_t extent = value ? sizes[numbers.lookup(value)] : cast<IntegerAttr>(cast<Attribute>(stated)).getInt();
    if (view.shape[dim] != extent)
      return kernel.emitOpError("operand #") << number << " has extent " << view.shape[dim] << " in dimension " << dim
                                             << ", expected " << extent;
  }
  return success();
}

static LogicalResult checkArguments(tile::KernelOp kernel, const Arguments &arguments) {
  SmallVector<BlockArgument> operands, scalars;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    if (isa<MemRefType>(argument.getType()))
      operands.push_back(argument);
    else if (!argument.getType().isIndex())
      scalars.push_back(argument);
  }
  size_t sizes = kernel.getBody().getNumArguments() - operands.size() - scalars.size();
  if (failed(checkCount(kernel, "operands", operands.size(), arguments.operands.size())) ||
      failed(checkCount(kernel, "sizes", sizes, arguments.sizes.size())) ||
      failed(checkCount(kernel, "scalars", scalars.size(), arguments.scalars.size())))
    return failure();
  for (auto [number, size] : llvm::enumerate(arguments.sizes))
    if (size < 0)
      return kernel.emitOpError("size #") << number << " is " << size << ", but must not be negative";
  for (auto [number, argument] : llvm::enumerate(operands))
    if (failed(checkOperand(kernel, argument, number, arguments.operands[number], arguments.sizes)))
      return failure();
  for (auto [number, argument] : llvm::enumerate(scalars))
    if (isa<FloatType>(argument.getType()) != std::holds_alternative<double>(arguments.scalars[number]))
      return kernel.emitOpError("scalar #") << number << " is of type " << argument.getType()
                                            << ", but the value is of another";
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

bool tilec::reference::countsBlocks(tile::ForOp loop) {
  return loop.getUnit() == tile::Unit::Cluster || (loop.getUnit() == tile::Unit::Block && !loop.reduces());
}

/// The number of iterations of each induction variable of the loops on cluster and block, outermost first.
static FailureOr<SmallVector<int64_t>> getGrid(tile::KernelOp kernel, ArrayRef<int64_t> sizes) {
  llvm::DenseMap<Value, unsigned> numbers = numberSizes(kernel);
  if (failed(checkCount(kernel, "sizes", numbers.size(), sizes.size())))
    return failure();
  SmallVector<int64_t> grid;
  tile::ForOp last;
  WalkResult result = kernel.getBody().walk<WalkOrder::PreOrder>([&](tile::ForOp loop) -> WalkResult {
    if (!countsBlocks(loop))
      return WalkResult::advance();
    if (last && !last->isProperAncestor(loop)) {
      InFlightDiagnostic diag = loop.emitOpError("is a second grid of blocks in one kernel");
      diag.attachNote(last.getLoc()) << "the first one";
      return diag;
    }
    last = loop;
    for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
      OpFoldResult stated = loop.getExtent(i);
      auto value = dyn_cast<Value>(stated);
      if (value && !numbers.contains(value))
        return loop.emitOpError("extent ") << i << " is no size argument, so the number of blocks is not known";
      int64_t extent = value ? sizes[numbers.lookup(value)] : cast<IntegerAttr>(cast<Attribute>(stated)).getInt();
      grid.push_back(extent <= 0 ? 0 : (extent - 1) / loop.getSteps()[i] + 1);
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return grid;
}

static FailureOr<int64_t> countBlocks(tile::KernelOp kernel, ArrayRef<int64_t> grid) {
  int64_t count = 1;
  for (int64_t extent : grid)
    if (llvm::MulOverflow(count, extent, count))
      return kernel.emitOpError("has more than 2^63 blocks");
  return count;
}

FailureOr<int64_t> tilec::reference::getNumBlocks(tile::KernelOp kernel, ArrayRef<int64_t> sizes) {
  FailureOr<SmallVector<int64_t>> grid = getGrid(kernel, sizes);
  if (failed(grid))
    return failure();
  return countBlocks(kernel, *grid);
}

FailureOr<SmallVector<int64_t>> tilec::reference::sampleBlocks(tile::KernelOp kernel, ArrayRef<int64_t> sizes,
                                                               int64_t most) {
  FailureOr<SmallVector<int64_t>> grid = getGrid(kernel, sizes);
  FailureOr<int64_t> count = failed(grid) ? FailureOr<int64_t>(failure()) : countBlocks(kernel, *grid);
  if (failed(count))
    return failure();
  if (*count <= most)
    return llvm::to_vector(llvm::seq<int64_t>(0, *count));
  std::set<int64_t> sample;
  auto size = [&] { return static_cast<int64_t>(sample.size()); };
  size_t corners = size_t(1) << std::min<size_t>(grid->size(), 16);
  for (size_t corner = 0; corner < corners && size() < most; ++corner) {
    int64_t block = 0;
    for (auto [dim, extent] : llvm::enumerate(*grid))
      block = block * extent + ((corner >> dim) & 1 ? extent - 1 : 0);
    sample.insert(block);
  }
  // Multiples of the golden ratio are spread evenly, whatever their number, and favour no row or column.
  const double ratio = 0.6180339887498949;
  double place = 0;
  while (size() < most) {
    place = std::fmod(place + ratio, 1.0);
    auto block = std::min(static_cast<int64_t>(place * static_cast<double>(*count)), *count - 1);
    // Where it is taken, the next that is free.
    while (!sample.insert(block).second)
      block = (block + 1) % *count;
  }
  return SmallVector<int64_t>(sample.begin(), sample.end());
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// Does `op` promise that indices are different?
static bool isUnique(Operation *op) {
  auto store = dyn_cast<tile::StoreOp>(op);
  return store && store.getUnique();
}

LogicalResult tilec::reference::evaluate(tile::KernelOp kernel, const Arguments &arguments, const Options &options) {
  if (failed(checkArguments(kernel, arguments)))
    return failure();
  Machine machine;
  if (options.blocks) {
    FailureOr<int64_t> count = getNumBlocks(kernel, arguments.sizes);
    if (failed(count))
      return failure();
    machine.blocks.emplace(options.blocks->begin(), options.blocks->end());
    llvm::sort(*machine.blocks);
    if (!machine.blocks->empty() && (machine.blocks->front() < 0 || machine.blocks->back() >= *count))
      return kernel.emitOpError("has blocks 0 to ") << *count - 1 << ", but " << machine.blocks->front() << " to "
                                                    << machine.blocks->back() << " are asked for";
  }
  machine.keepsBounds = llvm::any_of(arguments.operands, [](const BufferView &view) { return view.bounds != nullptr; });
  Body body;
  if (failed(compile(kernel, arguments, machine, body)))
    return failure();
  run(body, machine);
  if (Operation *op = machine.registers.failed)
    return isa<tile::StageOp, tile::StoreOp>(op)
               ? op->emitOpError("finds an index that its operand does not have") << (isUnique(op) ? ", or one element by two indices" : "")
               : op->emitOpError("divides by zero, shifts by its width or converts a number that does not fit");
  return success();
}
