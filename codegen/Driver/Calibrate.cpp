//===- Calibrate.cpp - The machine that is present, measured -----*- C++ -*-===//
//
// Every figure is a difference of two launches that differ in nothing but the amount of work, so that what a launch costs, and what
// caches hold at its start, cancels.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Calibrate.h"

#include "CalibrationKernels.h"
#include "Parse.h"
#include "Target.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "tilec/CUDA/PrintCUDA.h"
#include "tilec/Machine/Targets.h"
#include "tilec/NVRTC/Compiler.h"
#include "tilec/Runtime/Bench.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <numeric>
#include <random>

using namespace tilec;
using runtime::Result;

namespace {

/// What a kernel is asked to do.
struct Work {
  std::vector<int64_t> sizes;
  /// Shapes of its operands, dense.
  std::vector<std::vector<int64_t>> shapes;
  /// One after the other.
  int launches = 1;
};

class Calibration {
public:
  Calibration(runtime::Device device, runtime::Stream stream, MachineSpec machine, const CalibrateOptions &options)
      : device(std::move(device)), stream(std::move(stream)), machine(std::move(machine)), options(options) {}

  runtime::MaybeError run();

  /// In the order in which they were measured.
  std::vector<StatedNumber> measured;

private:
  runtime::MaybeError measureLaunch();
  runtime::MaybeError measureDram();
  runtime::MaybeError measureL2();
  runtime::MaybeError measureLatency(const char *path, int64_t bytes, int64_t few, int64_t many, bool flush);
  runtime::MaybeError measureRate(const char *kernel, MathType type, int64_t side);
  runtime::MaybeError measureStores();

  Result<runtime::Kernel> loadNest(llvm::StringRef name);
  /// Kernel IR, launched with one thread.
  Result<runtime::Kernel> loadChase();
  Result<std::vector<runtime::DeviceBuffer>> allocate(const runtime::Kernel &kernel, const Work &most);
  /// Microseconds of all launches: the median of several.
  Result<double> time(const runtime::Kernel &kernel, const Work &work, const std::vector<runtime::DeviceBuffer> &buffers, bool flush);
  /// Of the second launch more than of the first.
  Result<double> timeMore(const runtime::Kernel &kernel, const Work &few, const Work &many, bool flush);
  double cyclesOf(double microseconds) const { return microseconds * machine.boostClock.value * 1e3; }
  void state(const std::string &path, double value, const std::string &how);

  runtime::Device device;
  runtime::Stream stream;
  MachineSpec machine;
  const CalibrateOptions &options;
};

} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Result<runtime::Kernel> Calibration::loadNest(llvm::StringRef name) {
  CompileOptions compiling;
  compiling.target = "native";
  compiling.cudaPath = options.cudaPath;
  std::string why;
  compiling.onDiagnostic = [&](const Diagnostic &diagnostic) {
    if (diagnostic.severity == Severity::Error && why.empty())
      why = diagnostic.message;
  };
  CompileResult compiled = compile(getCalibrationKernel(name).str(), name.str() + ".mlir", compiling);
  if (compiled.status != Status::Done || compiled.kernels.empty())
    return runtime::Error{"'" + name.str() + "' does not compile: " + why};
  return device.load(compiled.kernels[0].cubin, compiled.kernels[0].launch);
}

/// What a launch of calibration/chase.mlir takes.
static runtime::KernelDescription describeChase(const std::string &symbol) {
  runtime::KernelDescription description;
  description.symbol = symbol;
  for (bool isRead : {true, false}) {
    runtime::TensorArgument tensor;
    tensor.name = isRead ? "next" : "last";
    tensor.type = runtime::ElementType::S32;
    (isRead ? tensor.read : tensor.written) = true;
    tensor.shape = {isRead ? runtime::Extent::argument(0) : runtime::Extent::constant(1)};
    tensor.strides = {runtime::Stride::constant(1)};
    description.tensors.push_back(tensor);
  }
  description.sizes = {{"N"}};
  description.parameters = {runtime::Parameter::tensorBase(0), runtime::Parameter::tensorBase(1), runtime::Parameter::size(0)};
  return description;
}

Result<runtime::Kernel> Calibration::loadChase() {
  mlir::MLIRContext context(nestDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(getCalibrationKernel("chase"), &context, "chase.mlir");
  if (!module)
    return runtime::Error{"the kernel that follows a list cannot be read"};
  kernel::FuncOp function = *module->getOps<kernel::FuncOp>().begin();
  PrintOptions printing;
  printing.symbol = function.getName().str();
  mlir::FailureOr<PrintedKernel> printed = printCUDA(function, printing);
  if (failed(printed))
    return runtime::Error{"the kernel that follows a list has no text"};
  Result<nvrtc::Compiler> compiler = nvrtc::Compiler::open(runtime::cudaSearchOfProcess(options.cudaPath));
  if (!compiler)
    return compiler.error();
  nvrtc::CompileOutput output = compiler->compile(printed->text, "chase.cu", machine.arch, {});
  if (!output.ok)
    return runtime::Error{"the kernel that follows a list does not compile: " + output.log};
  return device.load(output.cubin, describeChase(printing.symbol));
}

Result<std::vector<runtime::DeviceBuffer>> Calibration::allocate(const runtime::Kernel &kernel, const Work &most) {
  std::vector<runtime::DeviceBuffer> buffers;
  for (auto [tensor, shape] : llvm::zip_equal(kernel.description().tensors, most.shapes)) {
    size_t elements = std::accumulate(shape.begin(), shape.end(), size_t(1), std::multiplies<>());
    Result<runtime::DeviceBuffer> buffer = device.allocate(elements * runtime::byteWidth(tensor.type), stream);
    if (!buffer)
      return buffer.error();
    if (runtime::MaybeError error = stream.fill(*buffer, 0))
      return *error;
    buffers.push_back(std::move(*buffer));
  }
  return Result<std::vector<runtime::DeviceBuffer>>(std::move(buffers));
}

Result<double> Calibration::time(const runtime::Kernel &kernel, const Work &work, const std::vector<runtime::DeviceBuffer> &buffers, bool flush) {
  runtime::LaunchArguments arguments;
  arguments.sizes = work.sizes;
  for (auto [buffer, shape] : llvm::zip_equal(buffers, work.shapes)) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t dim = shape.size(); dim-- > 1;)
      strides[dim - 1] = strides[dim] * shape[dim];
    arguments.tensors.push_back({buffer.address(), strides});
  }
  constexpr unsigned kRepetitions = 9;
  constexpr double kWarmUp = 0.1;
  runtime::BenchOptions how;
  how.repetitions = kRepetitions;
  how.warmUpSeconds = kWarmUp;
  how.flushL2 = flush;
  auto launch = [&](runtime::Stream &queue) -> runtime::MaybeError {
    for (int i = 0; i < work.launches; ++i)
      if (runtime::MaybeError error = kernel.launch(arguments, queue))
        return error;
    return std::nullopt;
  };
  Result<std::vector<runtime::Timing>> timed = runtime::benchmark(device, stream, {{"kernel", launch}}, how);
  if (!timed)
    return timed.error();
  return timed->front().median();
}

Result<double> Calibration::timeMore(const runtime::Kernel &kernel, const Work &few, const Work &many, bool flush) {
  Result<std::vector<runtime::DeviceBuffer>> buffers = allocate(kernel, many);
  if (!buffers)
    return buffers.error();
  Result<double> first = time(kernel, few, *buffers, flush);
  if (!first)
    return first;
  Result<double> second = time(kernel, many, *buffers, flush);
  if (second && *second <= *first)
    return runtime::Error{"'" + kernel.description().symbol + "' takes no longer where it does more: is the device busy with something else?"};
  return second ? Result<double>(*second - *first) : second;
}

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

void Calibration::state(const std::string &path, double value, const std::string &how) {
  std::optional<StatedNumber> known = findNumber(machine, path);
  measured.push_back({path, known ? known->unit : "", "measured by tilec calibrate: " + how, value});
}

static std::string format(const char *form, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(form, value);
  return text;
}

runtime::MaybeError Calibration::measureLaunch() {
  Result<runtime::Kernel> kernel = loadNest("copy");
  if (!kernel)
    return kernel.error();
  // What comes first waits for a stream's mark as well, 5 us and more; of several each waits for the one before it alone, where all have been asked
  // for while L2 was flushed.
  constexpr int kMore = 6;
  Work one{{4}, {{4}, {4}}}, many{{4}, {{4}, {4}}, 1 + kMore};
  Result<double> more = timeMore(*kernel, one, many, /*flush=*/true);
  if (!more)
    return more.error();
  state("costs.launch", *more / kMore, "copies of 16 bytes, one after the other in a stream");
  return std::nullopt;
}

runtime::MaybeError Calibration::measureDram() {
  Result<runtime::Kernel> kernel = loadNest("copy");
  if (!kernel)
    return kernel.error();
  constexpr int64_t kLeast = int64_t(1) << 26;
  int64_t few = std::max<int64_t>(kLeast, llvm::PowerOf2Ceil(machine.level(MemoryLevel::L2).capacity->value));
  auto work = [](int64_t n) { return Work{{n}, {{n}, {n}}}; };
  Result<double> more = timeMore(*kernel, work(few), work(2 * few), /*flush=*/true);
  if (!more)
    return more.error();
  double rate = double(few) * 2 * sizeof(float) / *more * 1e-3; // GB/s: read and written.
  state("levels.dram.sustained", std::min(1.0, rate / machine.level(MemoryLevel::Dram).bandwidth->value), format("a copy, %.0f GB/s read and written", rate));
  return std::nullopt;
}

runtime::MaybeError Calibration::measureL2() {
  Result<runtime::Kernel> kernel = loadNest("reread");
  if (!kernel)
    return kernel.error();
  // Rows that together take a third of L2, which may keep each line twice.
  constexpr int64_t kRow = 16384, kFew = 24;
  int64_t rows = std::max<int64_t>(1, machine.level(MemoryLevel::L2).capacity->value / 3 / (kRow * int64_t(sizeof(float))));
  auto work = [&](int64_t times) { return Work{{times, rows, kRow}, {{rows, kRow}, {times, rows}}}; };
  Result<double> more = timeMore(*kernel, work(kFew), work(3 * kFew), /*flush=*/false);
  if (!more)
    return more.error();
  double bytes = double(2 * kFew * rows * kRow) * sizeof(float);
  state("levels.l2.bandwidth", bytes / cyclesOf(*more), format("rows read again and again by all SMs, %.0f GB/s", bytes / *more * 1e-3));
  return std::nullopt;
}

/// A list that visits each line of `lines` once, in random order.
static std::vector<int32_t> makeList(int64_t lines, int64_t perLine) {
  std::vector<int32_t> order(lines), next(lines * perLine, 0);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  for (int64_t i = 0; i < lines; ++i)
    next[order[i] * perLine] = int32_t(order[(i + 1) % lines] * perLine);
  return next;
}

runtime::MaybeError Calibration::measureLatency(const char *path, int64_t bytes, int64_t few, int64_t many, bool flush) {
  Result<runtime::Kernel> kernel = loadChase();
  if (!kernel)
    return kernel.error();
  int64_t line = machine.limits.lineBytes.value;
  std::vector<int32_t> next = makeList(bytes / line, line / int64_t(sizeof(int32_t)));
  auto work = [&](int64_t steps) { return Work{{steps}, {{int64_t(next.size())}, {1}}}; };
  Result<std::vector<runtime::DeviceBuffer>> buffers = allocate(*kernel, work(many));
  if (!buffers)
    return buffers.error();
  if (runtime::MaybeError error = stream.copyToDevice(buffers->front(), 0, next.data(), next.size() * sizeof(int32_t)))
    return error;
  Result<double> first = time(*kernel, work(few), *buffers, flush), second = time(*kernel, work(many), *buffers, flush);
  if (!first || !second)
    return first ? second.error() : first.error();
  double cycles = cyclesOf(*second - *first) / double(many - few);
  state(path, cycles, "one thread follows a list over " + std::to_string(bytes >> 20) + " MiB");
  return std::nullopt;
}

/// Each of `side` elements with each other; rates of units are powers of two, so a tenth below one is that one.
runtime::MaybeError Calibration::measureRate(const char *name, MathType type, int64_t side) {
  Result<runtime::Kernel> kernel = loadNest(name);
  if (!kernel)
    return kernel.error();
  Result<int> resident = kernel->blocksPerSM();
  if (!resident)
    return resident.error();
  constexpr int64_t kThreads = 256, kSteps = 512, kFew = 16;
  constexpr double kBelow = 0.9;
  int64_t threads = kThreads * machine.sms.value * *resident;
  auto work = [&](int64_t waves) { return Work{{waves * threads * side}, {{2 * side}, {waves * threads * side, side}}}; };
  Result<double> more = timeMore(*kernel, work(kFew), work(4 * kFew), /*flush=*/false);
  if (!more)
    return more.error();
  double rate = double(threads) * double(3 * kFew * kSteps * side * side) / cyclesOf(*more) / double(machine.sms.value);
  double whole = std::exp2(std::round(std::log2(rate)));
  bool isWhole = rate >= kBelow * whole && rate <= whole / kBelow;
  state(std::string("units.fma.") + toString(type) + ".rate", isWhole ? whole : rate, format("%.1f FMA a cycle of an SM in registers", rate));
  return std::nullopt;
}

runtime::MaybeError Calibration::measureStores() {
  Result<runtime::Kernel> kernel = loadNest("scatter");
  if (!kernel)
    return kernel.error();
  constexpr int64_t kRows = 8192, kColumns = 2048;
  auto work = [](int64_t columns) { return Work{{kRows, columns}, {{kRows, columns}, {columns, kRows}}}; };
  Result<double> more = timeMore(*kernel, work(kColumns), work(2 * kColumns), /*flush=*/true);
  if (!more)
    return more.error();
  state("costs.store_line", cyclesOf(*more) * double(machine.sms.value) / double(kRows * kColumns), "a transpose whose stores touch a line for each element");
  return std::nullopt;
}

runtime::MaybeError Calibration::run() {
  int64_t l2 = machine.level(MemoryLevel::L2).capacity->value;
  // Out of reach of L1, and well within what L2 keeps near; and many times L2, of which a launch sees lines that it has not seen.
  constexpr int64_t kNear = int64_t(1) << 22, kNearSteps = kNear / 128, kFarSteps = 20000;
  struct Step {
    const char *what;
    std::function<runtime::MaybeError()> measure;
  };
  const Step steps[] = {
      {"the bandwidth of DRAM", [&] { return measureDram(); }},
      {"the bandwidth of L2", [&] { return measureL2(); }},
      {"the latency of L2", [&] { return measureLatency("levels.l2.latency", std::min(kNear, l2 / 2), kNearSteps, 3 * kNearSteps, false); }},
      {"the latency of DRAM", [&] { return measureLatency("levels.dram.latency", 6 * l2, kFarSteps, 3 * kFarSteps, true); }},
      {"multiplications in f32", [&] { return measureRate("fma_f32", MathType::F32, 8); }},
      {"multiplications in f64", [&] { return measureRate("fma_f64", MathType::F64, 4); }},
      {"stores of single elements", [&] { return measureStores(); }},
      // Last: a GPU that has idled runs at a fraction of its clock.
      {"what a launch takes", [&] { return measureLaunch(); }},
  };
  for (const Step &step : steps) {
    if (options.onProgress)
      options.onProgress(step.what);
    if (runtime::MaybeError error = step.measure())
      return runtime::Error{std::string(step.what) + ": " + error->message};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

static std::string makeTable(const std::vector<StatedNumber> &measured, const MachineSpec &known, const std::string &base) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%-24s %10s %10s  %s\n", "number", "measured", base.c_str(), "unit");
  for (const StatedNumber &number : measured) {
    std::optional<StatedNumber> before = findNumber(known, number.path);
    os << llvm::format("%-24s %10.4g %10s  %s\n", number.path.c_str(), number.value, before ? format("%.4g", before->value).c_str() : "-",
                       number.unit.c_str());
  }
  return text;
}

CalibrateResult tilec::calibrate(const CalibrateOptions &options) {
  CalibrateResult result;
  auto fail = [&](Status status, const std::string &why) {
    result.status = status;
    result.error = why;
    return result;
  };
  Result<runtime::Device> device = runtime::Device::open(runtime::cudaSearchOfProcess(options.cudaPath));
  if (!device)
    return fail(Status::Missing, device.message());
  DeviceProperties properties = forMachineModel(device->properties());
  TargetResult native = fromDeviceProperties(properties);
  std::optional<std::string> base = findNearestMachine(properties);
  if (!native || !base)
    return fail(Status::Rejected, native.error);
  Result<runtime::Stream> stream = device->createStream();
  if (!stream)
    return fail(Status::Missing, stream.message());
  Calibration calibration(*device, std::move(*stream), *native.spec, options);
  if (runtime::MaybeError error = calibration.run())
    return fail(Status::Wrong, error->message);
  std::vector<StatedNumber> numbers;
  for (const StatedNumber &number : listNumbers(*native.spec))
    if (llvm::StringRef(number.source).starts_with("driver: "))
      numbers.push_back(number);
  numbers.insert(numbers.end(), calibration.measured.begin(), calibration.measured.end());
  result.file = writeMachineFile(options.name, properties.name, *base, numbers);
  // What cannot be read back would be a surprise later.
  if (TargetResult read = parseTarget(result.file, options.name + ".yaml"); !read)
    return fail(Status::Wrong, "the measured machine is no machine: " + read.error);
  result.table = makeTable(calibration.measured, *native.spec, *base);
  result.status = Status::Done;
  return result;
}
