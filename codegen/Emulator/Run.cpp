//===- Run.cpp - Running a grid -------------------------------*- C++ -*-===//
//
// Checks the launch, lays the operands out, lets workers run the blocks wave by
// wave, and puts together what they found and counted.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Cluster.h"
#include "HostModule.h"
#include "Mbarrier.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <thread>
#include <tuple>

namespace tilec::emulator {

namespace {

using runtime::Error;
using runtime::KernelDescription;
using runtime::LaunchArguments;
using runtime::MaybeError;
using runtime::Result;

/// Every thread may know three numbers of every other: 48 MiB.
constexpr unsigned maxClusterThreads = 2048;

/// Where the kernel finds the operands, in place of where the caller has them, and
/// the workspaces, which come after them.
LaunchArguments relocate(const LaunchArguments &arguments, const Launch &launch) {
  LaunchArguments relocated = arguments;
  const size_t tensors = arguments.tensors.size();
  relocated.workspaces.clear();
  for (size_t i = 0; i < launch.operands.size(); ++i) {
    if (i < tensors)
      relocated.tensors[i].address = launch.operands[i]->getBegin();
    else
      relocated.workspaces.push_back(launch.operands[i]->getBegin());
  }
  return relocated;
}

/// How the caller aligns host memory does not matter: the kernel sees a copy.
KernelDescription withoutAlignment(const KernelDescription &kernel) {
  KernelDescription relaxed = kernel;
  for (runtime::TensorArgument &tensor : relaxed.tensors)
    tensor.alignment = 1;
  return relaxed;
}

MaybeError checkSignature(const tilec_emulator::KernelEntry &entry, const KernelDescription &kernel,
                          const std::vector<std::vector<unsigned char>> &parameters) {
  if (entry.parameterCount != parameters.size())
    return Error{format("kernel %s has %u parameters in its text, but %zu in its description",
                        kernel.symbol.c_str(), entry.parameterCount, parameters.size())};
  for (size_t i = 0; i < parameters.size(); ++i) {
    const tilec_emulator::ParameterShape &shape = entry.parameters[i];
    using Kind = runtime::Parameter::Kind;
    const Kind kind = kernel.parameters[i].kind;
    const bool isPointer = kind == Kind::TensorBase || kind == Kind::Workspace;
    if (shape.bytes != parameters[i].size() || shape.isPointer != isPointer)
      return Error{format("parameter %zu of kernel %s is a %s of %u bytes in its text, but a %s of "
                          "%zu bytes in its description",
                          i, kernel.symbol.c_str(), shape.isPointer ? "pointer" : "value",
                          shape.bytes, isPointer ? "pointer" : "value", parameters[i].size())};
  }
  return std::nullopt;
}

MaybeError createOperands(Launch &launch, const KernelDescription &kernel,
                          const LaunchArguments &arguments) {
  const std::vector<uint64_t> &offsets = launch.options.baseOffsets;
  if (!offsets.empty() && offsets.size() != kernel.tensors.size())
    return Error{format("%zu base offsets for %zu tensors", offsets.size(), kernel.tensors.size())};
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    Result<std::vector<int64_t>> shape =
        runtime::tensorShape(kernel, kernel.tensors[i], arguments.sizes);
    if (!shape)
      return shape.error();
    launch.operands.push_back(std::make_unique<Operand>());
    if (MaybeError error =
            launch.operands.back()->create(kernel.tensors[i], *shape, arguments.tensors[i],
                                           offsets.empty() ? 0 : offsets[i], launch.options.checks))
      return error;
  }
  return std::nullopt;
}

/// Says where the kernel finds its arrays in constant memory.
void nameConstants(Launch &launch, const KernelDescription &kernel) {
  for (size_t i = 0; i < kernel.tensors.size(); ++i)
    if (kernel.tensors[i].constant)
      launch.constants.emplace_back(kernel.tensors[i].symbol, launch.operands[i].get());
}

/// What the kernel's parameters of type TensorMap hold here, and what they stand for.
std::vector<runtime::EncodedTensorMap> createTensorMaps(Launch &launch,
                                                        const KernelDescription &kernel,
                                                        const LaunchArguments &arguments) {
  std::vector<runtime::EncodedTensorMap> encoded;
  for (runtime::TensorMapValues &values : runtime::listTensorMaps(kernel, arguments)) {
    TensorMapHandle handle;
    handle.index = encoded.size();
    Operand *operand = launch.operands[kernel.tensorMaps[encoded.size()].tensor].get();
    launch.tensorMaps.push_back({std::move(values), operand});
    std::memcpy(encoded.emplace_back().bytes.data(), &handle, sizeof(handle));
  }
  return encoded;
}

MaybeError createWorkspaces(Launch &launch, const KernelDescription &kernel,
                            const std::vector<int64_t> &sizes) {
  for (const runtime::Workspace &workspace : kernel.workspaces) {
    const int64_t elements = runtime::countElements(kernel, workspace, sizes, launch.blocks);
    runtime::TensorArgument tensor;
    tensor.name = workspace.name;
    tensor.type = workspace.type;
    // What nobody fills may not be read before it is written.
    tensor.read = workspace.each == runtime::Workspace::Each::Tile;
    tensor.written = true;
    std::vector<unsigned char> zeros;
    if (tensor.read)
      zeros.resize(elements * runtime::byteWidth(workspace.type));
    launch.operands.push_back(std::make_unique<Operand>());
    if (MaybeError error = launch.operands.back()->create(
            tensor, {elements}, {reinterpret_cast<uint64_t>(zeros.data()), {1}}, 0,
            launch.options.checks))
      return error;
  }
  return std::nullopt;
}

/// The next launch finds the workspaces as this one leaves them.
void checkWorkspaces(Findings &findings, const Launch &launch, const KernelDescription &kernel) {
  for (size_t i = 0; i < kernel.workspaces.size(); ++i) {
    const Operand &memory = *launch.operands[kernel.tensors.size() + i];
    const auto *bytes = reinterpret_cast<const unsigned char *>(memory.getBegin());
    if (kernel.workspaces[i].each != runtime::Workspace::Each::Tile ||
        std::all_of(bytes, bytes + memory.getBytes(), [](unsigned char byte) { return byte == 0; }))
      continue;
    if (findings.count(FindingKind::Workspace, 0, memory.getName(), 0, 0))
      findings.describe(format("%s is not zero when the kernel ends, as the next launch needs it",
                               memory.getName().c_str()));
  }
}

/// Runs the clusters [first, end), all of one wave.
void runWave(Launch &launch, std::vector<std::unique_ptr<Cluster>> &workers, unsigned first,
             unsigned end, unsigned wave) {
  std::atomic<unsigned> next{first};
  const auto work = [&](Cluster &worker) {
    while (!launch.stopped) {
      const unsigned number = next++;
      if (number >= end)
        return;
      worker.run(number, wave);
    }
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < workers.size(); ++i)
    helpers.emplace_back(work, std::ref(*workers[i]));
  work(*workers[0]);
  for (std::thread &helper : helpers)
    helper.join();
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

using Blocks = std::vector<const Block *>;

void mergeSites(Report &report, const Blocks &workers) {
  using Key = std::tuple<int, std::string, AccessKind, unsigned, bool>;
  std::map<Key, SiteCounters> merged;
  for (const Block *worker : workers)
    for (const Site &site : worker->sites.getSites()) {
      const SiteCounters &from = site.counters;
      if (from.requests == 0)
        continue;
      SiteCounters &to =
          merged
              .try_emplace(
                  Key(from.line, from.object, from.access, from.bytesPerLane, from.global),
                  SiteCounters{from.line, from.object, from.global, from.constant, from.access, from.bytesPerLane})
              .first->second;
      to.accesses += from.accesses;
      to.bytes += from.bytes;
      to.requests += from.requests;
      to.sectors += from.sectors;
      to.constantAccesses += from.constantAccesses;
      to.wavefronts += from.wavefronts;
      to.idealWavefronts += from.idealWavefronts;
      to.conflictDegree = std::max(to.conflictDegree, from.conflictDegree);
    }
  for (auto &entry : merged)
    report.sites.push_back(std::move(entry.second));
}

void mergeObjects(Report &report, const Launch &launch, const Blocks &workers) {
  for (const auto &operand : launch.operands) {
    ObjectCounters object;
    object.name = operand->getName();
    object.global = true;
    object.uniqueBytesRead = operand->getUniqueBytesRead();
    object.uniqueBytesWritten = operand->getUniqueBytesWritten();
    report.objects.push_back(std::move(object));
  }
  for (const Block *worker : workers)
    for (const SharedArray &array : worker->memory.shared.getArrays())
      if (std::none_of(report.objects.begin(), report.objects.end(), [&](const auto &object) {
            return !object.global && object.name == array.name;
          })) {
        report.objects.emplace_back();
        report.objects.back().name = array.name;
      }
  for (const SiteCounters &site : report.sites)
    for (ObjectCounters &object : report.objects)
      if (object.name == site.object && object.global == site.global) {
        if (site.access == AccessKind::Matrix) {
          object.bytesMultiplied += site.bytes;
          continue;
        }
        const bool isRead = site.access == AccessKind::Read;
        (isRead ? object.bytesRead : object.bytesWritten) += site.bytes;
        (isRead ? object.portBytesRead : object.portBytesWritten) += site.portBytes();
      }
}

Report makeReport(const Launch &launch, const KernelDescription &kernel,
                  const std::vector<std::unique_ptr<Cluster>> &clusters) {
  Blocks workers;
  for (const auto &cluster : clusters)
    for (const auto &block : cluster->getBlocks())
      workers.push_back(block.get());
  Report report;
  report.blocks = launch.blocks;
  Findings findings;
  if (!launch.stopped)
    checkWorkspaces(findings, launch, kernel);
  for (const Block *worker : workers)
    findings.merge(worker->witness.getFindings());
  report.findings = findings.take(launch.options.maxFindings, report.findingsDropped);
  mergeSites(report, workers);
  mergeObjects(report, launch, workers);
  return report;
}

} // namespace

Result<Report> run(const HostModule &module, const KernelDescription &kernel,
                   const LaunchArguments &arguments, const RunOptions &options) {
  if (MaybeError error = runtime::checkDescription(kernel))
    return *error;
  if (MaybeError error = runtime::checkLaunch(withoutAlignment(kernel), arguments))
    return *error;
  Result<uint32_t> grid = runtime::computeGrid(kernel, arguments.sizes, options.residentBlocks);
  if (!grid)
    return grid.error();
  if (*grid > maxBlocks)
    return Error{format("a grid of %u blocks; the emulator runs up to %u", *grid, maxBlocks)};
  if (uint64_t(kernel.clusterBlocks) * kernel.blockThreads > maxClusterThreads)
    return Error{format("clusters of %u blocks of %u threads; the emulator runs up to %u threads "
                        "together",
                        kernel.clusterBlocks, kernel.blockThreads, maxClusterThreads)};

  Launch launch;
  launch.options = options;
  launch.entry = module.getKernel().entry;
  launch.stacks = &module.getKernel().stacks;
  launch.needsClocks = launch.entry->needsClocks;
  launch.blocks = *grid;
  launch.clusterBlocks = kernel.clusterBlocks;
  launch.blockThreads = kernel.blockThreads;
  launch.dependent = kernel.dependent;
  launch.staticSharedBytes = kernel.staticSharedBytes;
  launch.dynamicSharedBytes = kernel.dynamicSharedBytes;
  if (MaybeError error = createOperands(launch, kernel, arguments))
    return *error;
  nameConstants(launch, kernel);
  if (MaybeError error = createWorkspaces(launch, kernel, arguments.sizes))
    return *error;
  const LaunchArguments relocated = relocate(arguments, launch);
  if (MaybeError error = runtime::checkLaunch(kernel, relocated))
    return *error;
  std::vector<std::vector<unsigned char>> parameters =
      runtime::packParameters(kernel, relocated, createTensorMaps(launch, kernel, relocated));
  if (MaybeError error = checkSignature(*launch.entry, kernel, parameters))
    return *error;
  for (std::vector<unsigned char> &parameter : parameters)
    launch.arguments.push_back(parameter.data());

  const unsigned clusters = *grid / kernel.clusterBlocks;
  const unsigned workerCount = std::max(1u, std::min<unsigned>(options.threads, clusters));
  std::vector<std::unique_ptr<Cluster>> workers;
  for (unsigned i = 0; i < workerCount; ++i) {
    workers.push_back(std::make_unique<Cluster>(launch));
    if (!workers.back()->allocate())
      return Error{format("no memory for the stacks of %u threads",
                          kernel.blockThreads * kernel.clusterBlocks)};
  }
  const unsigned clustersPerWave =
      options.blocksPerWave
          ? std::min(std::max(1u, options.blocksPerWave / kernel.clusterBlocks), clusters)
          : clusters;
  unsigned wave = 0;
  for (unsigned first = 0; first < clusters && !launch.stopped; first += clustersPerWave)
    runWave(launch, workers, first, std::min(clusters, first + clustersPerWave), wave++);

  for (size_t i = 0; i < kernel.tensors.size(); ++i)
    if (kernel.tensors[i].written)
      launch.operands[i]->copyBack(arguments.tensors[i]);
  return makeReport(launch, kernel, workers);
}

} // namespace tilec::emulator
