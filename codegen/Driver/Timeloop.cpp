//===- Timeloop.cpp - A nest as an input of Timeloop or AccelForge -*- C++ -*-===//
//
// One SM with its share of DRAM does all blocks: Timeloop's factors must divide,
// and blocks rarely divide SMs. So its counts are those of the whole grid.
//
//===----------------------------------------------------------------------===//

#include "Timeloop.h"

#include "tilec/Analysis/ThroughputMatching.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::analysis;
using tilec::tile::Level;

namespace {

/// Loops of one level: their dimensions and factors, innermost first.
struct Directive {
  llvm::SmallVector<std::pair<unsigned, int64_t>> factors;

  /// A loop of `dim` outside of all others is one with those of `dim` that are there.
  bool takes(unsigned dim) const {
    auto known = llvm::find_if(factors, [&](const auto &entry) { return entry.first == dim; });
    return std::all_of(known == factors.end() ? known : std::next(known), factors.end(), [](const auto &entry) { return entry.second == 1; });
  }

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

  std::optional<std::string> run(ExportFormat format, std::string &why) {
    if (!findComputation() || !nameDimensions() || !sortLoops()) {
      why = reason;
      return std::nullopt;
    }
    return format == ExportFormat::AccelForge ? printAccelForge() : print();
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
    if (llvm::any_of(model.loops, [](const LoopModel &loop) { return loop.bound.has_value(); }))
      return refuse("a loop has another extent in each iteration of one around it");
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
      const Place &place = *model.operandPlaceOf(input.place);
      llvm::SmallVector<int64_t> shape = model.boundsOf(place);
      for (unsigned dim = 0; dim < input.dims.size(); ++dim) {
        std::optional<unsigned> iteration = dimensionOf(input, dim);
        if (!iteration)
          return refuse("a subscript is a sum of dimensions");
        extents[*iteration] = shape[dim];
        names[*iteration] = "D" + std::to_string(*iteration);
        auto [operand, bounds] = place.getBounds(dim);
        if (auto size = mlir::dyn_cast<mlir::Value>(kernel.getOperandExtent(operand, bounds)))
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
    // AccelForge wants small letters.
    llvm::StringSet<> small;
    for (const std::string &name : names)
      if (!small.insert(llvm::StringRef(name).lower()).second)
        return refuse("two dimensions are called " + name + ", in small letters");
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
      // Where others lie between them, what does not move with them would be counted as staying.
      if (&directive == &dram && entry.count() > 1 && !dram.takes(known->second))
        return refuse("its loops on " + llvm::Twine(names[known->second]) + " around the stages lie apart, and a level has one for each dimension");
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

  double clockGHz() const {
    const std::optional<ComputeUnit> &unit = analyses.match.unit;
    return unit ? machine.clockGHz(unit->unit, unit->type) : machine.boostClock.value;
  }

  int64_t countThreads() const {
    int64_t count = 1;
    for (auto [dim, factor] : threads.factors)
      count *= factor;
    return count;
  }

  /// What tilec counts, as comments.
  std::string printCounts() const {
    std::string text;
    for (const Transfer &transfer : analyses.traffic.transfers)
      if (!transfer.conditional)
        text += llvm::formatv("#   {0} {1} -> {2}: {3}\n", transfer.name, transfer.getSource(), stringifyLevel(transfer.to),
                              transfer.bytes())
                    .str();
    return text;
  }

  std::string print() const {
    tile::KernelOp kernel = model.kernel;
    int64_t bytes = compute->inputs.front().elementBytes;
    double clock = clockGHz();
    auto level = [&](MemoryLevel which) { return bandwidth(machine.bytesPerCyclePerSM(which, clock), bytes); };
    std::string text = llvm::formatv("# {0} on one SM of {1} and its share of DRAM, all blocks one after the other. Bandwidths are words of\n"
                                     "# {2} bytes in a cycle. What tilec counts, in bytes:\n",
                                     kernel.getSymName(), machine.name, bytes)
                           .str();
    text += printCounts();
    text += llvm::formatv("architecture:\n  version: 0.4\n  nodes:\n"
                          "  - !Component {{name: DRAM, class: DRAM, attributes: {{width: {0}, datawidth: {0}{1}}}\n"
                          "  - !Component {{name: smem, class: SRAM, attributes: {{depth: {2}, width: {0}, datawidth: {0}{3}}}\n"
                          "  - !Container {{name: thread, spatial: {{meshX: {4}}}\n"
                          "  - !Component {{name: rf, class: regfile, attributes: {{depth: {5}, width: {0}, datawidth: {0}}}\n"
                          "  - !Component {{name: mac, class: fpmac, attributes: {{datawidth: {0}}}\n",
                          bytes * 8, level(MemoryLevel::Dram), machine.limits.smemPerBlock.value / bytes, level(MemoryLevel::Smem), countThreads(),
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

  static std::string printMemory(const char *name, const llvm::Twine &size, std::optional<double> wordsPerSecond, int64_t bits) {
    std::string throughput = wordsPerSecond ? llvm::formatv("{0:e4}", *wordsPerSecond).str() : "inf";
    std::string text = ("  - !Memory\n    name: " + llvm::Twine(name) + "\n    size: " + size +
                        "\n    area: 0\n    leak_power: 0\n    actions:\n").str();
    for (const char *action : {"read", "write"})
      text += llvm::formatv("    - {{name: {0}, energy: 0, throughput: {1}, bits_per_action: {2}}\n", action, throughput, bits).str();
    return text;
  }

  /// Loops of `directive` from outside to inside, `left` of each dimension inside of them, and where each of `kept` is kept: above
  /// the innermost run of loops that do not move it, so that it stays while they run.
  std::string printLoops(const Directive &directive, const char *kind, const char *rest, llvm::ArrayRef<std::pair<const ComputeOperand *, const char *>> kept,
                         llvm::MutableArrayRef<int64_t> left) const {
    llvm::SmallVector<std::pair<unsigned, int64_t>> loops;
    for (auto [dim, factor] : llvm::reverse(directive.factors))
      if (factor > 1)
        loops.emplace_back(dim, factor);
    llvm::SmallVector<std::string> keptAbove(loops.size() + 1);
    for (auto [operand, memory] : kept) {
      size_t at = loops.size();
      while (at > 0 && llvm::none_of(operand->dims, [&](const auto &factors) { return factors.front().first == loops[at - 1].first; }))
        --at;
      keptAbove[at] += llvm::formatv("  - !Storage {{tensors: [{0}], component: {1}}\n", tensorName(*operand), memory);
    }
    std::string text;
    for (auto [at, loop] : llvm::enumerate(loops)) {
      left[loop.first] /= loop.second;
      text += keptAbove[at] + llvm::formatv("  - !{0} {{rank_variable: {1}, tile_shape: {2}{3}}\n", kind, variableName(loop.first),
                                            left[loop.first], rest)
                                  .str();
    }
    return text + keptAbove.back();
  }

  std::string printMapping() const {
    // The result lives in registers while the loops that copy tiles add to it.
    llvm::SmallVector<std::pair<const ComputeOperand *, const char *>> outer = {{&compute->outputs.front(), "rf"}}, inner;
    for (const ComputeOperand &input : compute->inputs) {
      outer.emplace_back(&input, "smem");
      if (inRegisters)
        inner.emplace_back(&input, "rf");
    }
    llvm::SmallVector<int64_t> left(extents);
    std::string text = printLoops(dram, "Temporal", "", outer, left);
    text += printLoops(smem, "Temporal", "", {}, left);
    text += printLoops(threads, "Spatial", ", name: lane, component: thread", {}, left);
    for (auto [input, memory] : inner)
      text += llvm::formatv("  - !Storage {{tensors: [{0}], component: {1}}\n", tensorName(*input), memory).str();
    return text + printLoops(rf, "Temporal", "", {}, left);
  }

  std::string variableName(unsigned dim) const { return llvm::StringRef(names[dim]).lower(); }

  std::string tensorName(const ComputeOperand &operand) const {
    tile::KernelOp kernel = model.kernel;
    bool isResult = &operand == &compute->outputs.front();
    return nameOf(kernel.getBody().getArgument(isResult ? output : *model.operandOf(operand.place)));
  }

  std::string printAccelForge() const {
    tile::KernelOp kernel = model.kernel;
    int64_t bytes = compute->inputs.front().elementBytes, bits = bytes * 8;
    double perSecond = clockGHz() * 1e9;
    auto words = [&](MemoryLevel which) -> std::optional<double> {
      std::optional<double> rate = machine.bytesPerCyclePerSM(which, clockGHz());
      return rate ? std::optional<double>(*rate * perSecond / double(bytes)) : std::nullopt;
    };
    const std::optional<ComputeUnit> &unit = analyses.match.unit;
    std::string rate = unit ? llvm::formatv("{0:e4}", unit->rate * perSecond / double(countThreads())).str() : "inf";
    std::string text = llvm::formatv("# {0} on one SM of {1} and its share of DRAM, all blocks one after the other. Throughputs are words of\n"
                                     "# {2} bytes in a second, FMA of a thread in a second. What tilec counts, in bytes:\n",
                                     kernel.getSymName(), machine.name, bytes)
                           .str() +
                       printCounts() + "arch:\n  nodes:\n";
    text += printMemory("DRAM", "inf", words(MemoryLevel::Dram), bits);
    text += printMemory("smem", llvm::Twine(machine.limits.smemPerBlock.value * 8), words(MemoryLevel::Smem), bits);
    text += llvm::formatv("  - !Container {{name: thread, spatial: [{{name: lane, fanout: {0}}]}\n", countThreads());
    text += printMemory("rf", llvm::Twine(machine.limits.registersPerThread.value * 32), std::nullopt, bits);
    text += llvm::formatv("  - !Compute\n    name: mac\n    area: 0\n    leak_power: 0\n"
                          "    actions:\n    - {{name: compute, energy: 0, throughput: {0}}\n",
                          rate);
    text += "workload:\n  iteration_space_shape:\n";
    for (auto [dim, extent] : llvm::enumerate(extents))
      text += llvm::formatv("    {0}: 0 <= {0} < {1}\n", variableName(dim), extent);
    text += llvm::formatv("  bits_per_value: {{All: {0}}\n  einsums:\n  - name: {1}\n    tensor_accesses:\n", bits, kernel.getSymName());
    llvm::SmallVector<const ComputeOperand *> tensors;
    for (const ComputeOperand &input : compute->inputs)
      tensors.push_back(&input);
    tensors.push_back(&compute->outputs.front());
    llvm::SmallVector<std::string> tensorNames;
    for (const ComputeOperand *tensor : tensors) {
      llvm::SmallVector<std::string> variables;
      for (const auto &factors : tensor->dims)
        variables.push_back(variableName(factors.front().first));
      tensorNames.push_back(tensorName(*tensor));
      text += llvm::formatv("    - {{name: {0}, projection: [{1}]{2}}\n", tensorNames.back(), llvm::join(variables, ", "),
                            tensor == tensors.back() ? ", output: True" : "");
    }
    text += "mapping:\n  nodes:\n  - !Storage {tensors: [" + llvm::join(tensorNames, ", ") + "], component: DRAM}\n";
    return text + printMapping() + "  - !Compute {einsum: " + kernel.getSymName().str() + ", component: mac}\n";
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

std::optional<std::string> tilec::printExport(const report::Analyses &analyses, const MachineSpec &machine, ExportFormat format,
                                              std::string &why) {
  return Exporter(analyses, machine).run(format, why);
}
