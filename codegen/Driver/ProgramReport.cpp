//===- ProgramReport.cpp - The report of a program --------------*- C++ -*-===//

#include "ProgramReport.h"

#include "tilec/Conversion/Program.h"
#include "tilec/Report/BuildRecord.h"
#include "tilec/Tile/Program.h"
#include "tilec/Transforms/ModuleTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

namespace {

/// What is told of one step.
struct Launch {
  std::string kernel;
  /// The program's names of what it is given.
  std::vector<std::string> operands;
  std::vector<std::pair<std::string, int64_t>> shape;
  std::optional<double> seconds;
  std::string limiter;
};

using Shape = std::vector<std::pair<std::string, int64_t>>;

} // namespace

static Launch analyzeStep(tile::RunOp run, const runtime::ProgramDescription &program, const runtime::ProgramStep &step, const std::vector<int64_t> &values, const MachineSpec &machine) {
  tile::KernelOp kernel = run.getKernelOp();
  Launch launch;
  launch.kernel = kernel.getSymName().str();
  llvm::SmallVector<int64_t> arguments(kernel.getNumArguments(), 0);
  for (const runtime::ProgramTensor &tensor : step.tensors) {
    size_t operands = program.arguments.tensors.size();
    launch.operands.push_back(tensor.array < operands ? program.arguments.tensors[tensor.array].name : program.arrays[tensor.array - operands].name);
  }
  const unsigned *value = step.sizes.data();
  for (mlir::BlockArgument argument : kernel.getBody().getArguments())
    if (argument.getType().isIndex()) {
      arguments[argument.getArgNumber()] = values[*value++];
      launch.shape.push_back({analysis::nameOf(argument), arguments[argument.getArgNumber()]});
    }
  // What does not fit the machine is an error of the kernel's own report.
  mlir::ScopedDiagnosticHandler quiet(kernel->getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  if (mlir::FailureOr<report::Analyses> analyses = report::analyzeKernel(kernel, arguments, machine); succeeded(analyses)) {
    launch.seconds = analyses->prediction.seconds;
    launch.limiter = analyses->prediction.limiter;
  }
  return launch;
}

static std::string printShape(const Shape &shape) {
  std::string text;
  for (const auto &[name, extent] : shape)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(extent);
  return text;
}

static llvm::json::Value toJson(const Shape &shape) {
  llvm::json::Object object;
  for (const auto &[name, extent] : shape)
    object[name] = extent;
  return llvm::json::Value(std::move(object));
}

static llvm::json::Value toJson(std::optional<double> number) { return number ? llvm::json::Value(*number) : llvm::json::Value(nullptr); }

static void print(CompiledProgram &program, const MachineSpec &machine, const Shape &shape, const std::vector<Launch> &launches,
                  const std::vector<std::pair<std::string, int64_t>> &workspaces) {
  std::optional<double> all = 0.0;
  llvm::json::Array launchesJson, arraysJson;
  std::string text = program.name + " on " + machine.name + (shape.empty() ? "" : ", " + printShape(shape)) + ": " + std::to_string(launches.size()) +
                     (launches.size() == 1 ? " launch" : " launches");
  std::string lines;
  llvm::raw_string_ostream stream(lines);
  stream << "  predicted us  limited by  launch\n";
  for (const Launch &launch : launches) {
    if (launch.seconds)
      stream << llvm::format("%14.1f  ", *launch.seconds * 1e6);
    else
      stream << "             -  ";
    stream << llvm::left_justify(launch.limiter, 10) << "  " << launch.kernel << "(" << llvm::join(launch.operands, ", ") << ")" << (launch.shape.empty() ? "" : ", " + printShape(launch.shape)) << "\n";
    all = all && launch.seconds ? std::optional(*all + *launch.seconds) : std::nullopt;
    launchesJson.push_back(llvm::json::Object{
        {"kernel", launch.kernel}, {"operands", llvm::json::Array(launch.operands)}, {"shape", toJson(launch.shape)}, {"predicted_seconds", toJson(launch.seconds)}, {"limiter", launch.limiter}});
  }
  if (all)
    stream << llvm::format("%14.1f  all launches\n", *all * 1e6);
  for (const auto &[name, bytes] : workspaces) {
    stream << "  workspace " << name << ": " << bytes << " bytes\n";
    arraysJson.push_back(llvm::json::Object{{"name", name}, {"bytes", bytes}});
  }
  program.reportText = text + "\n" + lines;
  llvm::json::Object json{{"program", program.name},   {"machine", machine.name},        {"shape", toJson(shape)},
                          {"launches", std::move(launchesJson)}, {"workspaces", std::move(arraysJson)}, {"predicted_seconds", toJson(all)},
                          {"measured", nullptr},       {"verify", nullptr}};
  program.reportJson = llvm::formatv("{0:2}", llvm::json::Value(std::move(json))).str();
}

/// The launches that these values of the program call for.
static std::vector<Launch> analyzeSteps(tile::ProgramOp op, const runtime::ProgramDescription &program, const std::vector<int64_t> &values, const MachineSpec &machine) {
  std::vector<Launch> launches;
  for (auto [run, step] : llvm::zip_equal(tile::listRuns(op), program.steps))
    if (runtime::isChosen(step, values))
      launches.push_back(analyzeStep(run, program, step, values, machine));
  return launches;
}

std::optional<double> tilec::predictTime(tile::ProgramOp op, const MachineSpec &machine) {
  mlir::FailureOr<runtime::ProgramDescription> program = describeProgram(op);
  if (failed(program))
    return std::nullopt;
  runtime::Result<std::vector<int64_t>> values = runtime::computeValues(*program, getSizeValues(op));
  if (!values)
    return std::nullopt;
  std::optional<double> all = 0.0;
  for (const Launch &launch : analyzeSteps(op, *program, *values, machine))
    all = all && launch.seconds ? std::optional(*all + *launch.seconds) : std::nullopt;
  return all;
}

static mlir::LogicalResult describe(tile::ProgramOp op, const MachineSpec &machine, CompiledProgram &program) {
  mlir::FailureOr<runtime::ProgramDescription> launch = describeProgram(op);
  if (failed(launch))
    return mlir::failure();
  program.name = op.getSymName().str();
  program.launch = std::move(*launch);
  std::vector<int64_t> sizes = getSizeValues(op);
  runtime::Result<std::vector<int64_t>> values = runtime::computeValues(program.launch, sizes);
  if (!values)
    return op.emitError() << values.message();
  runtime::Result<std::vector<runtime::ArrayLayout>> arrays = runtime::layOutArrays(program.launch, *values);
  if (!arrays)
    return op.emitError() << arrays.message();
  std::vector<Launch> launches = analyzeSteps(op, program.launch, *values, machine);
  std::vector<std::pair<std::string, int64_t>> workspaces;
  for (auto [layout, array] : llvm::zip_equal(*arrays, program.launch.arrays))
    if (runtime::isChosen(array, *values))
      workspaces.push_back({array.name, *runtime::spanBytes(array.type, layout.shape, layout.strides)});
  Shape shape;
  for (auto [size, value] : llvm::zip_equal(program.launch.arguments.sizes, sizes))
    shape.push_back({size.name, value});
  print(program, machine, shape, launches, workspaces);
  return mlir::success();
}

mlir::FailureOr<std::vector<CompiledProgram>> tilec::describePrograms(mlir::ModuleOp module, const MachineSpec &machine) {
  std::vector<CompiledProgram> programs;
  for (auto op : module.getOps<tile::ProgramOp>())
    if (failed(describe(op, machine, programs.emplace_back())))
      return mlir::failure();
  return programs;
}
