//===- StandIns.cpp - Numbers of other machines ------------------*- C++ -*-===//
//
// A cost that counts as nothing makes the machine that nobody measured the fastest. So where time needs a number that
// a machine does not state, it is that of the machine which is most like it, and marked.
//
//===----------------------------------------------------------------------===//

#include "Fields.h"
#include "Reader.h"
#include "tilec/Machine/Targets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <tuple>

namespace tilec {

using namespace machine;

namespace {

enum class Rule {
  /// As the other machine has it.
  Same,
  /// For each SM what the other machine has for each of its own.
  EachSM,
  /// As many times this machine's `latency` as the other machine's has of its own.
  TimesLatency
};

struct Row {
  const char *path;
  Rule rule;
};

/// What predicted time reads and a machine may leave out. The latencies come before what goes by them.
constexpr Row kRows[] = {{"levels.dram.sustained", Rule::Same},
                         {"levels.dram.latency", Rule::Same},
                         {"levels.dram.loaded_latency", Rule::TimesLatency},
                         {"levels.l2.bandwidth", Rule::EachSM},
                         {"levels.l2.latency", Rule::Same},
                         {"levels.l2.loaded_latency", Rule::TimesLatency},
                         {"levels.smem.latency", Rule::Same},
                         {"levels.smem.loaded_latency", Rule::TimesLatency},
                         {"costs.launch", Rule::Same},
                         {"costs.store_line", Rule::Same},
                         {"costs.atomics", Rule::EachSM},
                         {"costs.cluster_barrier", Rule::Same},
                         {"costs.dsmem_latency", Rule::Same},
                         {"costs.dsmem_bandwidth", Rule::Same}};

/// What a built-in machine states.
struct Reference {
  std::string name;
  std::pair<int, int> capability;
  std::map<std::string, double> numbers;
};

int number(std::pair<int, int> capability) { return 10 * capability.first + capability.second; }

std::vector<Reference> readReferences() {
  std::vector<Reference> references;
  for (const std::string &name : targetNames()) {
    TargetResult target = resolveInChain(name, {});
    if (!target) // A test reads each of them.
      continue;
    Reference &reference = references.emplace_back(Reference{name, target.spec->computeCapability(), {}});
    for (const NumberField &field : numberFields(*target.spec))
      if (field.isKnown())
        reference.numbers[field.path] = field.value();
  }
  // Where two are as near, the older one, and of one age the first by name.
  llvm::sort(references, [](const Reference &a, const Reference &b) { return std::tie(a.capability, a.name) < std::tie(b.capability, b.name); });
  return references;
}

/// The machine nearest to `capability` that states `paths`.
const Reference *findReference(std::pair<int, int> capability, std::initializer_list<std::string> paths, bool noNewer) {
  static const std::vector<Reference> references = readReferences();
  const Reference *nearest = nullptr;
  auto distance = [&](const Reference &reference) { return std::abs(number(reference.capability) - number(capability)); };
  for (const Reference &reference : references) {
    bool states = llvm::all_of(paths, [&](const std::string &path) { return reference.numbers.count(path) > 0; });
    if (states && !(noNewer && reference.capability > capability) && (!nearest || distance(reference) < distance(*nearest)))
      nearest = &reference;
  }
  return nearest;
}

class Filler {
public:
  explicit Filler(MachineSpec &spec) : spec(spec) {
    addAllRates(spec);
    for (NumberField &field : numberFields(spec))
      fields.emplace(field.path, std::move(field));
  }

  void fill() {
    for (const Row &row : kRows)
      if (isFor(row.path) && !fields.at(row.path).isKnown())
        take(row);
    fillRates();
    dropEmptyRates(spec);
  }

private:
  /// What concerns clusters is of no use without them.
  bool isFor(llvm::StringRef path) const {
    if (path.contains("dsmem"))
      return spec.features.dsmem;
    return !path.contains("cluster") || spec.features.clusters;
  }

  void take(const Row &row) {
    std::string base = row.rule == Rule::EachSM ? "sms" : row.rule == Rule::TimesLatency ? latencyOf(row.path) : row.path;
    const Reference *reference = findReference(spec.computeCapability(), {row.path, base}, /*noNewer=*/false);
    if (!reference || !(row.rule == Rule::Same || fields.at(base).isKnown()))
      return;
    double value = reference->numbers.at(row.path);
    std::string how;
    if (row.rule != Rule::Same) {
      value *= fields.at(base).value() / reference->numbers.at(base);
      how = row.rule == Rule::EachSM ? ", for each SM" : ", in proportion to latency";
    }
    fields.at(row.path).set(value, "stand-in: as " + reference->name + how, /*standIn=*/true);
  }

  /// levels.l2.loaded_latency goes by levels.l2.latency.
  static std::string latencyOf(llvm::StringRef path) { return path.rsplit('.').first.str() + ".latency"; }

  /// Rates of mma.sync, which newer architectures keep: those of one that is no newer. In f64 chips of one architecture differ by
  /// a factor of 32.
  void fillRates() {
    constexpr llvm::StringRef kRate = ".rate";
    for (const auto &[path, field] : fields) {
      llvm::StringRef text(path);
      if (!text.starts_with("units.mma.") || !text.ends_with(kRate) || text.contains("f64") || field.isKnown())
        continue;
      std::string instruction = text.drop_back(kRate.size()).str() + ".per_instruction";
      const Reference *reference = findReference(spec.computeCapability(), {path, instruction}, /*noNewer=*/true);
      if (!reference)
        continue;
      std::string source = "stand-in: as " + reference->name + ", for each SM";
      field.set(reference->numbers.at(path), source, /*standIn=*/true);
      fields.at(instruction).set(reference->numbers.at(instruction), source, /*standIn=*/true);
    }
  }

  MachineSpec &spec;
  std::map<std::string, NumberField> fields;
};

} // namespace

void addStandIns(MachineSpec &spec) { Filler(spec).fill(); }

} // namespace tilec
