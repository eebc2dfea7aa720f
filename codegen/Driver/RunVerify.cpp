//===- RunVerify.cpp - Holding a kernel against its nest ---------*- C++ -*-===//
//
// Two runs: integers, in rows with gaps between them; then random numbers, or the
// user's files, as the plan lays them out. Equality is asked for wherever nothing
// rounds, elsewhere the error bound that follows from the values that occur.
//
//===----------------------------------------------------------------------===//

#include "RunVerify.h"

#include "tilec/Runtime/Compare.h"
#include "tilec/Runtime/Fill.h"
#include "tilec/Runtime/Npy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tilec;
using namespace tilec::runtime;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void tilec::poison(HostTensor &tensor) {
  fillConstant(tensor, isFloatingPoint(tensor.type()) ? std::numeric_limits<double>::quiet_NaN() : -77);
}

/// Different values in each tensor.
static uint64_t getSeed(uint64_t seed, size_t tensor) { return seed * 1000003 + tensor; }

void tilec::fillWithIntegers(const KernelDescription &kernel, const RunPlan &plan, size_t number, uint64_t seed, HostTensor &tensor) {
  // Sums of products of such numbers are exact in f32 for a few thousand of them.
  constexpr double kSmall = 64;
  auto isSmall = [](double value) { return std::trunc(value) == value && std::fabs(value) <= kSmall; };
  bool isIndex = tensor.type() == ElementType::S32 || tensor.type() == ElementType::S64;
  bool isLoaded = !plan.tensors[number].file.empty() && !loadNpy(plan.tensors[number].file, tensor);
  if (!isLoaded || !(isIndex || llvm::all_of(tensor.toDoubles(), isSmall)))
    fillWhole(kernel, number, plan.sizes, seed, tensor);
}

MaybeError tilec::fillForUse(const KernelDescription &kernel, const RunPlan &plan, uint64_t seed, std::vector<HostTensor> &tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!plan.tensors[i].file.empty()) {
      if (MaybeError error = loadNpy(plan.tensors[i].file, tensors[i]))
        return Error{"--arg " + kernel.tensors[i].name + ": " + error->message};
    } else if (!kernel.tensors[i].read) {
      poison(tensors[i]);
    } else if (!kernel.tensors[i].numbered.empty()) {
      fillWhole(kernel, i, plan.sizes, getSeed(seed, i), tensors[i]);
    } else {
      fillUniform(tensors[i], getSeed(seed, i));
    }
  }
  return std::nullopt;
}

void tilec::saveTensors(const KernelDescription &kernel, const RunOptions &options, const std::vector<HostTensor> &tensors, RunResult &result) {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (options.saves.count(kernel.tensors[i].name))
      result.saved[kernel.tensors[i].name] = printNpy(tensors[i]);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

bool Verifier::fail(Status status, const std::string &message) {
  result.status = status;
  llvm::StringRef rest = message;
  while (!rest.empty()) {
    auto [line, after] = rest.split('\n');
    result.lines.push_back(line.str());
    rest = after;
  }
  return false;
}

bool Verifier::evaluate(int64_t mostBlocks) {
  Result<Expected> evaluated = reference.evaluate(plan, tensors, mostBlocks);
  if (!evaluated)
    return fail(Status::Rejected, evaluated.message());
  expected = std::move(*evaluated);
  return true;
}

bool Verifier::create(const RunPlan &from) {
  tensors.clear(); // Their memory comes back first.
  Result<std::vector<HostTensor>> created = createTensors(kernel, from);
  if (!created)
    return fail(Status::Rejected, created.message());
  tensors = std::move(*created);
  return true;
}

/// Runs the kernel and makes sure that it wrote only what it may write.
bool Verifier::execute(const RunPlan &laidOut) {
  std::vector<std::vector<unsigned char>> before(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!kernel.tensors[i].written)
      before[i] = tensors[i].bytes();
  Execution execution = executor.execute(tensors, laidOut);
  if (execution.status != Status::Done)
    return fail(execution.status, execution.message);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string &name = kernel.tensors[i].name;
    if (MaybeError error = tensors[i].checkGuards(name))
      return fail(Status::Wrong, error->message);
    if (!kernel.tensors[i].written && before[i] != tensors[i].bytes())
      return fail(Status::Wrong, "operand " + name + ", which is only read, was changed");
  }
  return true;
}

bool Verifier::storesNaN() const {
  for (const ExpectedTensor &tensor : expected.tensors)
    for (size_t i = 0; i < tensor.values.size(); ++i)
      if (tensor.stored[i] && std::isnan(tensor.values[i]))
        return true;
  return false;
}

void Verifier::fill(uint64_t seed, bool poisonUpdated) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorArgument &argument = kernel.tensors[i];
    if (!argument.read || (poisonUpdated && argument.written && isFloatingPoint(argument.type)))
      poison(tensors[i]);
    else
      fillWithIntegers(kernel, plan, i, getSeed(seed, i), tensors[i]);
  }
}

bool Verifier::checkIntegers() {
  const RunPlan gapped = addGaps(kernel, options, plan);
  if (!create(gapped))
    return false;
  // With NaN in the operands that are updated too: where the nest's result does
  // not depend on them (beta = 0), the kernel's must not either. One block tells.
  fill(options.seed, true);
  if (!evaluate(1))
    return false;
  fill(options.seed, !storesNaN());
  if (!evaluate())
    return false;
  return execute(gapped) && compare("integers");
}

bool Verifier::checkReals() {
  if (!create(plan))
    return false;
  if (MaybeError error = fillForUse(kernel, plan, options.seed + 1, tensors))
    return fail(Status::Rejected, error->message);
  bool files = llvm::any_of(plan.tensors, [](const TensorPlan &tensor) { return !tensor.file.empty(); });
  if (files)
    equal.clear();
  return evaluate() && execute(plan) && compare(files ? "files" : "random");
}

static std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

/// The median of the sizes of what is stored, zeros left out; 0 where there is nothing.
static double getTypicalSize(const ExpectedTensor &tensor) {
  std::vector<double> sizes;
  for (size_t i = 0; i < tensor.values.size(); ++i)
    if (tensor.stored[i] && tensor.values[i] != 0 && std::isfinite(tensor.values[i]))
      sizes.push_back(std::fabs(tensor.values[i]));
  if (sizes.empty())
    return 0;
  auto middle = sizes.begin() + sizes.size() / 2;
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

/// A bound that lets a zero pass for the element, and for most others too, tells nothing: it is to be at most half of
/// the element or of the tensor's median.
Unchecked Verifier::findUnchecked(const ExpectedTensor &tensor) const {
  Unchecked unchecked;
  double typical = getTypicalSize(tensor);
  for (size_t i = 0; i < tensor.values.size(); ++i) {
    double bound = tensor.bounds[i], size = std::fabs(tensor.values[i]);
    if (!tensor.stored[i] || bound == 0 || (std::isfinite(bound) && bound <= 0.5 * (size < typical ? typical : size)))
      continue;
    if (unchecked.count++ == 0)
      unchecked.first = describeElement(kernel.tensors[tensor.tensor].name, plan.tensors[tensor.tensor].shape, int64_t(i)) +
                        (std::isfinite(bound) ? " = " + number(tensor.values[i]) + " may be off by " + number(bound)
                                              : ", expected " + number(tensor.values[i]) + ", may be anything");
  }
  return unchecked;
}

bool Verifier::compareTensor(const char *name, ExpectedTensor &tensor) {
  const HostTensor &actual = tensors[tensor.tensor];
  bool isIntegers = llvm::StringRef(name) == "integers";
  const std::string &tensorName = kernel.tensors[tensor.tensor].name;
  bool sampled = expected.blocksChecked < expected.blocks;
  Unchecked noCheck = findUnchecked(tensor);
  bool areWhole = !tensor.integers.empty();
  std::vector<double> actualValues = actual.toDoubles();
  std::vector<int64_t> actualIntegers = areWhole ? actual.toIntegers() : std::vector<int64_t>();
  int64_t known = int64_t(tensor.values.size()), rounding = 0;
  for (size_t i = 0; i < actualValues.size(); ++i) {
    // What other blocks store is not known, nor what has no bound: take the kernel's word.
    bool unknown = !std::isfinite(tensor.bounds[i]);
    if (unknown || (sampled && !tensor.stored[i])) {
      tensor.values[i] = actualValues[i];
      if (areWhole)
        tensor.integers[i] = actualIntegers[i];
      tensor.bounds[i] = 0;
      --known;
    }
    rounding += tensor.bounds[i] != 0;
  }
  ZeroSigns zeros = expected.adds ? ZeroSigns::Free : ZeroSigns::Count;
  Result<Comparison> comparison = areWhole ? compareIntegers(actual, tensor.integers) : compareWithin(actual, tensor.values, tensor.bounds, zeros);
  if (!comparison)
    return fail(Status::Rejected, comparison.message());
  comparison->elements = known;
  bool none = known == 0 && !tensor.values.empty();
  std::string text = std::string(name) + ": " + (none ? "no element of " + tensorName + " was compared" : runtime::describe(*comparison, tensorName));
  bool bitwise = rounding == 0 && noCheck.count == 0;
  if (rounding != 0 && !none && comparison->equal()) {
    llvm::raw_string_ostream stream(text);
    stream << llvm::format(", %.2g of the bound", comparison->maxErrorOverBound);
    if (isIntegers)
      stream << " (" << rounding << " of them within rounding errors only)";
  }
  if (sampled)
    text += " (" + std::to_string(expected.blocksChecked) + " of " + std::to_string(expected.blocks) + " blocks compared)";
  result.lines.push_back(text);
  checks.push_back(llvm::json::Object{{"values", name},
                                      {"operand", tensorName},
                                      {"bitwise", bitwise},
                                      {"elements", comparison->elements},
                                      {"mismatches", comparison->mismatches},
                                      {"max_error", std::isfinite(comparison->maxError) ? llvm::json::Value(comparison->maxError) : nullptr},
                                      {"blocks_compared", expected.blocksChecked},
                                      {"blocks", expected.blocks}});
  if (!comparison->equal())
    result.status = Status::Wrong;
  else if (bitwise)
    equal.insert(tensor.tensor);
  if (noCheck.count != 0 && !equal.count(tensor.tensor) && unchecked.empty())
    unchecked = std::to_string(noCheck.count) + " of " + std::to_string(tensor.values.size()) + " elements of " + tensorName +
                " cannot be checked, since rounding may change them by more than half of their size; the first is " + noCheck.first;
  return comparison->equal();
}

bool Verifier::compare(const char *name) {
  bool right = true;
  unchecked.clear();
  for (ExpectedTensor &tensor : expected.tensors)
    right &= compareTensor(name, tensor);
  return right;
}

/// Empty where all that the nest stores was compared.
std::string Verifier::whyNotVerified() const {
  return expected.tensors.empty() ? "the nest stores nothing, so nothing was compared" : unchecked;
}

bool Verifier::check(const char *name, std::vector<HostTensor> &given) {
  tensors.swap(given);
  bool right = evaluate() && execute(plan) && compare(name);
  tensors.swap(given);
  return right;
}

bool Verifier::expect(std::vector<HostTensor> given) {
  tensors = std::move(given);
  return evaluate();
}

bool Verifier::compareWith(const char *name, std::vector<HostTensor> after) {
  tensors = std::move(after);
  return compare(name);
}

void Verifier::verify() {
  result.status = Status::Done;
  conclude(checkIntegers() && checkReals());
}

void Verifier::conclude(bool right) {
  if (result.status == Status::Rejected || result.status == Status::Missing)
    return;
  std::string doubt = right ? whyNotVerified() : "";
  result.verdict = !right ? Verdict::Wrong : doubt.empty() ? Verdict::Right : Verdict::NotVerified;
  if (!doubt.empty())
    fail(Status::Wrong, "not verified: " + doubt);
  else if (right && !tensors.empty())
    saveTensors(kernel, options, tensors, result);
  llvm::json::Object verify{{"place", executor.getPlace() == RunPlace::GPU ? "gpu" : "cpu"},
                            {"right", doubt.empty() ? llvm::json::Value(right) : llvm::json::Value(nullptr)},
                            {"checks", std::move(checks)},
                            {"message", right && doubt.empty() ? llvm::json::Value(nullptr) : llvm::json::Value(result.lines.back())}};
  llvm::raw_string_ostream(result.verifyJson = "") << llvm::json::Value(std::move(verify));
}

void tilec::verifyKernel(const CompileResult &compiled, size_t number, const RunPlan &plan, Executor &executor, const RunOptions &options,
                         RunResult &result) {
  Verifier(Reference(compiled, number), compiled.kernels[number].launch, plan, executor, options, result).verify();
}
