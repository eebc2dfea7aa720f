//===- RunVerify.cpp - Holding a kernel against its nest ---------*- C++ -*-===//
//
// Two runs: integers, where equality is asked for wherever all sums are exact, in
// rows with gaps between them; then random numbers, or the user's files, within
// error bounds, as the plan lays them out.
//
//===----------------------------------------------------------------------===//

#include "RunVerify.h"

#include "RunReference.h"
#include "tilec/Runtime/Compare.h"
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

/// What no kernel computes by accident.
static void poison(HostTensor &tensor) {
  fillConstant(tensor, isFloatingPoint(tensor.type()) ? std::numeric_limits<double>::quiet_NaN() : -77);
}

/// Different values in each tensor.
static uint64_t getSeed(uint64_t seed, size_t tensor) { return seed * 1000003 + tensor; }

MaybeError tilec::fillForUse(const KernelDescription &kernel, const RunPlan &plan, uint64_t seed, std::vector<HostTensor> &tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!plan.tensors[i].file.empty()) {
      if (MaybeError error = loadNpy(plan.tensors[i].file, tensors[i]))
        return Error{"--arg " + kernel.tensors[i].name + ": " + error->message};
    } else if (!kernel.tensors[i].read) {
      poison(tensors[i]);
    } else {
      fillUniform(tensors[i], getSeed(seed, i));
    }
  }
  return std::nullopt;
}

MaybeError tilec::saveTensors(const KernelDescription &kernel, const RunOptions &options, const std::vector<HostTensor> &tensors) {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (auto save = options.saves.find(kernel.tensors[i].name); save != options.saves.end())
      if (MaybeError error = saveNpy(save->second, tensors[i]))
        return Error{"--save " + save->first + ": " + error->message};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {

class Verifier {
public:
  Verifier(const CompileResult &compiled, const CompiledKernel &kernel, const RunPlan &plan, Executor &executor,
           const RunOptions &options, RunResult &result)
      : kernel(kernel.launch), plan(plan), executor(executor), options(options), result(result),
        reference(compiled.nest, kernel.name, kernel.launch) {}

  void verify();

private:
  /// One run with its comparison; false where verification ends.
  bool checkIntegers();
  bool checkReals();
  bool create(const RunPlan &from);
  void fill(uint64_t seed, bool poisonUpdated);
  bool evaluate(int64_t mostBlocks = 0);
  bool execute(const RunPlan &laidOut);
  bool compare(const char *name, bool exactly);
  bool compareTensor(const char *name, bool exactly, ExpectedTensor &tensor);
  bool fail(Status status, const std::string &message);
  bool storesNaN() const;
  std::string whyInexact() const;
  int64_t countTerms(const TensorArgument &output) const;

  const KernelDescription &kernel;
  const RunPlan &plan;
  Executor &executor;
  const RunOptions &options;
  RunResult &result;
  Reference reference;
  Arithmetic arithmetic;
  std::vector<HostTensor> tensors;
  Expected expected;
  llvm::json::Array checks;
};

} // namespace

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

/// Why sums of integers may round in this kernel; empty where they are exact.
std::string Verifier::whyInexact() const {
  if (!arithmetic.rounding.empty())
    return arithmetic.rounding + " rounds";
  double largest = 0;
  for (const ExpectedTensor &tensor : expected.tensors)
    for (size_t i = 0; i < tensor.values.size(); ++i)
      if (tensor.stored[i])
        largest = std::isfinite(tensor.magnitudes[i]) ? std::max(largest, tensor.magnitudes[i]) : std::numeric_limits<double>::infinity();
  if (std::ldexp(largest, std::min(arithmetic.fractionBits, 1000)) <= std::ldexp(1.0, arithmetic.significandBits))
    return "";
  return "sums pass 2^" + std::to_string(arithmetic.significandBits) + " units of 2^-" + std::to_string(arithmetic.fractionBits);
}

void Verifier::fill(uint64_t seed, bool poisonUpdated) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorArgument &argument = kernel.tensors[i];
    if (!argument.read || (poisonUpdated && argument.written && isFloatingPoint(argument.type)))
      poison(tensors[i]);
    else
      fillIntegers(tensors[i], getSeed(seed, i));
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
  std::string reason = whyInexact();
  if (!reason.empty())
    result.lines.push_back("integers: within rounding errors only, since " + reason);
  return execute(gapped) && compare("integers", reason.empty());
}

bool Verifier::checkReals() {
  if (!create(plan))
    return false;
  if (MaybeError error = fillForUse(kernel, plan, options.seed + 1, tensors))
    return fail(Status::Rejected, error->message);
  bool files = llvm::any_of(plan.tensors, [](const TensorPlan &tensor) { return !tensor.file.empty(); });
  return evaluate() && execute(plan) && compare(files ? "files" : "random", false);
}

static bool isSame(const Extent &a, const Extent &b) { return a.size ? a.size == b.size : !b.size && a.value == b.value; }

/// Roundings that a result may have gone through: one for each term of a sum,
/// and the operations around it. A sum runs over the extents that an input has
/// and the output lacks; where there are none, over the longest.
int64_t Verifier::countTerms(const TensorArgument &output) const {
  double terms = 1, longest = 1;
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::vector<Extent> unmatched = output.shape;
    double own = 1;
    for (size_t dim = 0; dim < kernel.tensors[i].shape.size(); ++dim) {
      double extent = double(plan.tensors[i].shape[dim]);
      longest = std::max(longest, extent);
      auto match = llvm::find_if(unmatched, [&](const Extent &e) { return isSame(e, kernel.tensors[i].shape[dim]); });
      if (match != unmatched.end())
        unmatched.erase(match);
      else
        own *= extent;
    }
    terms = std::max(terms, own);
  }
  return int64_t(std::min(terms > 1 ? terms : longest, 1e15)) + arithmetic.operations;
}

bool Verifier::compareTensor(const char *name, bool exactly, ExpectedTensor &tensor) {
  const HostTensor &actual = tensors[tensor.tensor];
  const std::string &tensorName = kernel.tensors[tensor.tensor].name;
  bool sampled = expected.blocksChecked < expected.blocks;
  int64_t known = int64_t(tensor.values.size());
  // What other blocks store is not known: take the kernel's word.
  if (sampled) {
    std::vector<double> values = actual.toDoubles();
    for (size_t i = 0; i < values.size(); ++i)
      if (!tensor.stored[i]) {
        tensor.values[i] = values[i];
        --known;
      }
  }
  ElementType accumulator = arithmetic.significandBits >= 53 && actual.type() == ElementType::F64 ? ElementType::F64
                            : arithmetic.significandBits <= 8                                     ? ElementType::BF16
                            : arithmetic.significandBits <= 11                                    ? ElementType::F16
                                                                                                  : ElementType::F32;
  bool bitwise = exactly || !isFloatingPoint(actual.type());
  Result<Comparison> comparison =
      bitwise ? compareExactly(actual, tensor.values)
              : compareWithin(actual, tensor.values,
                              sumOfProductsBounds(tensor.values, tensor.magnitudes, countTerms(kernel.tensors[tensor.tensor]), accumulator, actual.type()));
  if (!comparison)
    return fail(Status::Rejected, comparison.message());
  comparison->elements = known;
  std::string text = std::string(name) + ": " + runtime::describe(*comparison, tensorName);
  if (!bitwise && comparison->equal()) {
    llvm::raw_string_ostream stream(text);
    stream << llvm::format(", %.2g of the bound", comparison->maxErrorOverBound);
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
  return comparison->equal();
}

bool Verifier::compare(const char *name, bool exactly) {
  bool right = true;
  for (ExpectedTensor &tensor : expected.tensors)
    right &= compareTensor(name, exactly, tensor);
  return right;
}

void Verifier::verify() {
  Result<Arithmetic> analyzed = reference.analyze(plan.scalars);
  if (!analyzed) {
    fail(Status::Rejected, analyzed.message());
    return;
  }
  arithmetic = *analyzed;
  result.status = Status::Done;
  bool right = checkIntegers() && checkReals();
  if (result.status == Status::Rejected || result.status == Status::Missing)
    return;
  if (right)
    if (MaybeError error = saveTensors(kernel, options, tensors)) {
      fail(Status::Rejected, error->message);
      return;
    }
  llvm::json::Object verify{{"place", executor.getPlace() == RunPlace::GPU ? "gpu" : "cpu"},
                            {"right", right},
                            {"checks", std::move(checks)},
                            {"message", right ? llvm::json::Value(nullptr) : llvm::json::Value(result.lines.back())}};
  llvm::raw_string_ostream(result.verifyJson = "") << llvm::json::Value(std::move(verify));
}

void tilec::verifyKernel(const CompileResult &compiled, const CompiledKernel &kernel, const RunPlan &plan, Executor &executor,
                         const RunOptions &options, RunResult &result) {
  Verifier(compiled, kernel, plan, executor, options, result).verify();
}
