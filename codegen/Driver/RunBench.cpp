//===- RunBench.cpp - Timing a kernel on the GPU -----------------*- C++ -*-===//
//
// Full-entropy data, L2 flushed before each run, warm-up in front.
//
//===----------------------------------------------------------------------===//

#include "RunBench.h"

#include "RunVerify.h"
#include "tilec/Runtime/Bench.h"
#include "tilec/Runtime/CublasLt.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using namespace tilec::runtime;

namespace {

/// m, n and k where the first two tensors and the last one fit a product, A (m, k) or turned (k, m), B (k, n) or turned (n, k), C (m, n), whatever else
/// the kernel reads; 0 each where they do not.
struct Extents {
  int64_t m = 0, n = 0, k = 0;
  bool turnedA = false, turnedB = false;
};

class Bench {
public:
  Bench(const RunPlan &plan, const Launched &launched, const RunOptions &options, bool isProduct, RunResult &result)
      : plan(plan), launched(launched), kernel(launched.arguments), options(options), isProduct(isProduct), result(result) {}

  MaybeError run();

private:
  Extents findProduct() const;
  Result<Launchable> makeRival(Stream &stream, uint64_t freeC) const;
  float findScalar(llvm::StringRef name, float otherwise) const;
  void addLine(const Timing &timing, const std::string &more);
  llvm::json::Object describe(const Timing &timing) const;
  double countBytes() const;

  const RunPlan &plan;
  const Launched &launched;
  const KernelDescription &kernel;
  const RunOptions &options;
  bool isProduct;
  RunResult &result;
  DeviceTensors copies;
  std::string rivalVersion;
  /// 2 m n k, or 0.
  double operations = 0;
};

} // namespace

Extents Bench::findProduct() const {
  const size_t c = plan.tensors.size() - 1;
  auto isMatrix = [&](size_t tensor) { return kernel.tensors[tensor].shape.size() == 2; };
  if (plan.tensors.size() < 3 || !kernel.tensors[c].written || !isMatrix(0) || !isMatrix(1) || !isMatrix(c))
    return {};
  auto extentOf = [&](size_t tensor, bool second) { return plan.tensors[tensor].shape[second]; };
  // Extents of one size argument are the same by name; numbers, and sizes that happen to be equal, by value.
  auto areSame = [&](size_t x, bool xSecond, size_t y, bool ySecond, bool byName) {
    const Extent &one = kernel.tensors[x].shape[xSecond], &other = kernel.tensors[y].shape[ySecond];
    return byName && one.size && other.size ? one.size == other.size : extentOf(x, xSecond) == extentOf(y, ySecond);
  };
  for (bool byName : {true, false})
    for (auto [turnedA, turnedB] : {std::pair(false, false), {false, true}, {true, false}, {true, true}})
      if (areSame(0, turnedA, c, false, byName) && areSame(1, !turnedB, c, true, byName) && areSame(0, !turnedA, 1, turnedB, byName))
        return {extentOf(c, false), extentOf(c, true), extentOf(0, !turnedA), turnedA, turnedB};
  return {};
}

float Bench::findScalar(llvm::StringRef name, float otherwise) const {
  for (size_t i = 0; i < kernel.scalars.size(); ++i)
    if (name.equals_insensitive(kernel.scalars[i].name))
      return float(plan.scalars[i]);
  return otherwise;
}

Result<Launchable> Bench::makeRival(Stream &stream, uint64_t freeC) const {
  Extents extents = findProduct();
  if (extents.m == 0 || kernel.tensors[0].type != kernel.tensors[1].type)
    return Error{"cublas multiplies operands of shapes (m, k) or (k, m), (k, n) or (n, k), and (m, n), which '" + kernel.symbol + "' does not have"};
  Result<CublasLt> cublas = CublasLt::open(launched.device, cudaSearchOfProcess(options.cudaPath));
  if (!cublas)
    return cublas.error();
  GemmProblem problem;
  problem.m = extents.m;
  problem.n = extents.n;
  problem.k = extents.k;
  problem.inputType = kernel.tensors[0].type;
  problem.outputType = kernel.tensors.back().type;
  DeviceMatrix *matrices[] = {&problem.a, &problem.b, &problem.c};
  for (size_t i = 0; i < 3; ++i) {
    const TensorBinding &binding = i < 2 ? copies.arguments.tensors[i] : copies.arguments.tensors.back();
    bool turned = (i == 0 && extents.turnedA) || (i == 1 && extents.turnedB);
    *matrices[i] = {binding.address, binding.strides[turned], binding.strides[!turned]};
  }
  problem.c.address = freeC;
  problem.alpha = findScalar("alpha", 1);
  problem.beta = findScalar("beta", 0);
  return cublas->fastest(problem, stream);
}

/// Bytes of all operands, each read and written once as the kernel does.
double Bench::countBytes() const {
  double bytes = 0;
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    double elements = 1;
    for (int64_t extent : plan.tensors[i].shape)
      elements *= double(extent);
    bytes += elements * byteWidth(kernel.tensors[i].type) * (int(kernel.tensors[i].read) + int(kernel.tensors[i].written));
  }
  return bytes;
}

llvm::json::Object Bench::describe(const Timing &timing) const {
  double seconds = timing.median() * 1e-6;
  return llvm::json::Object{{"name", timing.name},
                            {"seconds", seconds},
                            {"smallest_seconds", timing.smallest() * 1e-6},
                            {"tflops", operations > 0 ? llvm::json::Value(operations / seconds * 1e-12) : nullptr},
                            {"gbytes_per_second", countBytes() / seconds * 1e-9}};
}

void Bench::addLine(const Timing &timing, const std::string &more) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  double seconds = timing.median() * 1e-6;
  stream << timing.name << llvm::format(": %.1f us median of %zu, ", timing.median(), timing.microseconds.size());
  if (operations > 0)
    stream << llvm::format("%.1f TFLOP/s", operations / seconds * 1e-12);
  else
    stream << llvm::format("%.0f GB/s", countBytes() / seconds * 1e-9);
  result.lines.push_back(text + more);
}

MaybeError Bench::run() {
  Result<uint32_t> tiles = countTiles(kernel, plan.sizes);
  if (!tiles)
    return tiles.error();
  if (*tiles == 0)
    return Error{"there is nothing to time: the grid is empty for this shape"};
  Extents extents = findProduct();
  if (isProduct || options.againstCublas)
    operations = 2.0 * double(extents.m) * double(extents.n) * double(extents.k);
  Result<std::vector<HostTensor>> tensors = createTensors(kernel, plan);
  if (!tensors)
    return tensors.error();
  if (MaybeError error = fillForUse(kernel, plan, options.seed, *tensors))
    return error;
  Result<Stream> stream = launched.device.createStream();
  if (!stream)
    return stream.error();
  Result<DeviceTensors> created = DeviceTensors::create(launched.device, *stream, *tensors, plan);
  if (!created)
    return created.error();
  copies = std::move(*created);

  std::vector<Launchable> candidates = {
      {kernel.symbol, [this](Stream &where) { return launched.launch(copies.arguments, where); }}};
  // The rival writes a C of its own, with the same strides.
  std::optional<DeviceBuffer> rivalC;
  if (options.againstCublas) {
    const HostTensor &output = tensors->back();
    Result<DeviceBuffer> buffer = launched.device.allocate(output.bytes().size(), *stream);
    if (!buffer)
      return buffer.error();
    rivalC.emplace(std::move(*buffer));
    if (MaybeError error = stream->copyToDevice(*rivalC, 0, output.bytes().data(), output.bytes().size()))
      return error;
    Result<Launchable> rival = makeRival(*stream, rivalC->address() + uint64_t(output.dataOffset()));
    if (!rival)
      return rival.error();
    candidates.push_back(std::move(*rival));
  }
  BenchOptions how;
  how.repetitions = options.benchRepetitions;
  how.warmUpSeconds = options.warmUpSeconds;
  Result<std::vector<Timing>> timings = benchmark(launched.device, *stream, candidates, how);
  if (!timings)
    return timings.error();

  const Timing &own = timings->front();
  result.medianSeconds = own.median() * 1e-6;
  llvm::json::Object measured = describe(own);
  measured["device"] = launched.device.properties().name;
  measured["arch"] = launched.arch;
  measured["repetitions"] = int64_t(own.microseconds.size());
  measured["registers"] = launched.registers;
  measured["against"] = nullptr;
  std::string share;
  if (timings->size() > 1) {
    double ratio = timings->back().median() / own.median();
    llvm::raw_string_ostream(share) << llvm::format(", %.3f of cublas", ratio);
    llvm::json::Object rival = describe(timings->back());
    rival["share"] = ratio;
    measured["against"] = std::move(rival);
  }
  addLine(own, share);
  if (timings->size() > 1)
    addLine(timings->back(), "");
  llvm::raw_string_ostream(result.measuredJson = "") << llvm::json::Value(std::move(measured));
  return std::nullopt;
}

void tilec::benchmarkLaunch(const RunPlan &plan, const Launched &launched, const RunOptions &options, bool isProduct, RunResult &result) {
  if (MaybeError error = Bench(plan, launched, options, isProduct, result).run()) {
    result.status = Status::Rejected;
    result.lines.push_back(error->message);
  }
}
