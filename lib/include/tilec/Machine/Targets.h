//===- Targets.h - Find, read and describe machines -------------*- C++ -*-===//
//
// Known machines are built into the library; others are read from machine files
// (docs/machines.md) or taken from the device that is present. Whatever comes
// out has been checked: required numbers are there, in range, and agree.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_MACHINE_TARGETS_H
#define TILEC_MACHINE_TARGETS_H

#include "tilec/Machine/MachineSpec.h"

#include <string>
#include <vector>

namespace tilec {

/// A machine, or one line that says why there is none: "FILE:LINE:COLUMN: what is
/// wrong" for contents of a machine file, otherwise just what is wrong.
struct TargetResult {
  std::optional<MachineSpec> spec;
  std::string error;

  explicit operator bool() const { return spec.has_value(); }
};

/// Finds a built-in machine by name or alias. A string that contains '/' or ends
/// in ".yaml" or ".yml" is the path of a machine file. An unknown name is an error
/// that suggests the nearest name and lists all. Numbers that predicted time needs and the machine does not
/// state are stand-ins (addStandIns).
TargetResult resolveTarget(const std::string &nameOrPath);

/// Gives `spec` stand-ins for numbers that predicted time needs and it does not state: those of the built-in machine
/// that states them and whose compute capability is nearest, by the rules of docs/machines.md. The source of each tells its rule.
void addStandIns(MachineSpec &spec);

/// A number as a machine file would state it.
struct StatedNumber {
  std::string path, unit, source;
  double value = 0;
};

/// The number at `path`, if `spec` has one.
std::optional<StatedNumber> findNumber(const MachineSpec &spec, const std::string &path);

/// All numbers of `spec`, in the order of docs/machines.md.
std::vector<StatedNumber> listNumbers(const MachineSpec &spec);

/// The text of a machine file that inherits `inherit` and states `numbers`.
std::string writeMachineFile(const std::string &name, const std::string &title, const std::string &inherit, std::vector<StatedNumber> numbers);

/// Reads a machine from the text of a machine file. `fileName` is used in messages,
/// as the source of plain numbers, and as the place that an inherited path is
/// relative to. Without stand-ins.
TargetResult parseTarget(const std::string &text, const std::string &fileName);

/// Why a machine file may not hold these numbers: one is out of range, or they disagree. Nothing where it may.
std::optional<std::string> findDisagreement(const MachineSpec &spec);

/// Sets the number at `path` of a machine file, as "limits.smem_per_block", in that file's unit. Does nothing where `spec` has no
/// such number.
void changeNumber(MachineSpec &spec, const std::string &path, double value);

/// Names of the built-in machines, in alphabetical order.
std::vector<std::string> targetNames();

/// Text of --print-targets: a line for each built-in machine.
std::string listTargets();

/// Text of --print-target=NAME: every number with unit and source, the features,
/// and the figures derived from them with their formulas.
std::string describeTarget(const MachineSpec &spec);

/// What a driver says about a device. 0 means that it did not say.
struct DeviceProperties {
  std::string name;
  int64_t ccMajor = 0;
  int64_t ccMinor = 0;
  int64_t smCount = 0;
  int64_t clockKHz = 0;
  /// Memory clock before doubling for double data rate, as CUDA reports it.
  int64_t memoryClockKHz = 0;
  int64_t memoryBusBits = 0;
  int64_t l2Bytes = 0;
  int64_t smemPerBlockOptinBytes = 0;
  int64_t smemPerSMBytes = 0;
  int64_t smemReservedPerBlockBytes = 0;
  int64_t registersPerSM = 0;
  int64_t threadsPerBlock = 0;
  int64_t threadsPerSM = 0;
  int64_t blocksPerSM = 0;
  int64_t maxGridX = 0;
};

/// The machine called "native": what the driver says, and for the rest the built-in
/// machine of the same compute capability whose DRAM bandwidth is nearest; sources tell
/// which number came from where. DRAM bandwidth is 2 * memory clock * bus width / 8.
/// An error where no built-in machine has that compute capability.
TargetResult fromDeviceProperties(const DeviceProperties &device);

/// The name of that built-in machine.
std::optional<std::string> findNearestMachine(const DeviceProperties &device);

} // namespace tilec

#endif // TILEC_MACHINE_TARGETS_H
