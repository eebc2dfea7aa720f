//===- RecordText.cpp - The record as tables and sentences ------*- C++ -*-===//
//
// For people: the verdict first, then the two models side by side, then where
// the bytes go.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/Record.h"

#include "tilec/Report/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tilec;
using namespace tilec::report;

static std::string form(const char *format, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

/// "-" where unknown; whole numbers without a point.
static std::string number(std::optional<double> value, const char *suffix = "") {
  if (!value || !std::isfinite(*value))
    return "-";
  if (*value == std::floor(*value) && std::fabs(*value) < 1e15)
    return form("%.0f", *value) + suffix;
  return form(std::fabs(*value) < 100 ? "%.2f" : "%.1f", *value) + suffix;
}

static std::string bytes(int64_t count) {
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(count);
  unsigned unit = 0;
  for (; value >= 10240 && unit < 4; ++unit)
    value /= 1024;
  return number(value) + " " + units[unit];
}

/// "0, 1 ... (32)"
static std::string listFirst(const std::vector<int64_t> &numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size() && i < 2; ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return numbers.size() > 2 ? text + " ... (" + std::to_string(numbers.size()) + ")" : text;
}

static std::string shape(const std::vector<int64_t> &extents) {
  std::string text;
  for (int64_t extent : extents)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

namespace {

/// Rows of cells; the first column stands left, the others right.
class Table {
public:
  void add(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }

  void print(llvm::raw_ostream &os) const {
    std::vector<size_t> widths;
    for (const auto &row : rows)
      for (size_t i = 0; i < row.size(); ++i) {
        widths.resize(std::max(widths.size(), row.size()), 0);
        widths[i] = std::max(widths[i], row[i].size());
      }
    for (const auto &row : rows) {
      std::string line = "  ";
      for (size_t i = 0; i < row.size(); ++i) {
        std::string pad(widths[i] - row[i].size(), ' ');
        line += (i ? "  " : "") + (i ? pad + row[i] : row[i] + pad);
      }
      os << llvm::StringRef(line).rtrim() << '\n';
    }
  }

private:
  std::vector<std::vector<std::string>> rows;
};

class TextPrinter {
public:
  explicit TextPrinter(llvm::raw_ostream &os) : os(os) {}

  void print(const KernelRecord &kernel) {
    os << printableName(kernel.kernel);
    if (!kernel.symbol.empty() && kernel.symbol != kernel.kernel)
      os << " (symbol " << kernel.symbol << ")";
    os << " on " << kernel.machine << " (" << kernel.arch << ")";
    for (const auto &[name, extent] : kernel.shape)
      os << ", " << name << " = " << extent;
    if (!kernel.dataflow.empty())
      os << ", " << kernel.dataflow;
    if (!kernel.shapeByDefault.empty()) {
      os << "\n(";
      llvm::interleaveComma(kernel.shapeByDefault, os);
      os << " by default; --shape says others)";
    }
    os << "\n\n" << kernel.headline << "\n\n";
    printModels(kernel);
    printOperands(kernel);
    printLowerBound(kernel);
    printCounts(kernel);
    printRaster(kernel);
    printLatency(kernel);
    printRequests("shared memory, wavefronts of a warp's request", kernel.banks);
    printRequests("global memory, sectors of a warp's request", kernel.coalescing);
    printRequests("constant memory, accesses of a warp's request", kernel.constants);
    printResources(kernel);
    printPerformance(kernel);
    for (const DiagnosticRecord &diagnostic : kernel.diagnostics) {
      os << '\n'
         << diagnostic.location << ": " << diagnostic.severity << ": " << diagnostic.message
         << '\n';
      for (const NoteRecord &note : diagnostic.notes)
        os << note.location << ": note: " << note.message << '\n';
    }
  }

private:
  void printModels(const KernelRecord &kernel) {
    const RooflineRecord &roofline = kernel.roofline;
    os << "simple model (roofline): " << number(roofline.fmaPerByte)
       << " FMA/B, the machine's ridge is at " << number(roofline.machineFmaPerByte) << " FMA/B";
    if (!roofline.verdict.empty())
      os << ": " << roofline.verdict << "-bound";
    os << "\nrealistic model, bytes in a cycle of one SM:\n";
    Table table;
    table.add({"stage", "has", "needs", "reuse needed", "guaranteed", "opportunistic", "amplified",
               "satisfied"});
    for (const StageRecord &stage : kernel.stages) {
      table.add({stage.from + " -> " + stage.to, number(stage.available),
                 number(stage.required), number(stage.requiredReuse, "x"),
                 number(stage.guaranteedReuse, "x"), number(stage.opportunisticReuse, "x"),
                 number(stage.amplified), stage.satisfied ? "yes" : "NO"});
      for (const ViaRecord &via : stage.via)
        if (via.satisfied && via.bytesPerCycle && via.guaranteedReuse)
          table.add({"  via " + via.level, number(via.bytesPerCycle),
                     number(stage.required), number(via.requiredReuse, "x"),
                     number(via.guaranteedReuse, "x"), "-",
                     number(*via.bytesPerCycle * *via.guaranteedReuse),
                     *via.satisfied ? "yes" : "NO"});
    }
    table.print(os);
    if (!kernel.limiter.empty())
      os << "limiter: " << kernel.limiter << '\n';
    printStandIns(kernel);
    printAdvice(kernel);
  }

  void printStandIns(const KernelRecord &kernel) {
    if (kernel.standIns.empty())
      return;
    os << "\nstand-ins, for what is not stated of " << kernel.machine << ":\n";
    Table table;
    table.add({"number", "value", "unit", "from"});
    for (const StandInRecord &standIn : kernel.standIns)
      table.add({standIn.number, number(standIn.value), standIn.unit, standIn.rule});
    table.print(os);
  }

  void printAdvice(const KernelRecord &kernel) {
    if (kernel.advice.empty())
      return;
    os << "\nfaster, each written into the nest, planned and lowered:\n";
    Table table;
    table.add({"change", "us", "of the time"});
    for (const AdviceRecord &advice : kernel.advice)
      table.add({advice.suggestion.change, form("%.4g", advice.seconds * 1e6), form("%.2f", advice.suggestion.timeShare)});
    table.print(os);
  }

  void printOperands(const KernelRecord &kernel) {
    os << "\ntraffic:\n";
    Table table;
    table.add({"operand", "stage", "tile", "copies", "delivered", "leaves source", "reuse local",
               "global", "multicast"});
    for (const StageRecord &stage : kernel.stages)
      for (const OperandRecord &operand : stage.operands)
        table.add({operand.name + (operand.conditional ? " (if)" : ""),
                   operand.from + " -> " + operand.to, shape(operand.tile),
                   atMost(operand) + std::to_string(operand.copies), atMost(operand) + bytes(operand.bytes),
                   operand.portBytes ? atMost(operand) + bytes(*operand.portBytes) : "-",
                   number(operand.localReuse), number(operand.globalReuse),
                   number(operand.multicast)});
    table.print(os);
  }

  /// How often a condition holds is not known.
  static std::string atMost(const OperandRecord &operand) { return operand.conditional ? "<= " : ""; }

  void printLowerBound(const KernelRecord &kernel) {
    if (!kernel.lowerBound)
      return;
    const LowerBoundRecord &bound = *kernel.lowerBound;
    os << "\nwith " << bound.capacityBytes << " bytes on chip a block, blocks that share nothing take at least "
       << bytes(static_cast<int64_t>(bound.bytes)) << " from L2 in any order; these take "
       << bytes(static_cast<int64_t>(bound.movedBytes)) << ", " << number(bound.distance) << " times as much\n  " << bound.formula << '\n';
  }

  /// In full, since the two are equal to the byte or something is wrong.
  void printCounts(const KernelRecord &kernel) {
    if (!kernel.countedDram)
      return;
    os << "\nbytes, predicted and counted by the emulator:\n";
    Table table;
    table.add({"operand", "stage", "delivered", "counted", "leaves source", "counted"});
    auto count = [](std::optional<int64_t> value) { return value ? std::to_string(*value) : "-"; };
    for (const StageRecord &stage : kernel.stages)
      for (const OperandRecord &operand : stage.operands)
        table.add({operand.name + (operand.conditional ? " (if)" : ""),
                   operand.from + " -> " + operand.to, atMost(operand) + count(operand.bytes),
                   count(operand.countedBytes), (operand.portBytes ? atMost(operand) : "") + count(operand.portBytes),
                   count(operand.countedPortBytes)});
    table.print(os);
    os << "DRAM moves at least " << kernel.countedDram->bytesRead << " bytes in and "
       << kernel.countedDram->bytesWritten << " out: the different sectors of every "
       << kernel.countedDram->blocksPerWave << " blocks\n";
  }

  void printRaster(const KernelRecord &kernel) {
    if (!kernel.raster)
      return;
    const RasterRecord &raster = *kernel.raster;
    os << "\nraster " << raster.own.order << ", requested / unique bytes of the blocks that run together:\n";
    Table table;
    table.add({"wave", "blocks", "requested", "unique", "factor"});
    for (const WaveRecord &wave : raster.own.waves)
      table.add({wave.name, std::to_string(wave.blocks), bytes(wave.requestedBytes),
                 bytes(wave.uniqueBytes), number(wave.factor, "x")});
    table.print(os);
    if (raster.others.empty())
      return;
    os << "orders, unique bytes and factor:\n";
    Table orders;
    std::vector<std::string> head = {"order"};
    for (const WaveRecord &wave : raster.own.waves)
      head.insert(head.end(), {wave.name, ""});
    head.insert(head.end(), {"all waves", "DRAM"});
    orders.add(head);
    auto addOrder = [&](const OrderRecord &order) {
      std::vector<std::string> row = {order.order};
      for (const WaveRecord &wave : order.waves)
        row.insert(row.end(), {bytes(wave.uniqueBytes), number(wave.factor, "x")});
      row.insert(row.end(), {number(order.factor, "x"), bytes(order.dramBytes)});
      orders.add(row);
    };
    if (llvm::none_of(raster.others, [&](const OrderRecord &other) { return other.order == raster.own.order; }))
      addOrder(raster.own);
    for (const OrderRecord &other : raster.others)
      addOrder(other);
    orders.print(os);
    if (raster.gain == 1)
      os << "no order shares more than the nest's own\n";
    else
      os << "best is " << raster.best << ", which shares " << number(raster.gain) << " times as much: DRAM moves "
         << (raster.bestDramBytes < raster.own.dramBytes
                 ? bytes(raster.bestDramBytes) + " instead of " + bytes(raster.own.dramBytes)
                 : "no less, as L2 holds all operands")
         << '\n';
  }

  void printLatency(const KernelRecord &kernel) {
    if (!kernel.latency)
      return;
    const LatencyRecord &latency = *kernel.latency;
    os << "\nlatency: a stage of " << latency.tileBytes << " bytes is there after "
       << number(latency.tileCycles) << " cycles; an SM needs " << form("%.0f", latency.neededBytes)
       << " bytes under way and has " << form("%.0f", latency.inFlightBytes)
       << (latency.hidden ? ": hidden" : ": NOT hidden");
    if (latency.suggestedDepth)
      os << "; pipeline(" << *latency.suggestedDepth << ") would do";
    os << '\n';
  }

  void printRequests(const char *title, const std::vector<WarpRequestRecord> &requests) {
    if (requests.empty())
      return;
    os << '\n' << title << ":\n";
    Table table;
    table.add({"operand", "access", "bytes a lane", "takes", "at best", "all requests", "at best",
               "counted", "threads", "addresses"});
    auto count = [](std::optional<int64_t> value) { return value ? std::to_string(*value) : "-"; };
    for (const WarpRequestRecord &request : requests)
      table.add({request.operand + (request.conditional ? " (if)" : ""), request.access, std::to_string(request.bytesPerLane),
                 std::to_string(request.count), std::to_string(request.ideal),
                 count(request.total), count(request.idealTotal), count(request.countedTotal),
                 listFirst(request.threads), listFirst(request.addresses)});
    table.print(os);
  }

  void printResources(const KernelRecord &kernel) {
    const ResourcesRecord &resources = kernel.resources;
    os << "\nblock:";
    if (resources.threadsPerBlock)
      os << ' ' << *resources.threadsPerBlock << " threads";
    if (resources.smemBytes)
      os << ", " << *resources.smemBytes
         << (resources.smemLimit ? " of " + std::to_string(*resources.smemLimit) : "")
         << " bytes of shared memory";
    if (resources.registers)
      os << ", " << *resources.registers << " registers a thread";
    else if (resources.registersEstimated)
      os << ", " << *resources.registersEstimated << " registers a thread by estimate";
    if (resources.spillBytes.value_or(0) > 0)
      os << ", " << *resources.spillBytes << " bytes spilled";
    if (resources.blocksPerSM)
      os << ", " << *resources.blocksPerSM << " blocks an SM (limited by "
         << resources.occupancyLimit << ")";
    if (resources.waves)
      os << ", " << number(resources.waves) << " waves";
    if (resources.workspaceBytes)
      os << ", a workspace of " << resources.workspaceBytes << " bytes";
    os << '\n';
  }

  void printPerformance(const KernelRecord &kernel) {
    auto line = [&](const char *what, const PerformanceRecord &performance) {
      os << what << ": " << form("%.4g", performance.seconds.value_or(0) * 1e6) << " us, ";
      // Where bytes decide, the peak of the arithmetic units is no measure.
      if (kernel.roofline.verdict == "memory" && performance.dramBytesPerSecond)
        os << number(*performance.dramBytesPerSecond * 1e-9) << " GB/s, "
           << number(performance.fractionOfBandwidth.value_or(0) * 100) << " % of the bandwidth";
      else
        os << number(performance.tflops) << " TFLOP/s, "
           << number(performance.fractionOfPeak.value_or(0) * 100) << " % of peak";
    };
    if (kernel.predicted.seconds) {
      line("predicted", kernel.predicted);
      os << " (" << form("%.3g", *kernel.predicted.cycles) << " cycles; busy for";
      for (const ResourceTimeRecord &time : kernel.resourceTimes)
        os << ' ' << time.resource << ' ' << form("%.3g", time.cycles);
      os << ")\n";
    }
    if (kernel.measured) {
      line("measured", kernel.measured->performance);
      os << " on " << kernel.measured->device;
      if (kernel.measured->againstSeconds && kernel.measured->performance.seconds)
        os << ", "
           << form("%.3f", *kernel.measured->againstSeconds / *kernel.measured->performance.seconds)
           << " of " << kernel.measured->against;
      os << '\n';
    }
    if (kernel.verify)
      os << "verified: "
         << (kernel.verify->passed
                 ? std::to_string(kernel.verify->elements) + " elements right"
                 : std::to_string(kernel.verify->mismatches) + " of " +
                       std::to_string(kernel.verify->elements) + " elements WRONG")
         << '\n';
  }

  llvm::raw_ostream &os;
};

} // namespace

std::string tilec::report::printText(const Record &record) {
  std::string text;
  llvm::raw_string_ostream os(text);
  TextPrinter printer(os);
  for (const auto &[i, kernel] : llvm::enumerate(record.kernels)) {
    if (i)
      os << '\n';
    printer.print(kernel);
  }
  return printable(text);
}
