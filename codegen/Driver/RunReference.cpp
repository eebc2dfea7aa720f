//===- RunReference.cpp - What a kernel should have computed -----*- C++ -*-===//
//
// Each thread parses the nest into a context of its own and evaluates a share
// of the blocks: a context without threading may not be shared.
//
//===----------------------------------------------------------------------===//

#include "RunReference.h"

#include "DeepThread.h"
#include "Parse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tilec/Mapping/Import.h"
#include "tilec/Mapping/Problem.h"
#include "tilec/Reference/Evaluate.h"
#include "tilec/Tile/Tile.h"

#include <algorithm>
#include <cmath>
#include <thread>

using namespace tilec;
using namespace tilec::runtime;

namespace {

/// A nest parsed again, with its diagnostics kept.
class ParsedKernel {
public:
  ParsedKernel(const std::string &nest, const std::string &name)
      : context(nestDialects(), mlir::MLIRContext::Threading::DISABLED), handler(&context, [this](mlir::Diagnostic &diagnostic) {
          messages += (messages.empty() ? "" : "\n") + diagnostic.str();
          return mlir::success();
        }) {
    context.printOpOnDiagnostic(false);
    module = parseNests(nest, "nest", context);
    if (module && succeeded(mapping::importFunctions(*module)))
      kernel = module->lookupSymbol<tile::KernelOp>(name);
    if (!kernel && messages.empty())
      messages = "the nest has no kernel '" + name + "'";
  }

  tile::KernelOp getKernel() const { return kernel; }
  Error getError() const { return Error{"the reference cannot be evaluated: " + messages}; }

private:
  mlir::MLIRContext context;
  std::string messages;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;
};

} // namespace

bool Reference::reduces() const {
  ParsedKernel parsed(nest, kernelName);
  bool reduces = false;
  if (parsed.getKernel())
    parsed.getKernel().walk([&](mlir::linalg::LinalgOp op) { reduces |= op.getNumReductionLoops() > 0; });
  return reduces;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

namespace {

/// The values of all tensors, compact and row-major.
struct Buffers {
  std::vector<std::vector<double>> reals;
  std::vector<std::vector<int64_t>> integers;
};

/// Of written tensors; empty for others. Blocks store different elements, so that all threads share them.
struct Notes {
  std::vector<std::vector<reference::ErrorBound>> bounds;
  std::vector<std::vector<uint8_t>> stored;
};

} // namespace

/// Products that one thread may evaluate: one to five seconds.
constexpr double kWorkLimit = 32e6;
/// Compared in any case: the corners of a grid of two dimensions.
constexpr int64_t kFewestBlocks = 4;
constexpr unsigned kMostThreads = 16;

/// The product of the different extents: for a matrix product its m n k.
static double estimateWork(const KernelDescription &kernel, const RunPlan &plan) {
  double work = 1;
  for (int64_t size : plan.sizes)
    work *= double(size);
  // Constants do not tell which of them are the same extent: take those of the
  // largest tensor, and one more where several tensors meet.
  double most = 1, longest = 1;
  for (const TensorArgument &tensor : kernel.tensors) {
    double elements = 1;
    for (const Extent &extent : tensor.shape)
      if (!extent.size) {
        elements *= double(extent.value);
        longest = std::max(longest, double(extent.value));
      }
    most = std::max(most, elements);
  }
  return work * most * (kernel.tensors.size() > 2 ? longest : 1);
}

static reference::Arguments bind(const KernelDescription &kernel, const RunPlan &plan, Buffers &buffers, Notes &notes) {
  reference::Arguments arguments;
  arguments.sizes.assign(plan.sizes.begin(), plan.sizes.end());
  for (size_t i = 0; i < plan.scalars.size(); ++i) {
    if (isFloatingPoint(kernel.scalars[i].type))
      arguments.scalars.push_back(plan.scalars[i]);
    else
      arguments.scalars.push_back(int64_t(plan.scalars[i]));
  }
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    reference::BufferView view;
    view.shape.assign(plan.tensors[i].shape.begin(), plan.tensors[i].shape.end());
    for (int64_t stride : rowMajorStrides(plan.tensors[i].shape))
      view.strides.push_back(stride);
    if (isFloatingPoint(kernel.tensors[i].type))
      view.data = buffers.reals[i].data();
    else
      view.data = buffers.integers[i].data();
    if (kernel.tensors[i].written) {
      view.bounds = notes.bounds[i].empty() ? nullptr : notes.bounds[i].data();
      view.stored = notes.stored[i].data();
    }
    arguments.operands.push_back(std::move(view));
  }
  return arguments;
}

/// Runs `blocks`, a share of them in each of `threads`.
static MaybeError runBlocks(const std::string &nest, const std::string &name, const reference::Arguments &arguments,
                            llvm::ArrayRef<int64_t> blocks, size_t threads) {
  std::vector<std::optional<Error>> errors(threads);
  auto work = [&](unsigned number) {
    ParsedKernel parsed(nest, name);
    llvm::SmallVector<int64_t> share;
    for (size_t i = number; i < blocks.size(); i += threads)
      share.push_back(blocks[i]);
    reference::Options options;
    options.blocks = share;
    if (!parsed.getKernel() || failed(reference::evaluate(parsed.getKernel(), arguments, options)))
      errors[number] = parsed.getError();
  };
  if (!runDeep(threads, work))
    return Error{noDeepThread};
  for (const std::optional<Error> &error : errors)
    if (error)
      return error;
  return std::nullopt;
}

/// What is not parted into blocks is evaluated as a whole, or not at all.
bool Reference::isProblemSmall(const RunPlan &plan) const {
  if (problem.empty())
    return false;
  ParsedKernel parsed(problem, kernelName);
  tile::KernelOp open = parsed.getKernel();
  if (!open || !mapping::isOpen(open))
    return false;
  llvm::SmallVector<int64_t> arguments;
  const int64_t *size = plan.sizes.data();
  for (mlir::BlockArgument argument : open.getBody().getArguments())
    arguments.push_back(argument.getType().isIndex() ? *size++ : 0);
  return mapping::countPoints(open, arguments) <= kWorkLimit;
}

Result<Expected> Reference::evaluate(const RunPlan &plan, const std::vector<HostTensor> &tensors, int64_t most, bool bounds) const {
  const std::string &meaning = isProblemSmall(plan) ? problem : nest;
  ParsedKernel parsed(meaning, kernelName);
  if (!parsed.getKernel())
    return parsed.getError();
  llvm::FailureOr<int64_t> count = reference::getNumBlocks(parsed.getKernel(), plan.sizes);
  if (failed(count))
    return parsed.getError();
  // Where blocks add to what others stored, part of them says nothing.
  bool combines = false;
  parsed.getKernel().walk([&](tile::StoreOp store) { combines |= store.getCombine().has_value(); });
  unsigned threads = combines ? 1 : std::min(kMostThreads, std::max(1u, std::thread::hardware_concurrency()));
  double work = estimateWork(kernel, plan);
  if (combines)
    most = *count;
  else if (most == 0)
    most = work > kWorkLimit * threads ? std::max(kFewestBlocks, int64_t(double(*count) * kWorkLimit * threads / work)) : *count;
  llvm::FailureOr<llvm::SmallVector<int64_t>> blocks = reference::sampleBlocks(parsed.getKernel(), plan.sizes, most);
  if (failed(blocks))
    return parsed.getError();

  Buffers buffers;
  Notes notes;
  for (size_t i = 0; i < tensors.size(); ++i) {
    bool real = isFloatingPoint(kernel.tensors[i].type);
    std::vector<double> values = real ? tensors[i].toDoubles() : std::vector<double>();
    size_t written = kernel.tensors[i].written ? size_t(tensors[i].elementCount()) : 0;
    notes.stored.emplace_back(written);
    std::vector<reference::ErrorBound> &bound = notes.bounds.emplace_back(bounds ? written : 0);
    for (size_t element = 0; real && element < bound.size(); ++element)
      bound[element] = reference::ErrorBound::exact(values[element]);
    buffers.integers.push_back(real ? std::vector<int64_t>() : tensors[i].toIntegers());
    buffers.reals.push_back(std::move(values));
  }
  size_t shares = std::clamp<size_t>(blocks->size(), 1, threads);
  if (MaybeError error = runBlocks(meaning, kernelName, bind(kernel, plan, buffers, notes), *blocks, shares))
    return *error;

  Expected expected;
  expected.blocks = *count;
  expected.blocksChecked = int64_t(blocks->size());
  parsed.getKernel().walk([&](mlir::Operation *op) { expected.adds |= mlir::isa<mlir::arith::AddFOp, mlir::math::FmaOp>(op); });
  for (size_t i = 0; i < tensors.size(); ++i)
    if (kernel.tensors[i].written) {
      std::vector<double> &values = buffers.reals[i];
      if (!isFloatingPoint(kernel.tensors[i].type))
        values.assign(buffers.integers[i].begin(), buffers.integers[i].end());
      std::vector<double> totals(values.size(), 0);
      std::transform(notes.bounds[i].begin(), notes.bounds[i].end(), totals.begin(), [](const reference::ErrorBound &bound) { return bound.total(); });
      expected.tensors.push_back({i, std::move(values), std::move(buffers.integers[i]), std::move(totals), std::move(notes.stored[i])});
    }
  return Result<Expected>(std::move(expected));
}
