//===- RunVerify.h - Holding a kernel against its nest -----------*- C++ -*-===//
//
// Runs a kernel on chosen values and compares with the reference.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_RUNVERIFY_H
#define TILEC_CODEGEN_DRIVER_RUNVERIFY_H

#include "RunExecutor.h"
#include "RunReference.h"
#include "llvm/Support/JSON.h"

#include <set>

namespace tilec {

/// Elements whose bound is no check, and why, said of the first one.
struct Unchecked {
  int64_t count = 0;
  std::string first;
};

class Verifier {
public:
  Verifier(Reference reference, const runtime::KernelDescription &kernel, const RunPlan &plan, Executor &executor, const RunOptions &options,
           RunResult &result)
      : kernel(kernel), plan(plan), executor(executor), options(options), result(result), reference(std::move(reference)) {}

  /// Runs on integers, then on random numbers or the user's files, and says what came of it.
  void verify();

  /// Runs once on `given`, which holds what it is to work on, as the plan lays it out, and compares; false where verification ends.
  bool check(const char *name, std::vector<runtime::HostTensor> &given);

  /// The same for what runs elsewhere: finds what is to come of `given`, and compares what came of it.
  bool expect(std::vector<runtime::HostTensor> given);
  bool compareWith(const char *name, std::vector<runtime::HostTensor> after);

  /// Writes the verdict on all checks: were they `right`?
  void conclude(bool right);

private:
  /// One run with its comparison; false where verification ends.
  bool checkIntegers();
  bool checkReals();
  bool create(const RunPlan &from);
  void fill(uint64_t seed, bool poisonUpdated);
  bool evaluate(int64_t mostBlocks = 0);
  bool execute(const RunPlan &laidOut);
  bool compare(const char *name);
  bool compareTensor(const char *name, ExpectedTensor &tensor);
  Unchecked findUnchecked(const ExpectedTensor &tensor) const;
  std::string whyNotVerified() const;
  bool fail(Status status, const std::string &message);
  bool storesNaN() const;

  const runtime::KernelDescription &kernel;
  const RunPlan &plan;
  Executor &executor;
  const RunOptions &options;
  RunResult &result;
  Reference reference;
  std::vector<runtime::HostTensor> tensors;
  Expected expected;
  llvm::json::Array checks;
  /// Written tensors all of whose elements agreed to the bit, by index.
  std::set<size_t> equal;
  /// Of the last run; empty where all that was stored could be compared.
  std::string unchecked;
};

/// Verifies kernel number `number` of `compiled` as RunOptions::verify says; adds lines, the status and verifyJson
/// to `result`.
void verifyKernel(const CompileResult &compiled, size_t number, const RunPlan &plan, Executor &executor, const RunOptions &options, RunResult &result);

/// Fills a tensor with what no kernel computes by accident: NaN, integers with -77.
void poison(runtime::HostTensor &tensor);

/// Fills a tensor with integers: the user's, where the file has small ones or the tensor may hold indices, for others may be computed from these.
void fillWithIntegers(const runtime::KernelDescription &kernel, const RunPlan &plan, size_t number, uint64_t seed, runtime::HostTensor &tensor);

/// Fills tensors with the user's files, or else random numbers of [-1, 1);
/// tensors that are only written are poisoned.
runtime::MaybeError fillForUse(const runtime::KernelDescription &kernel, const RunPlan &plan, uint64_t seed,
                               std::vector<runtime::HostTensor> &tensors);

/// Keeps the tensors that `options` name in `result`.
void saveTensors(const runtime::KernelDescription &kernel, const RunOptions &options, const std::vector<runtime::HostTensor> &tensors,
                 RunResult &result);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_RUNVERIFY_H
