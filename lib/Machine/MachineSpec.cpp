//===- MachineSpec.cpp - Figures derived from a machine ---------*- C++ -*-===//

#include "tilec/Machine/MachineSpec.h"

#include <algorithm>
#include <cstdlib>

namespace tilec {

const char *toString(MemoryLevel level) {
  switch (level) {
  case MemoryLevel::Dram:
    return "dram";
  case MemoryLevel::L2:
    return "l2";
  case MemoryLevel::L1:
    return "l1";
  case MemoryLevel::Smem:
    return "smem";
  case MemoryLevel::Rf:
    return "rf";
  }
  std::abort();
}

const char *toString(MathUnit unit) {
  switch (unit) {
  case MathUnit::Fma:
    return "fma";
  case MathUnit::Mma:
    return "mma";
  case MathUnit::Wgmma:
    return "wgmma";
  }
  std::abort();
}

const char *toString(MathType type) {
  switch (type) {
  case MathType::F64:
    return "f64";
  case MathType::F32:
    return "f32";
  case MathType::TF32:
    return "tf32";
  case MathType::F16:
    return "f16";
  case MathType::BF16:
    return "bf16";
  case MathType::E4M3:
    return "e4m3";
  case MathType::E5M2:
    return "e5m2";
  case MathType::S8:
    return "s8";
  }
  std::abort();
}

int64_t bytesPerElement(MathType type) {
  switch (type) {
  case MathType::F64:
    return 8;
  case MathType::F32:
  case MathType::TF32:
    return 4;
  case MathType::F16:
  case MathType::BF16:
    return 2;
  case MathType::E4M3:
  case MathType::E5M2:
  case MathType::S8:
    return 1;
  }
  std::abort();
}

const MathRate *MachineSpec::rate(MathUnit unit, MathType type) const {
  auto it = rates.find({unit, type});
  return it == rates.end() ? nullptr : &it->second;
}

double MachineSpec::clockGHz(MathUnit unit, MathType type) const {
  const MathRate *found = rate(unit, type);
  if (!found || !found->clock)
    return boostClock.value;
  return std::min(found->clock->value, boostClock.value);
}

std::pair<int, int> computeCapability(const std::string &arch) {
  // "sm_" and digits, the last of which is the minor version.
  int number = std::atoi(arch.c_str() + 3);
  return {number / 10, number % 10};
}

std::pair<int, int> MachineSpec::computeCapability() const { return tilec::computeCapability(arch); }

int64_t MachineSpec::smemPerSM() const { return level(MemoryLevel::Smem).capacity->value; }

int64_t MachineSpec::registersPerSM() const { return level(MemoryLevel::Rf).capacity->value / 4; }

int64_t MachineSpec::maxClusterSize() const {
  constexpr int64_t kPortableClusterSize = 8;
  if (!features.clusters)
    return 1;
  return limits.clusterSize ? limits.clusterSize->value : kPortableClusterSize;
}

SourcedInt MachineSpec::maxConstantBytes() const {
  return limits.constantBytes ? *limits.constantBytes
                              : SourcedInt{65536, "CUDA C++ Programming Guide 13.0, technical specifications: constant memory size of every device"};
}

double MachineSpec::dramBytesPerCyclePerSM() const {
  return dramBytesPerCyclePerSM(boostClock.value);
}

double MachineSpec::dramBytesPerCyclePerSM(double clockGHz) const {
  // GB/s and GHz: the factors of 1e9 cancel.
  return level(MemoryLevel::Dram).bandwidth->value / (sms.value * clockGHz);
}

std::optional<double> MachineSpec::bytesPerCyclePerSM(MemoryLevel which, double clockGHz) const {
  const std::optional<SourcedReal> &bandwidth = level(which).bandwidth;
  if (!bandwidth)
    return std::nullopt;
  if (which == MemoryLevel::Dram)
    return dramBytesPerCyclePerSM(clockGHz);
  if (which == MemoryLevel::L2)
    return bandwidth->value / sms.value;
  return bandwidth->value;
}

std::optional<double> MachineSpec::operandBytesPerCycle(MathUnit unit, MathType type) const {
  const MathRate *found = rate(unit, type);
  if (!found)
    return std::nullopt;
  return 2.0 * bytesPerElement(type) * found->rate.value;
}

std::optional<double> MachineSpec::requiredAmplification(MemoryLevel which, MathUnit unit,
                                                         MathType type) const {
  std::optional<double> needed = operandBytesPerCycle(unit, type);
  std::optional<double> delivered = bytesPerCyclePerSM(which, clockGHz(unit, type));
  if (!needed || !delivered)
    return std::nullopt;
  return *needed / *delivered;
}

std::optional<double> MachineSpec::fmaPerDramByte(MathUnit unit, MathType type) const {
  const MathRate *found = rate(unit, type);
  if (!found)
    return std::nullopt;
  return found->rate.value / dramBytesPerCyclePerSM(clockGHz(unit, type));
}

std::optional<double> MachineSpec::peakTFlops(MathUnit unit, MathType type) const {
  const MathRate *found = rate(unit, type);
  if (!found)
    return std::nullopt;
  return 2.0 * found->rate.value * sms.value * clockGHz(unit, type) / 1e3;
}

std::optional<double> MachineSpec::issueShare(MathUnit unit, MathType type) const {
  const MathRate *found = rate(unit, type);
  if (!found || !found->perInstruction)
    return std::nullopt;
  return found->rate.value / found->perInstruction->value / limits.issueSlots.value;
}

} // namespace tilec
