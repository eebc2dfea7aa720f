//===- Timeloop.cpp - A nest as an input of Timeloop -------------*- C++ -*-===//
//
// One SM with its share of DRAM does all blocks: Timeloop's factors must divide,
// and blocks rarely divide SMs. So its counts are those of the whole grid.
//
//===----------------------------------------------------------------------===//

#include "Timeloop.h"

#include "tilec/Analysis/ThroughputMatching.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;

namespace {

/// Loops of one level: their dimensions and factors, innermost first.
struct Directive {
  llvm::SmallVector<std::pair<unsigned, int64_t>> factors;

  void add(unsigned dim, int64_t count) {
    for (auto &[known, factor] : factors)
      if (known == dim) {
        factor *= count;
        return;
      }
    factors.emplace_back(dim, count);
  }
};

class Exporter {
public:
  Exporter(const report::Analyses &analyses, const MachineSpec &machine) : model(analyses.model), analyses(analyses), machine(machine) {}

  std::optional<std::string> run(std::string &why) {
    if (!findComputation() || !nameDimensions() || !sortLoops()) {
      why = reason;
      return std::nullopt;
    }
    return print();
  }

private:
  bool refuse(const llvm::Twine &text) {
    reason = text.str();
    return false;
  }

  bool findComputation() {
    for (const ComputeModel &candidate : model.computes)
      if (candidate.reduces()) {
        if (compute)
          return refuse("it has several computations that reduce");
        compute = &candidate;
      }
    if (!compute || compute->outputs.size() != 1)
      return refuse("it has no reduction into one result");
    std::optional<unsigned> result;
    for (const StoreModel &store : model.stores)
      if (!store.from.isOperand && !compute->outputs.front().place.isOperand && store.from.root == compute->outputs.front().place.root && store.to.isOperand)
        result = store.to.root;
    if (!result)
      return refuse("its result is not held and stored");
    output = *result;
    for (const ComputeOperand &input : compute->inputs) {
      const TileModel *shared = nullptr;
      for (const Place *at = &input.place; !at->isOperand && model.tiles[at->root].source; at = &*model.tiles[at->root].source) {
        const TileModel &tile = model.tiles[at->root];
        if (tile.level == Level::SMEM && tile.source->isOperand)
          shared = &tile;
        if (tile.level == Level::RF)
          registerLoops.insert_range(tile.loops);
      }
      if (!shared)
        return refuse("an input is not staged in shared memory");
      if (!outerLoops.empty() && outerLoops.size() != shared->loops.size())
        return refuse("its inputs are not staged in one loop");
      outerLoops.insert_range(shared->loops);
      inRegisters |= !input.place.isOperand && model.tiles[input.place.root].level == Level::RF;
    }
    return true;
  }

  /// The single dimension of the computation that subscript `dim` of an operand is.
  static std::optional<unsigned> dimensionOf(const ComputeOperand &operand, unsigned dim) {
    const auto &factors = operand.dims[dim];
    if (factors.size() != 1 || factors.front().second != 1)
      return std::nullopt;
    return factors.front().first;
  }

  bool nameDimensions() {
    names.assign(compute->extents.size(), "");
    extents.assign(compute->extents.size(), -1);
    tile::KernelOp kernel = model.kernel;
    for (const ComputeOperand &input : compute->inputs) {
      unsigned operand = *model.operandOf(input.place);
      llvm::SmallVector<int64_t> shape = model.operandShape(operand);
      for (unsigned dim = 0; dim < input.dims.size(); ++dim) {
        std::optional<unsigned> iteration = dimensionOf(input, dim);
        if (!iteration)
          return refuse("a subscript is a sum of dimensions");
        extents[*iteration] = shape[dim];
        names[*iteration] = "D" + std::to_string(*iteration);
        if (auto size = mlir::dyn_cast<mlir::Value>(kernel.getOperandExtent(operand, dim)))
          names[*iteration] = nameOf(mlir::cast<mlir::BlockArgument>(size));
      }
    }
    for (const ComputeOperand &input : compute->inputs)
      for (auto [dim, subscript] : llvm::enumerate(model.tracedSubscripts(input.place)))
        for (const Term &term : subscript.terms) {
          unsigned iteration = *dimensionOf(input, dim);
          auto [known, isNew] = dimensionOfLoop.try_emplace(term.loop, iteration);
          if (!isNew && known->second != iteration)
            return refuse("a loop moves two dimensions");
        }
    return !llvm::is_contained(extents, -1) || refuse("a dimension indexes no input");
  }

  bool sortLoops() {
    llvm::SmallVector<int64_t> products(compute->extents.begin(), compute->extents.end());
    Directive &innermost = inRegisters ? rf : smem;
    for (unsigned dim = compute->extents.size(); dim-- > 0;)
      innermost.add(dim, compute->extents[dim]);
    for (unsigned loop : llvm::reverse(compute->loops)) {
      auto known = dimensionOfLoop.find(loop);
      if (known == dimensionOfLoop.end())
        return refuse("a loop moves no input");
      const LoopModel &entry = model.loops[loop];
      Directive &directive = outerLoops.contains(loop)                        ? dram
                             : entry.onThreads()                              ? threads
                             : inRegisters && !registerLoops.contains(loop) ? rf
                                                                              : smem;
      directive.add(known->second, entry.count());
      products[known->second] *= entry.count();
    }
    for (auto [name, extent, product] : llvm::zip_equal(names, extents, products))
      if (extent != product)
        return refuse("its tiles make " + llvm::Twine(product) + " of " + name + ", whose extent is " + llvm::Twine(extent) +
                      "; choose a shape that they divide");
    return true;
  }

  std::string printDirective(const char *target, const char *type, const Directive &directive) const {
    std::string factors, permutation;
    for (auto [dim, factor] : directive.factors) {
      factors += (factors.empty() ? "" : ", ") + names[dim] + "=" + std::to_string(factor);
      permutation += (permutation.empty() ? "" : ", ") + names[dim];
    }
    for (auto [dim, name] : llvm::enumerate(names))
      if (llvm::none_of(directive.factors, [&, dim = dim](auto &entry) { return entry.first == dim; })) {
        factors += (factors.empty() ? "" : ", ") + name + "=1";
        permutation += (permutation.empty() ? "" : ", ") + name;
      }
    return llvm::formatv("- {{target: {0}, type: {1}, factors: [{2}], permutation: [{3}]}\n", target, type, factors, permutation).str();
  }

  std::string printProjection(const ComputeOperand &operand) const {
    std::string text;
    for (const auto &factors : operand.dims)
      text += (text.empty() ? "" : ", ") + ("[[" + names[factors.front().first] + "]]");
    return "[" + text + "]";
  }

  static std::string bandwidth(std::optional<double> bytesPerCycle, int64_t elementBytes) {
    return bytesPerCycle ? llvm::formatv(", read_bandwidth: {0:f4}", *bytesPerCycle / double(elementBytes)).str() : "";
  }

  std::string print() const {
    tile::KernelOp kernel = model.kernel;
    int64_t bytes = compute->inputs.front().elementBytes;
    double clock = machine.boostClock.value;
    if (const std::optional<ComputeUnit> &unit = analyses.match.unit)
      clock = machine.clockGHz(unit->unit, unit->type);
    auto level = [&](MemoryLevel which) { return bandwidth(machine.bytesPerCyclePerSM(which, clock), bytes); };
    int64_t threadCount = 1;
    for (auto [dim, factor] : threads.factors)
      threadCount *= factor;
    std::string text = llvm::formatv("# {0} on one SM of {1} and its share of DRAM, all blocks one after the other. Bandwidths are words of\n"
                                     "# {2} bytes in a cycle. What tilec counts, in bytes:\n",
                                     kernel.getSymName(), machine.name, bytes)
                           .str();
    for (const Transfer &transfer : analyses.traffic.transfers)
      if (!transfer.conditional)
        text += llvm::formatv("#   {0} {1} -> {2}: {3}\n", transfer.name, stringifyLevel(transfer.from), stringifyLevel(transfer.to), transfer.bytes()).str();
    text += llvm::formatv("architecture:\n  version: 0.4\n  nodes:\n"
                          "  - !Component {{name: DRAM, class: DRAM, attributes: {{width: {0}, datawidth: {0}{1}}}\n"
                          "  - !Component {{name: smem, class: SRAM, attributes: {{depth: {2}, width: {0}, datawidth: {0}{3}}}\n"
                          "  - !Container {{name: thread, spatial: {{meshX: {4}}}\n"
                          "  - !Component {{name: rf, class: regfile, attributes: {{depth: {5}, width: {0}, datawidth: {0}}}\n"
                          "  - !Component {{name: mac, class: fpmac, attributes: {{datawidth: {0}}}\n",
                          bytes * 8, level(MemoryLevel::Dram), machine.limits.smemPerBlock.value / bytes, level(MemoryLevel::Smem), threadCount,
                          machine.limits.registersPerThread.value * 4 / bytes)
                .str();
    text += "problem:\n  version: 0.4\n  shape:\n    name: " + kernel.getSymName().str() + "\n    dimensions: [" + llvm::join(names, ", ") + "]\n    data_spaces:\n";
    std::vector<std::string> inputs;
    for (const ComputeOperand &input : compute->inputs) {
      inputs.push_back(nameOf(kernel.getBody().getArgument(*model.operandOf(input.place))));
      text += "    - {name: " + inputs.back() + ", projection: " + printProjection(input) + "}\n";
    }
    std::string result = nameOf(kernel.getBody().getArgument(output));
    text += "    - {name: " + result + ", projection: " + printProjection(compute->outputs.front()) + ", read_write: true}\n  instance: {";
    for (auto [i, name] : llvm::enumerate(names))
      text += (i ? ", " : "") + name + ": " + std::to_string(extents[i]);
    text += "}\nmapping:\n";
    text += printDirective("DRAM", "temporal", dram);
    text += "- {target: smem, type: dataspace, keep: [" + llvm::join(inputs, ", ") + "], bypass: [" + result + "]}\n";
    text += printDirective("smem", "temporal", smem) + printDirective("thread", "spatial", threads);
    text += "- {target: rf, type: dataspace, keep: [" + (inRegisters ? llvm::join(inputs, ", ") + ", " : "") + result + "], bypass: [" +
            (inRegisters ? "" : llvm::join(inputs, ", ")) + "]}\n";
    return text + printDirective("rf", "temporal", rf);
  }

  const NestModel &model;
  const report::Analyses &analyses;
  const MachineSpec &machine;
  std::string reason;
  const ComputeModel *compute = nullptr;
  unsigned output = 0;
  /// Loops around the stages from DRAM, and around those to registers.
  llvm::SmallDenseSet<unsigned> outerLoops, registerLoops;
  bool inRegisters = false;
  llvm::SmallVector<std::string> names;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallDenseMap<unsigned, unsigned> dimensionOfLoop;
  Directive dram, smem, threads, rf;
};

} // namespace

std::optional<std::string> tilec::printTimeloop(const report::Analyses &analyses, const MachineSpec &machine, std::string &why) {
  return Exporter(analyses, machine).run(why);
}
