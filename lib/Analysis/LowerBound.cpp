//===- LowerBound.cpp - The least that any order must move ------*- C++ -*-===//
//
// In a stretch of the computation in which M bytes are read, at most S + M bytes of
// operands are in reach. The Hoelder-Brascamp-Lieb inequality (Loomis and Whitney's
// for a product of matrices) says how many iterations these allow, and so how many
// stretches there must be.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/LowerBound.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;

namespace {

/// One operand of the computation: its element bytes, and the iteration dimensions that index it.
struct Projection {
  double elementBytes = 0;
  llvm::SmallBitVector dims;
};

/// Of one computation.
class Bound {
public:
  Bound(const NestModel &model, const NestTraffic &traffic, const Resources &resources, const ComputeModel &compute)
      : model(model), traffic(traffic), resources(resources), compute(compute) {}

  std::optional<LowerBound> run() {
    if (!readComputation() || !solveExponents())
      return std::nullopt;
    LowerBound bound;
    bound.capacityBytes =
        resources.smemBytes + resources.tileRegisters * 4 * resources.threadsPerBlock;
    bound.iterations = iterations;
    bound.exponent = exponent;
    bound.bytes = compulsory;
    std::string least = "each input once";
    double blocks = static_cast<double>(model.blocks());
    double capacity = static_cast<double>(bound.capacityBytes);
    // Exponents above 1 are those of 1/2 each: Q >= M * (V sqrt(w w w) / ((S + M) / 3)^1.5 - 1) is
    // largest for M = 2S.
    if (exponent > 1 && capacity > 0 && blocks > 0) {
      double root = 1;
      for (const Projection &projection : projections)
        root *= std::sqrt(projection.elementBytes);
      double perBlock = iterations / blocks;
      double reads = blocks * (2 * perBlock * root / std::sqrt(capacity) - 2 * capacity);
      if (reads > bound.bytes) {
        bound.bytes = reads;
        llvm::raw_string_ostream(least = "")
            << llvm::format("2 V w^1.5 / sqrt(S) - 2 S in each of %.0f blocks, V = %.0f FMA, S = "
                            "%.0f B, w^1.5 = %.4g",
                            blocks, perBlock, capacity, root)
            << " (Smith, Lowery, Langou, van de Geijn, arXiv 1702.02017)";
      }
    }
    for (const Transfer &transfer : traffic.transfers)
      bound.movedBytes += bytesFor(transfer);
    if (bound.bytes <= 0 || bound.movedBytes <= 0)
      return std::nullopt;
    bound.distance = bound.movedBytes / bound.bytes;
    bound.formula = std::move(least);
    return bound;
  }

private:
  /// One dimension of `operand` for each of its subscripts, or none.
  static std::optional<Projection> project(const ComputeOperand &operand, size_t dimensions) {
    Projection projection{static_cast<double>(operand.elementBytes),
                          llvm::SmallBitVector(dimensions)};
    for (const auto &factors : operand.dims) {
      if (factors.size() != 1 || factors.front().second != 1 ||
          projection.dims.test(factors.front().first))
        return std::nullopt;
      projection.dims.set(factors.front().first);
    }
    return projection;
  }

  /// What the bound counts of `transfer`: inputs, and of outputs partial results that are read or added to, for the bound is about
  /// a result that comes and goes as inputs come. One that is written once, complete, costs nothing.
  static double bytesFor(const Transfer &transfer) {
    bool input = transfer.role == Role::Input && transfer.from == Level::DRAM;
    bool leaves = std::min(transfer.from, transfer.to) == Level::DRAM;
    return input || (transfer.partial && leaves) ? static_cast<double>(transfer.bytes()) : 0;
  }

  /// Bytes of operand `number` that blocks read: fewer than it has where a nest leaves some of it out.
  double bytesRead(unsigned number) const {
    double bytes = 0;
    for (const Transfer &transfer : traffic.transfers)
      if (transfer.operand == number && transfer.from == Level::DRAM)
        bytes += static_cast<double>(transfer.bytes());
    return bytes;
  }

  bool readComputation() {
    if (compute.inputs.empty() || compute.inputs.size() > 2 || compute.outputs.size() != 1)
      return false;
    size_t dimensions = compute.extents.size();
    SmallVector<int64_t> extents(dimensions, -1);
    llvm::SmallDenseSet<unsigned> moving, operands;
    for (const ComputeOperand &input : compute.inputs) {
      std::optional<Projection> projection = project(input, dimensions);
      std::optional<unsigned> operand =
          input.place.isOperand ? input.place.root : model.operandOf(input.place);
      // Indices may name one row again and again.
      if (!projection || !operand || !operands.insert(*operand).second || model.operandPlaceOf(input.place)->gather)
        return false;
      projections.push_back(*projection);
      SmallVector<int64_t> shape = model.operandShape(*operand);
      double bytes = projection->elementBytes;
      for (auto [dim, factors] : llvm::enumerate(input.dims)) {
        extents[factors.front().first] = shape[dim];
        bytes *= static_cast<double>(shape[dim]);
      }
      compulsory += std::min(bytes, bytesRead(*operand));
      for (const Subscript &subscript : model.tracedSubscripts(input.place))
        for (const Term &term : subscript.terms)
          moving.insert(term.loop);
    }
    std::optional<Projection> output = project(compute.outputs.front(), dimensions);
    if (!output)
      return false;
    projections.push_back(*output);
    // A loop that moves no input computes something again.
    for (unsigned loop : compute.loops)
      if (!moving.contains(loop))
        return false;
    iterations = 1;
    for (int64_t extent : extents) {
      if (extent < 0)
        return false;
      iterations *= static_cast<double>(extent);
    }
    iterations = std::min(iterations, static_cast<double>(traffic.computes[&compute - model.computes.data()].iterations));
    return iterations > 0;
  }

  /// The smallest sum of exponents s_j with, for each dimension, at least 1 over the operands that
  /// it indexes (Christ, Demmel, Knight, Scanlon, Yelick, arXiv 1308.0068, section 6). With three
  /// operands the corners of this linear program are multiples of 1/2.
  bool solveExponents() {
    unsigned count = projections.size(), choices = 1;
    for (unsigned i = 0; i < count; ++i)
      choices *= 3;
    double best = HUGE_VAL;
    bool evenly = false;
    for (unsigned choice = 0; choice < choices; ++choice) {
      SmallVector<unsigned> halves;
      for (unsigned rest = choice; halves.size() < count; rest /= 3)
        halves.push_back(rest % 3);
      unsigned dimensions = projections.front().dims.size(), sum = 0;
      bool covers = true;
      for (unsigned half : halves)
        sum += half;
      for (unsigned dim = 0; dim < dimensions; ++dim) {
        unsigned over = 0;
        for (auto [half, projection] : llvm::zip_equal(halves, projections))
          over += projection.dims.test(dim) ? half : 0;
        covers &= over >= 2;
      }
      if (!covers || sum / 2.0 >= best)
        continue;
      best = sum / 2.0;
      evenly = llvm::all_of(halves, [](unsigned half) { return half == 1; });
    }
    exponent = best;
    // The constant of (34) is that of three exponents of 1/2; 1 leaves what must move once.
    return std::isfinite(best) && (best <= 1 || (best == 1.5 && evenly));
  }

  const NestModel &model;
  const NestTraffic &traffic;
  const Resources &resources;
  const ComputeModel &compute;
  SmallVector<Projection> projections;
  double iterations = 0;
  double compulsory = 0;
  double exponent = 1;
};

} // namespace

std::optional<LowerBound> tilec::analysis::findLowerBound(const NestModel &model,
                                                          const NestTraffic &traffic,
                                                          const Resources &resources) {
  // What one computation must read the kernel must read. Sums would be no bound: the second may find on chip what the first
  // one read.
  std::optional<LowerBound> most;
  for (const ComputeModel &compute : model.computes) {
    if (!compute.reduces() || compute.conditional)
      continue;
    std::optional<LowerBound> bound = Bound(model, traffic, resources, compute).run();
    if (bound && (!most || bound->bytes > most->bytes))
      most = std::move(bound);
  }
  return most;
}
