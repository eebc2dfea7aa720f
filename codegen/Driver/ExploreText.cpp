//===- ExploreText.cpp - Tables of what was explored ------------*- C++ -*-===//

#include "ExploreText.h"

#include "tilec/Report/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tilec;

/// Four digits, whole numbers in full; "-" where unknown.
static std::string number(std::optional<double> value, const char *suffix = "") {
  if (!value || !std::isfinite(*value))
    return "-";
  std::string text;
  bool whole = *value == std::floor(*value) && std::fabs(*value) < 1e15;
  llvm::raw_string_ostream(text) << llvm::format(whole ? "%.0f" : "%.4g", *value);
  return text + suffix;
}

static std::string align(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      widths.resize(std::max(widths.size(), row.size()), 0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto &row : rows) {
    std::string cells = " ";
    for (size_t i = 0; i < row.size(); ++i)
      cells += " " + std::string(widths[i] - row[i].size(), ' ') + row[i];
    text += llvm::StringRef(cells).rtrim().str() + "\n";
  }
  return text;
}

/// The stage that has least of what it needs.
static const report::StageRecord *worstStage(const report::KernelRecord &record) {
  const report::StageRecord *worst = nullptr;
  for (const report::StageRecord &stage : record.stages)
    if (stage.slack && (!worst || *stage.slack < *worst->slack))
      worst = &stage;
  return worst;
}

static std::string describeMachines(const Exploration &exploration) {
  std::vector<std::string> head = exploration.keys;
  llvm::append_range(head, std::vector<std::string>{"scarcest stage", "needs", "guaranteed", "fed", "limiter", "us", "TFLOP/s", "% of peak"});
  std::vector<std::vector<std::string>> rows = {head};
  std::string refusals;
  for (const ExploredMachine &machine : exploration.machines) {
    std::vector<std::string> &row = rows.emplace_back();
    for (double value : machine.values)
      row.push_back(number(value));
    const report::KernelRecord &record = machine.record;
    const report::StageRecord *worst = worstStage(record);
    row.push_back(worst ? worst->from + " -> " + worst->to : "-");
    row.push_back(number(worst ? worst->requiredReuse : std::nullopt, "x"));
    row.push_back(number(worst ? worst->guaranteedReuse : std::nullopt, "x"));
    row.push_back(machine.satisfied ? "yes" : "NO");
    if (!machine.refused.empty()) {
      row.push_back("cannot run");
      refusals = machine.refused;
      continue;
    }
    const report::PerformanceRecord &predicted = record.predicted;
    row.push_back(record.limiter);
    row.push_back(number(predicted.seconds ? std::optional<double>(*predicted.seconds * 1e6) : std::nullopt));
    row.push_back(number(predicted.tflops));
    row.push_back(number(predicted.fractionOfPeak ? std::optional<double>(*predicted.fractionOfPeak * 100) : std::nullopt));
  }
  std::string text = align(rows);
  if (!refusals.empty())
    text += "  a machine cannot run it: " + refusals + "\n";
  return text;
}

static std::string describeDataflows(const ExploredMachine &machine) {
  std::vector<std::vector<std::string>> rows;
  for (const ExploredDataflow &dataflow : machine.dataflows) {
    if (rows.empty()) {
      rows.push_back({"dataflow", "blocks"});
      for (const auto &[name, bytes] : dataflow.operands)
        rows[0].push_back("bytes of " + name);
      llvm::append_range(rows[0], std::vector<std::string>{"needs", "guaranteed", "DRAM cycles", "compute cycles", "bound by"});
    }
    std::vector<std::string> &row = rows.emplace_back();
    row = {dataflow.name, std::to_string(dataflow.blocks)};
    for (const auto &[name, bytes] : dataflow.operands)
      row.push_back(std::to_string(bytes));
    bool dram = dataflow.dramCycles.value_or(0) > dataflow.computeCycles.value_or(0);
    llvm::append_range(row, std::vector<std::string>{number(dataflow.requiredReuse, "x"), number(dataflow.guaranteedReuse, "x"),
                                                     number(dataflow.dramCycles), number(dataflow.computeCycles), dram ? "dram" : "compute"});
  }
  return align(rows);
}

std::string tilec::printExplorations(const std::vector<Exploration> &explorations) {
  std::string text;
  for (const Exploration &exploration : explorations) {
    text += (text.empty() ? "" : "\n") + printableName(exploration.kernel) + " on " + exploration.machine;
    for (const auto &[name, extent] : exploration.shape)
      text += ", " + name + " = " + std::to_string(extent);
    text += "\n\n" + describeMachines(exploration);
    if (exploration.machines.size() > 1)
      text += "  every stage is fed on " + std::to_string(llvm::count_if(exploration.machines, [](const ExploredMachine &machine) {
                return machine.satisfied && machine.refused.empty();
              })) + " of " + std::to_string(exploration.machines.size()) + " machines\n";
    for (const ExploredMachine &machine : exploration.machines) {
      if (machine.dataflows.empty())
        continue;
      text += "\n";
      for (auto [key, value] : llvm::zip_equal(exploration.keys, machine.values))
        text += key + " = " + number(value) + (key == exploration.keys.back() ? ":\n" : ", ");
      text += describeDataflows(machine);
    }
  }
  return text;
}

namespace {

class JsonPrinter {
public:
  explicit JsonPrinter(llvm::raw_ostream &os) : json(os, /*IndentSize=*/2) {}

  void print(const std::vector<Exploration> &explorations) {
    json.object([&] {
      json.attribute("schema", 1);
      json.attributeArray("kernels", [&] {
        for (const Exploration &exploration : explorations)
          json.object([&] { print(exploration); });
      });
    });
  }

private:
  void figure(const char *key, std::optional<double> value) {
    json.attribute(key, value && std::isfinite(*value) ? llvm::json::Value(*value) : llvm::json::Value(nullptr));
  }

  void print(const Exploration &exploration) {
    json.attribute("kernel", llvm::json::fixUTF8(exploration.kernel));
    json.attribute("machine", exploration.machine);
    json.attributeObject("shape", [&] {
      for (const auto &[name, extent] : exploration.shape)
        json.attribute(llvm::json::fixUTF8(name), extent);
    });
    json.attributeArray("machines", [&] {
      for (const ExploredMachine &machine : exploration.machines)
        json.object([&] { print(exploration, machine); });
    });
  }

  void print(const Exploration &exploration, const ExploredMachine &machine) {
    json.attributeObject("values", [&] {
      for (auto [key, value] : llvm::zip_equal(exploration.keys, machine.values))
        json.attribute(key, value);
    });
    json.attribute("refused", machine.refused.empty() ? llvm::json::Value(nullptr) : llvm::json::Value(machine.refused));
    json.attribute("satisfied", machine.satisfied);
    const report::KernelRecord &record = machine.record;
    json.attribute("limiter", record.limiter);
    json.attributeArray("stages", [&] {
      for (const report::StageRecord &stage : record.stages)
        json.object([&] {
          json.attribute("from", stage.from);
          json.attribute("to", stage.to);
          figure("required_reuse", stage.requiredReuse);
          figure("guaranteed_reuse", stage.guaranteedReuse);
          figure("opportunistic_reuse", stage.opportunisticReuse);
          json.attribute("satisfied", stage.satisfied);
        });
    });
    figure("cycles", record.predicted.cycles);
    figure("seconds", record.predicted.seconds);
    figure("tflops", record.predicted.tflops);
    figure("fraction_of_peak", record.predicted.fractionOfPeak);
    json.attributeArray("dataflows", [&] {
      for (const ExploredDataflow &dataflow : machine.dataflows)
        json.object([&] { print(dataflow); });
    });
  }

  void print(const ExploredDataflow &dataflow) {
    json.attribute("dataflow", dataflow.name);
    json.attribute("blocks", dataflow.blocks);
    json.attributeObject("bytes", [&] {
      for (const auto &[name, bytes] : dataflow.operands)
        json.attribute(llvm::json::fixUTF8(name), bytes);
    });
    figure("required_reuse", dataflow.requiredReuse);
    figure("guaranteed_reuse", dataflow.guaranteedReuse);
    figure("dram_cycles", dataflow.dramCycles);
    figure("compute_cycles", dataflow.computeCycles);
  }

  llvm::json::OStream json;
};

} // namespace

std::string tilec::printExplorationsAsJson(const std::vector<Exploration> &explorations) {
  std::string text;
  llvm::raw_string_ostream os(text);
  JsonPrinter(os).print(explorations);
  os << '\n';
  return text;
}
