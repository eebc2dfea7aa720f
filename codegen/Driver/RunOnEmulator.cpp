//===- RunOnEmulator.cpp - Kernels on the CPU --------------------*- C++ -*-===//
//
// The kernel's text in the emulator; what it finds counts as a wrong result.
//
//===----------------------------------------------------------------------===//

#include "RunExecutor.h"

#include "tilec/Emulator/Emulator.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::runtime;

namespace {

class EmulatorExecutor : public Executor {
public:
  EmulatorExecutor(emulator::HostModule module, const CompiledKernel &kernel, std::string nestFile, const EmulatorSettings &settings)
      : module(std::move(module)), kernel(kernel), nestFile(std::move(nestFile)), settings(settings) {}

  Execution execute(std::vector<HostTensor> &tensors, const RunPlan &plan) override;
  RunPlace getPlace() const override { return RunPlace::CPU; }
  std::string describe() const override;
  void addCounts(RunResult &result) const override {
    result.counted = counted;
    result.countedOperands = countedOperands;
    result.residentBlocks = getResidentBlocks();
  }

private:
  unsigned getResidentBlocks() const {
    return settings.residentBlocks != 0 ? settings.residentBlocks : kernel.residentBlocks;
  }

  /// The op of the nest that a line of the kernel's text comes from.
  std::string getOrigin(int line) const {
    NestPlace place = line > 0 && size_t(line) <= kernel.places.size() ? kernel.places[line - 1] : NestPlace();
    return place.line == 0 ? "" : nestFile + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  }

  emulator::HostModule module;
  const CompiledKernel &kernel;
  std::string nestFile;
  EmulatorSettings settings;
  std::vector<CountedTraffic> counted;
  std::vector<CountedOperand> countedOperands;
};

CountedTraffic::Access toAccess(emulator::AccessKind kind) {
  switch (kind) {
  case emulator::AccessKind::Read:
    return CountedTraffic::Access::Read;
  case emulator::AccessKind::Matrix:
    return CountedTraffic::Access::Matrix;
  case emulator::AccessKind::Write:
    return CountedTraffic::Access::Write;
  case emulator::AccessKind::Atomic:
    return CountedTraffic::Access::Atomic;
  }
  return CountedTraffic::Access::Read;
}

emulator::Schedule toSchedule(EmulatorSettings::Schedule schedule) {
  switch (schedule) {
  case EmulatorSettings::Schedule::InOrder:
    return emulator::Schedule::InOrder;
  case EmulatorSettings::Schedule::Reversed:
    return emulator::Schedule::Reversed;
  case EmulatorSettings::Schedule::WarpAhead:
    return emulator::Schedule::WarpAhead;
  case EmulatorSettings::Schedule::Random:
    return emulator::Schedule::Random;
  }
  return emulator::Schedule::InOrder;
}

} // namespace

std::string EmulatorExecutor::describe() const {
  switch (settings.schedule) {
  case EmulatorSettings::Schedule::InOrder:
    break;
  case EmulatorSettings::Schedule::Reversed:
    return "the emulator (threads reversed)";
  case EmulatorSettings::Schedule::WarpAhead:
    return "the emulator (one warp ahead)";
  case EmulatorSettings::Schedule::Random:
    return "the emulator (threads at random, seed " + std::to_string(settings.seed) + ")";
  }
  return "the emulator";
}

Execution EmulatorExecutor::execute(std::vector<HostTensor> &tensors, const RunPlan &plan) {
  LaunchArguments arguments;
  arguments.sizes = plan.sizes;
  arguments.scalars = plan.scalars;
  emulator::RunOptions options;
  options.schedule = toSchedule(settings.schedule);
  options.seed = settings.seed;
  options.checks = settings.checks;
  options.threads = settings.threads;
  options.residentBlocks = getResidentBlocks();
  options.blocksPerWave = kernel.blocksPerWave;
  for (size_t i = 0; i < tensors.size(); ++i) {
    arguments.tensors.push_back({reinterpret_cast<uint64_t>(tensors[i].data()), tensors[i].strides()});
    options.baseOffsets.push_back(uint64_t(plan.tensors[i].offset) * byteWidth(tensors[i].type()));
  }
  Result<emulator::Report> report = emulator::run(module, kernel.launch, arguments, options);
  if (!report)
    return {Status::Rejected, report.message()};
  counted.clear();
  for (const emulator::SiteCounters &site : report->sites)
    counted.push_back({unsigned(site.line), site.object, site.global, toAccess(site.access), site.bytesPerLane, site.bytes, site.requests,
                       site.sectors, site.wavefronts, site.constant, site.constantAccesses});
  countedOperands.clear();
  for (const emulator::ObjectCounters &object : report->objects)
    if (object.global)
      countedOperands.push_back({object.name, object.uniqueBytesRead, object.uniqueBytesWritten});
  if (!report->ok())
    return {Status::Wrong, report->describeFindings(kernel.editedFile.empty() ? kernel.name + ".cu" : kernel.editedFile,
                                                    [&](int line) { return getOrigin(line); })};
  return {};
}

/// Does the compiler name a line of the kernel's text, "kernel.cu:12"? If it is broken, or finds no header, it names none.
static bool blamesText(llvm::StringRef message) {
  for (size_t at = 0; (at = message.find("kernel.cu:", at)) != llvm::StringRef::npos; ++at)
    if (llvm::StringRef rest = message.substr(at + 10); !rest.empty() && llvm::isDigit(rest.front()))
      return true;
  return false;
}

Result<std::unique_ptr<Executor>> tilec::createEmulator(const CompiledKernel &kernel, const std::string &nestFile,
                                                        const EmulatorSettings &settings, Status &status) {
  status = Status::Missing;
  Result<std::string> compiler = emulator::findHostCompiler();
  if (!compiler)
    return compiler.error();
  Result<emulator::HostModule> module = emulator::compileForHost(kernel.cuda, kernel.launch.symbol, *compiler, settings.folders);
  if (!module) {
    if (blamesText(module.message()))
      status = kernel.editedFile.empty() ? Status::Internal : Status::Rejected;
    return module.error();
  }
  return std::unique_ptr<Executor>(new EmulatorExecutor(std::move(*module), kernel, nestFile, settings));
}
