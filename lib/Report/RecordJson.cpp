//===- RecordJson.cpp - The record as JSON ----------------------*- C++ -*-===//
//
// Keys are a promise to other programs: added, never renamed.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/Record.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tilec::report;

namespace {

class JsonPrinter {
public:
  explicit JsonPrinter(llvm::raw_ostream &os) : json(os, /*IndentSize=*/2) {}

  void print(const Record &record) {
    json.object([&] {
      json.attribute("schema", 1);
      json.attribute("tilec", record.version);
      list("kernels", record.kernels);
    });
  }

private:
  template <typename T>
  void list(const char *key, const std::vector<T> &entries) {
    json.attributeArray(key, [&] {
      for (const T &entry : entries)
        json.object([&] { print(entry); });
    });
  }

  /// Four significant digits, whole numbers in full; null where absent or not finite.
  void number(const char *key, std::optional<double> value) {
    if (!value || !std::isfinite(*value)) {
      json.attribute(key, nullptr);
      return;
    }
    const char *form = std::fabs(*value) < 10000 ? "%.4g" : "%.0f";
    json.attributeBegin(key);
    json.rawValue([&](llvm::raw_ostream &os) { os << llvm::format(form, *value); });
    json.attributeEnd();
  }

  void integer(const char *key, std::optional<int64_t> value) {
    if (value)
      json.attribute(key, *value);
    else
      json.attribute(key, nullptr);
  }

  /// A word, or null where there is none.
  void word(const char *key, const std::string &value) {
    if (value.empty())
      json.attribute(key, nullptr);
    else
      text(key, value);
  }

  void text(const char *key, const std::string &value) {
    json.attribute(key, llvm::json::fixUTF8(value));
  }

  void print(const ResourcesRecord &resources) {
    integer("smem_bytes", resources.smemBytes);
    integer("smem_limit", resources.smemLimit);
    integer("threads_per_block", resources.threadsPerBlock);
    integer("registers_estimated", resources.registersEstimated);
    integer("registers", resources.registers);
    integer("spill_bytes", resources.spillBytes);
    integer("blocks_per_sm", resources.blocksPerSM);
    word("occupancy_limit", resources.occupancyLimit);
    number("waves", resources.waves);
    integer("workspace_bytes", resources.workspaceBytes);
  }

  void print(const KernelRecord &kernel) {
    text("kernel", kernel.kernel);
    word("symbol", kernel.symbol);
    text("machine", kernel.machine);
    text("arch", kernel.arch);
    json.attributeArray("shape_by_default", [&] {
      for (const std::string &name : kernel.shapeByDefault)
        json.value(name);
    });
    json.attributeObject("shape", [&] {
      for (const auto &[name, extent] : kernel.shape)
        json.attribute(llvm::json::fixUTF8(name), extent);
    });
    word("dataflow", kernel.dataflow);
    word("unit", kernel.unit);
    word("element_type", kernel.elementType);
    json.attributeObject("roofline", [&] {
      number("fma_per_byte", kernel.roofline.fmaPerByte);
      number("machine_fma_per_byte", kernel.roofline.machineFmaPerByte);
      word("verdict", kernel.roofline.verdict);
    });
    word("headline", kernel.headline);
    word("limiter", kernel.limiter);
    word("limiter_reason", kernel.limiterReason);
    list("stand_ins", kernel.standIns);
    list("advice", kernel.advice);
    number("compute_cycles", kernel.computeCycles);
    list("stages", kernel.stages);
    json.attributeObject("raster", [&] {
      if (!kernel.raster)
        return;
      print(kernel.raster->own);
      json.attributeObject("others", [&] {
        for (const OrderRecord &other : kernel.raster->others)
          number(other.order.c_str(), other.factor);
      });
      list("orders", kernel.raster->others);
      text("best", kernel.raster->best);
      json.attribute("best_dram_bytes", kernel.raster->bestDramBytes);
      number("gain", kernel.raster->gain);
    });
    printOptional("lower_bound", kernel.lowerBound);
    json.attributeObject("latency", [&] {
      if (kernel.latency)
        print(*kernel.latency);
    });
    json.attributeArray("banks", [&] {
      for (const WarpRequestRecord &request : kernel.banks)
        json.object([&] {
          print(request, "wavefronts");
          word("better_layout", request.layout);
          integer("better_layout_wavefronts", request.layoutTotal);
        });
    });
    json.attributeArray("coalescing", [&] {
      for (const WarpRequestRecord &request : kernel.coalescing)
        json.object([&] { print(request, "sectors"); });
    });
    json.attributeArray("constants", [&] {
      for (const WarpRequestRecord &request : kernel.constants)
        json.object([&] { print(request, "accesses"); });
    });
    json.attributeObject("resources", [&] { print(kernel.resources); });
    json.attributeObject("predicted", [&] {
      print(kernel.predicted);
      number("least_cycles", kernel.leastCycles);
      number("dram_bytes", kernel.dramBytes);
      number("l2_bytes", kernel.l2Bytes);
      json.attributeObject("resource_cycles", [&] {
        for (const ResourceTimeRecord &time : kernel.resourceTimes)
          number(time.resource.c_str(), time.cycles);
      });
    });
    printOptional("counted_dram", kernel.countedDram);
    printOptional("measured", kernel.measured);
    printOptional("verify", kernel.verify);
    list("diagnostics", kernel.diagnostics);
  }

  template <typename T>
  void printOptional(const char *key, const std::optional<T> &value) {
    if (value)
      json.attributeObject(key, [&] { print(*value); });
    else
      json.attribute(key, nullptr);
  }

  void print(const StageRecord &stage) {
    text("from", stage.from);
    text("to", stage.to);
    number("bytes_per_cycle", stage.available);
    number("required_bytes_per_cycle", stage.required);
    number("required_reuse", stage.requiredReuse);
    number("guaranteed_reuse", stage.guaranteedReuse);
    number("opportunistic_reuse", stage.opportunisticReuse);
    number("local_reuse", stage.localReuse);
    number("required_local_reuse", stage.requiredLocalReuse);
    number("amplified_bytes_per_cycle", stage.amplified);
    json.attribute("satisfied", stage.satisfied);
    number("slack", stage.slack);
    word("limiting_operand", stage.limitingOperand);
    number("cycles", stage.cycles);
    list("via", stage.via);
    list("suggestions", stage.suggestions);
    list("operands", stage.operands);
  }

  void print(const ViaRecord &via) {
    text("level", via.level);
    integer("bytes", via.bytes);
    number("bytes_per_cycle", via.bytesPerCycle);
    number("hit_rate", via.hitRate);
    number("required_reuse", via.requiredReuse);
    number("guaranteed_reuse", via.guaranteedReuse);
    if (via.satisfied)
      json.attribute("satisfied", *via.satisfied);
    else
      json.attribute("satisfied", nullptr);
    list("suggestions", via.suggestions);
  }

  void print(const ChangeRecord &change) {
    text("kind", change.kind);
    text("change", change.change);
    numbers("values", change.values);
  }

  void print(const SuggestionRecord &suggestion) {
    print(static_cast<const ChangeRecord &>(suggestion));
    number("guaranteed_reuse", suggestion.reuse);
    number("time_share", suggestion.timeShare);
  }

  void print(const StandInRecord &standIn) {
    text("number", standIn.number);
    number("value", standIn.value);
    text("unit", standIn.unit);
    text("rule", standIn.rule);
  }

  void print(const AdviceRecord &advice) {
    print(advice.suggestion);
    number("seconds", advice.seconds);
    list("changes", advice.changes);
    text("nest", advice.nest);
  }

  void print(const OperandRecord &operand) {
    text("name", operand.name);
    text("from", operand.from);
    text("to", operand.to);
    text("role", operand.role);
    text("access", operand.access);
    json.attributeArray("tile", [&] {
      for (int64_t extent : operand.tile)
        json.value(extent);
    });
    json.attribute("copies", operand.copies);
    number("local_reuse", operand.localReuse);
    number("global_reuse", operand.globalReuse);
    number("multicast", operand.multicast);
    json.attribute("bytes", operand.bytes);
    integer("port_bytes", operand.portBytes);
    integer("counted_bytes", operand.countedBytes);
    integer("counted_port_bytes", operand.countedPortBytes);
    json.attribute("conditional", operand.conditional);
  }

  void print(const OrderRecord &order) {
    text("order", order.order);
    json.attribute("requested_bytes", order.requestedBytes);
    json.attribute("unique_bytes", order.uniqueBytes);
    number("factor", order.factor);
    json.attribute("working_set_bytes", order.workingSetBytes);
    json.attribute("dram_bytes", order.dramBytes);
    list("waves", order.waves);
  }

  void print(const WaveRecord &wave) {
    text("wave", wave.name);
    json.attribute("blocks", wave.blocks);
    json.attribute("requested_bytes", wave.requestedBytes);
    json.attribute("unique_bytes", wave.uniqueBytes);
    number("factor", wave.factor);
  }

  void print(const LowerBoundRecord &bound) {
    json.attribute("capacity_bytes", bound.capacityBytes);
    number("exponent", bound.exponent);
    number("bytes", bound.bytes);
    number("moved_bytes", bound.movedBytes);
    number("distance", bound.distance);
    text("formula", bound.formula);
  }

  void print(const LatencyRecord &latency) {
    number("latency_cycles", latency.latencyCycles);
    json.attribute("tile_bytes", latency.tileBytes);
    json.attribute("pipeline", latency.depth);
    number("tile_cycles", latency.tileCycles);
    number("needed_bytes", latency.neededBytes);
    number("in_flight_bytes", latency.inFlightBytes);
    json.attribute("hidden", latency.hidden);
    integer("suggested_pipeline", latency.suggestedDepth);
  }

  void numbers(const char *key, const std::vector<int64_t> &values) {
    json.attributeArray(key, [&] {
      for (int64_t value : values)
        json.value(value);
    });
  }

  void print(const WarpRequestRecord &request, const std::string &unit) {
    text("operand", request.operand);
    text("location", request.location);
    text("access", request.access);
    json.attribute("bytes_per_lane", request.bytesPerLane);
    json.attribute(unit, request.count);
    json.attribute("ideal_" + unit, request.ideal);
    numbers("threads", request.threads);
    numbers("addresses", request.addresses);
    json.attribute("conditional", request.conditional);
    integer("requests", request.requests);
    integer(("total_" + unit).c_str(), request.total);
    integer(("ideal_total_" + unit).c_str(), request.idealTotal);
    integer("counted_requests", request.countedRequests);
    integer(("counted_" + unit).c_str(), request.countedTotal);
  }

  void print(const PerformanceRecord &performance) {
    number("cycles", performance.cycles);
    number("seconds", performance.seconds);
    number("tflops", performance.tflops);
    number("fraction_of_peak", performance.fractionOfPeak);
    number("dram_bytes_per_second", performance.dramBytesPerSecond);
    number("fraction_of_bandwidth", performance.fractionOfBandwidth);
  }

  void print(const CountedDramRecord &dram) {
    json.attribute("blocks_per_wave", dram.blocksPerWave);
    json.attribute("least_bytes_read", dram.bytesRead);
    json.attribute("least_bytes_written", dram.bytesWritten);
  }

  void print(const MeasuredRecord &measured) {
    print(measured.performance);
    text("device", measured.device);
    word("against", measured.against);
    number("against_seconds", measured.againstSeconds);
  }

  void print(const VerifyRecord &verify) {
    json.attribute("passed", verify.passed);
    json.attribute("elements", verify.elements);
    json.attribute("mismatches", verify.mismatches);
    number("max_error", verify.maxError);
    word("message", verify.message);
  }

  void print(const DiagnosticRecord &diagnostic) {
    text("severity", diagnostic.severity);
    text("location", diagnostic.location);
    text("message", diagnostic.message);
    list("notes", diagnostic.notes);
    list("fixes", diagnostic.fixes);
  }

  void print(const NoteRecord &note) {
    text("location", note.location);
    text("message", note.message);
  }

  llvm::json::OStream json;
};

} // namespace

std::string tilec::report::printJson(const Record &record) {
  std::string text;
  llvm::raw_string_ostream os(text);
  JsonPrinter(os).print(record);
  os << '\n';
  return text;
}
