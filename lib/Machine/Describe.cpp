//===- Describe.cpp - Machines as text --------------------------*- C++ -*-===//

#include "Fields.h"
#include "Reader.h"
#include "tilec/Machine/Targets.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdio>

namespace tilec {

using namespace machine;

namespace {

/// Rows of cells, printed with aligned columns; the last column is not padded.
class Table {
public:
  void row(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }

  std::string print(const std::string &indent, size_t rightAligned = std::string::npos) const {
    std::vector<size_t> widths;
    for (const std::vector<std::string> &cells : rows)
      for (size_t i = 0; i < cells.size(); ++i) {
        widths.resize(std::max(widths.size(), i + 1));
        widths[i] = std::max(widths[i], cells[i].size());
      }
    std::string text;
    for (const std::vector<std::string> &cells : rows) {
      std::string line = indent;
      for (size_t i = 0; i < cells.size(); ++i) {
        std::string padding(widths[i] - cells[i].size(), ' ');
        line += (i ? "  " : "") + (i == rightAligned ? padding + cells[i] : cells[i] + padding);
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }

private:
  std::vector<std::vector<std::string>> rows;
};

std::string formatFigure(std::optional<double> value) {
  if (!value)
    return "unknown";
  char text[64];
  std::snprintf(text, sizeof(text), "%.2f", *value);
  return text;
}

std::string describeNumbers(MachineSpec spec) {
  Table table;
  for (const NumberField &field : numberFields(spec)) {
    bool known = field.isKnown();
    // A rate without a clock of its own runs at boost; that is not a gap in what is known.
    bool isRateClock =
        field.path.rfind("units.", 0) == 0 && !field.required && std::string(field.unit) == "GHz";
    if (!known && isRateClock)
      continue;
    table.row({field.path, known ? formatNumber(field.value()) : "unknown", field.unit,
               known ? field.source() : ""});
  }
  return table.print("  ", /*rightAligned=*/1);
}

std::string describeFeatures(MachineSpec spec) {
  std::vector<std::string> present, absent;
  for (const FeatureField &feature : featureFields(spec))
    (*feature.slot ? present : absent).push_back(feature.key);
  std::string text = "features: " + (present.empty() ? "none" : joinNames(present)) + "\n";
  if (!absent.empty())
    text += "without: " + joinNames(absent) + "\n";
  return text;
}

/// One line for each unit and type: what it needs, and what each level must be amplified by.
std::string describeRates(const MachineSpec &spec) {
  Table table;
  table.row({"unit", "type", "TFLOP/s", "GHz", "operands", "FMA/dram byte", "dram x", "l2 x",
             "smem x", "issue share"});
  for (const auto &[key, rate] : spec.rates) {
    auto [unit, type] = key;
    table.row({toString(unit), toString(type), formatFigure(spec.peakTFlops(unit, type)),
               formatFigure(spec.clockGHz(unit, type)),
               formatFigure(spec.operandBytesPerCycle(unit, type)),
               formatFigure(spec.fmaPerDramByte(unit, type)),
               formatFigure(spec.requiredAmplification(MemoryLevel::Dram, unit, type)),
               formatFigure(spec.requiredAmplification(MemoryLevel::L2, unit, type)),
               formatFigure(spec.requiredAmplification(MemoryLevel::Smem, unit, type)),
               formatFigure(spec.issueShare(unit, type))});
  }
  return table.print("  ");
}

std::string describeDerived(const MachineSpec &spec) {
  double boost = spec.boostClock.value;
  Table table;
  table.row({"dram", formatFigure(spec.dramBytesPerCyclePerSM()), "B/cycle/SM",
             "= levels.dram.bandwidth / (sms * clocks.boost)"});
  table.row({"l2", formatFigure(spec.bytesPerCyclePerSM(MemoryLevel::L2, boost)), "B/cycle/SM",
             "= levels.l2.bandwidth / sms"});
  table.row({"smem", formatFigure(spec.bytesPerCyclePerSM(MemoryLevel::Smem, boost)), "B/cycle/SM",
             "= levels.smem.bandwidth"});
  table.row({"registers", formatNumber(spec.registersPerSM()), "registers/SM",
             "= levels.rf.capacity / 4"});
  table.row({"cluster", formatNumber(spec.maxClusterSize()), "blocks",
             "= limits.cluster_size with clusters, else 1"});
  return "derived:\n" + table.print("  ", /*rightAligned=*/1) +
         "rates: TFLOP/s = 2 * rate * sms * GHz; operands (B/cycle/SM) = 2 * bytes * rate;\n"
         "       LEVEL x = operands / what the level gives an SM in a cycle;\n"
         "       issue share = rate / per_instruction / limits.issue_slots\n" +
         describeRates(spec);
}

} // namespace

std::string listTargets() {
  Table table;
  for (const TargetSummary &target : summarizeTargets())
    table.row({target.name, target.arch, target.aliases, target.title});
  return table.print("");
}

std::string describeTarget(const MachineSpec &spec) {
  std::string text = "machine: " + spec.name + "\n";
  if (!spec.title.empty())
    text += "title: " + spec.title + "\n";
  if (!spec.aliases.empty())
    text += "aliases: " + joinNames(spec.aliases) + "\n";
  text += "arch: " + spec.arch + "\n";
  if (spec.featureArch != spec.arch)
    text += "feature_arch: " + spec.featureArch + "\n";
  return text + describeFeatures(spec) + "numbers:\n" + describeNumbers(spec) +
         describeDerived(spec);
}

std::vector<StatedNumber> listNumbers(const MachineSpec &spec) {
  MachineSpec copy = spec;
  std::vector<StatedNumber> numbers;
  for (const NumberField &field : numberFields(copy))
    if (field.isKnown())
      numbers.push_back({field.path, field.unit, field.source(), field.value()});
  return numbers;
}

std::optional<StatedNumber> findNumber(const MachineSpec &spec, const std::string &path) {
  for (StatedNumber &number : listNumbers(spec))
    if (number.path == path)
      return std::move(number);
  return std::nullopt;
}

/// Text of a machine file in quotes: what a quotation mark would end is without them.
static std::string quoteText(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  std::replace(text.begin(), text.end(), '\\', '/');
  return '"' + text + '"';
}

std::string writeMachineFile(const std::string &name, const std::string &title, const std::string &inherit, std::vector<StatedNumber> numbers) {
  std::string text = "inherit: " + inherit + "\nname: " + name + "\ntitle: " + quoteText(title) + "\n";
  std::sort(numbers.begin(), numbers.end(), [](const StatedNumber &a, const StatedNumber &b) { return a.path < b.path; });
  // Keys that the last number stands under.
  std::vector<std::string> open;
  for (const StatedNumber &number : numbers) {
    llvm::SmallVector<llvm::StringRef, 4> keys;
    llvm::StringRef(number.path).split(keys, '.');
    size_t same = 0;
    while (same < open.size() && same + 1 < keys.size() && open[same] == keys[same])
      ++same;
    open.resize(same);
    for (; open.size() + 1 < keys.size(); open.push_back(keys[open.size()].str()))
      text += std::string(2 * open.size(), ' ') + keys[open.size()].str() + ":\n";
    text += std::string(2 * open.size(), ' ') + keys.back().str() + ": {value: " + formatNumber(number.value) + ", unit: '" + number.unit +
            "', source: " + quoteText(number.source) + "}\n";
  }
  return text;
}

} // namespace tilec
