//===- Native.cpp - A machine from what the driver says ---------*- C++ -*-===//

#include "Check.h"
#include "Fields.h"
#include "Reader.h"
#include "tilec/Machine/Targets.h"

#include <cmath>
#include <set>

namespace tilec {

using namespace machine;

namespace {

/// GB/s: two transfers a clock.
double dramBandwidth(const DeviceProperties &device) {
  return 2.0 * device.memoryClockKHz * 1e3 * device.memoryBusBits / 8 / 1e9;
}

/// The built-in machine of the same compute capability with the nearest DRAM bandwidth.
std::optional<MachineSpec> nearestKnown(const DeviceProperties &device) {
  std::optional<MachineSpec> nearest;
  double bandwidth = dramBandwidth(device);
  auto distance = [&](const MachineSpec &spec) {
    return std::fabs(spec.level(MemoryLevel::Dram).bandwidth->value - bandwidth);
  };
  for (const std::string &name : targetNames()) {
    TargetResult candidate = resolveInChain(name, {});
    if (!candidate ||
        candidate.spec->computeCapability() != std::pair<int, int>(device.ccMajor, device.ccMinor))
      continue;
    if (!nearest || distance(*candidate.spec) < distance(*nearest))
      nearest = std::move(candidate.spec);
  }
  return nearest;
}

std::string reportUnknownCapability(const DeviceProperties &device) {
  std::set<std::pair<int, int>> capabilities;
  for (const std::string &name : targetNames())
    if (TargetResult target = resolveTarget(name))
      capabilities.insert(target.spec->computeCapability());
  std::vector<std::string> known;
  for (auto [major, minor] : capabilities)
    known.push_back(std::to_string(major) + "." + std::to_string(minor));
  return "no built-in machine has compute capability " + std::to_string(device.ccMajor) + "." +
         std::to_string(device.ccMinor) + " of device '" + device.name + "'; known ones are " +
         joinNames(known) + "; describe the device in a machine file instead";
}

struct Reading {
  const char *path;
  double value;
  const char *attribute;
};

std::vector<Reading> readings(const DeviceProperties &device) {
  auto real = [](int64_t value) { return static_cast<double>(value); };
  return {
      {"sms", real(device.smCount), "multiprocessor count"},
      {"clocks.boost", device.clockKHz / 1e6, "clock rate"},
      {"levels.dram.bandwidth", dramBandwidth(device), "memory clock rate and bus width"},
      {"levels.l2.capacity", real(device.l2Bytes), "L2 cache size"},
      {"levels.smem.capacity", real(device.smemPerSMBytes), "shared memory per SM"},
      {"levels.rf.capacity", real(device.registersPerSM * 4), "registers per SM"},
      {"limits.smem_per_block", real(device.smemPerBlockOptinBytes),
       "shared memory per block, opt-in"},
      {"limits.smem_reserved_per_block", real(device.smemReservedPerBlockBytes),
       "reserved shared memory per block"},
      {"limits.threads_per_block", real(device.threadsPerBlock), "threads per block"},
      {"limits.threads_per_sm", real(device.threadsPerSM), "threads per SM"},
      {"limits.blocks_per_sm", real(device.blocksPerSM), "blocks per SM"},
      {"limits.grid_x", real(device.maxGridX), "grid dimension x"}};
}

} // namespace

TargetResult fromDeviceProperties(const DeviceProperties &device) {
  TargetResult result;
  std::optional<MachineSpec> spec = nearestKnown(device);
  if (!spec) {
    result.error = reportUnknownCapability(device);
    return result;
  }
  std::vector<NumberField> fields = numberFields(*spec);
  for (const NumberField &field : fields)
    if (field.isKnown())
      field.set(field.value(), "as " + spec->name + ": " + field.source());
  for (const Reading &reading : readings(device)) {
    if (reading.value == 0)
      continue;
    for (const NumberField &field : fields) {
      if (field.path != reading.path)
        continue;
      if (!(reading.value >= field.min && reading.value <= field.max)) {
        result.error = "device '" + device.name + "': the driver's " + reading.attribute + " is " +
                       formatNumber(reading.value) + " " + field.unit + ", expected " +
                       formatNumber(field.min) + " to " + formatNumber(field.max);
        return result;
      }
      field.set(reading.value, std::string("driver: ") + reading.attribute);
    }
  }
  // The load clock belongs to the known machine; above this device's clock it is meaningless.
  if (spec->loadClock && spec->loadClock->value > spec->boostClock.value)
    spec->loadClock.reset();
  spec->name = "native";
  spec->title = device.name;
  spec->aliases.clear();
  if (std::optional<Violation> violation = findViolation(*spec)) {
    result.error = "device '" + device.name + "': " + violation->message;
    return result;
  }
  addStandIns(*spec);
  result.spec = std::move(spec);
  return result;
}

std::optional<std::string> findNearestMachine(const DeviceProperties &device) {
  std::optional<MachineSpec> nearest = nearestKnown(device);
  return nearest ? std::optional(nearest->name) : std::nullopt;
}

} // namespace tilec
