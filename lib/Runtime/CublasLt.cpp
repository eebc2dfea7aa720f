//===- CublasLt.cpp - The library GEMM to compare with --------*- C++ -*-===//
//
// Own declarations of the cublasLt functions in use.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/CublasLt.h"

#include "tilec/Runtime/SharedLibrary.h"

#include <algorithm>
#include <array>
#include <optional>

namespace tilec::runtime {

namespace {

/// cublasStatus_t.
using Status = int;
constexpr Status statusSuccess = 0;

/// cublasLtMatmulHeuristicResult_t.
struct Heuristic {
  uint64_t algorithm[8];
  size_t workspaceBytes;
  Status state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Heuristic) == 96, "layout of cublasLtMatmulHeuristicResult_t");

enum DescriptorAttribute : int { transposeA = 3, transposeB = 4, fastAccumulation = 25 };
enum PreferenceAttribute : int {
  maxWorkspaceBytes = 1,
  minAlignmentA = 5,
  minAlignmentB = 6,
  minAlignmentC = 7,
  minAlignmentD = 8
};

constexpr size_t workspaceBytes = size_t(256) << 20;

struct Functions {
  Status (*create)(void **);
  Status (*destroy)(void *);
  size_t (*getVersion)();
  const char *(*getStatusName)(Status);
  const char *(*getStatusString)(Status);
  Status (*descriptorCreate)(void **, int computeType, int scaleType);
  Status (*descriptorDestroy)(void *);
  Status (*descriptorSet)(void *, int attribute, const void *, size_t);
  Status (*layoutCreate)(void **, int type, uint64_t rows, uint64_t columns, int64_t ld);
  Status (*layoutDestroy)(void *);
  Status (*preferenceCreate)(void **);
  Status (*preferenceDestroy)(void *);
  Status (*preferenceSet)(void *, int attribute, const void *, size_t);
  Status (*getHeuristic)(void *handle, void *descriptor, void *a, void *b, void *c, void *d,
                         void *preference, int requested, Heuristic *results, int *found);
  Status (*matmul)(void *handle, void *descriptor, const void *alpha, const void *a, void *layoutA,
                   const void *b, void *layoutB, const void *beta, const void *c, void *layoutC,
                   void *d, void *layoutD, const void *algorithm, void *workspace,
                   size_t workspaceBytes, void *stream);
};

MaybeError bindAll(const SharedLibrary &library, Functions &f) {
  MaybeError error;
  auto bind = [&](const char *name, auto *&function) {
    if (!error)
      error = library.bind(name, function);
  };
  bind("cublasLtCreate", f.create);
  bind("cublasLtDestroy", f.destroy);
  bind("cublasLtGetVersion", f.getVersion);
  bind("cublasLtGetStatusName", f.getStatusName);
  bind("cublasLtGetStatusString", f.getStatusString);
  bind("cublasLtMatmulDescCreate", f.descriptorCreate);
  bind("cublasLtMatmulDescDestroy", f.descriptorDestroy);
  bind("cublasLtMatmulDescSetAttribute", f.descriptorSet);
  bind("cublasLtMatrixLayoutCreate", f.layoutCreate);
  bind("cublasLtMatrixLayoutDestroy", f.layoutDestroy);
  bind("cublasLtMatmulPreferenceCreate", f.preferenceCreate);
  bind("cublasLtMatmulPreferenceDestroy", f.preferenceDestroy);
  bind("cublasLtMatmulPreferenceSetAttribute", f.preferenceSet);
  bind("cublasLtMatmulAlgoGetHeuristic", f.getHeuristic);
  bind("cublasLtMatmul", f.matmul);
  return error;
}

/// cudaDataType.
std::optional<int> dataType(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::TF32:
    return 0;
  case ElementType::F16:
    return 2;
  case ElementType::BF16:
    return 14;
  case ElementType::E4M3:
    return 28;
  default:
    return std::nullopt;
  }
}

/// cublasComputeType_t: sums in f32, with TF32 products where allowed.
int computeType(ElementType input) { return input == ElementType::TF32 ? 77 : 68; }

/// The largest power of two up to 256 that divides the address.
uint32_t alignmentOf(uint64_t address) {
  uint64_t lowest = address & (~address + 1);
  return address == 0 || lowest > 256 ? 256 : uint32_t(lowest);
}

Result<ColumnMajorOperand> storedOperand(const DeviceMatrix &matrix, int64_t rows, int64_t columns,
                                         const char *name) {
  // A stride along an extent of 1 is never used.
  bool rowsDense = matrix.rowStride == 1 || rows == 1;
  bool columnsDense = matrix.columnStride == 1 || columns == 1;
  if (rowsDense && (matrix.columnStride >= rows || columns == 1))
    return ColumnMajorOperand{matrix.address, false, rows, columns,
                              std::max(matrix.columnStride, rows)};
  if (columnsDense && (matrix.rowStride >= columns || rows == 1))
    return ColumnMajorOperand{matrix.address, true, columns, rows,
                              std::max(matrix.rowStride, columns)};
  return Error{std::string("cublasLt takes no matrix ") + name + " of " + std::to_string(rows) +
               " x " + std::to_string(columns) + " with strides " +
               std::to_string(matrix.rowStride) + " and " + std::to_string(matrix.columnStride) +
               ", one stride must be 1 and the other span it"};
}

DeviceMatrix transposed(const DeviceMatrix &matrix) {
  return {matrix.address, matrix.columnStride, matrix.rowStride};
}

} // namespace

Result<ColumnMajorGemm> toColumnMajor(const GemmProblem &problem) {
  if (problem.m <= 0 || problem.n <= 0 || problem.k <= 0)
    return Error{"cublasLt takes no product of " + std::to_string(problem.m) + " x " +
                 std::to_string(problem.n) + " x " + std::to_string(problem.k)};
  Result<ColumnMajorOperand> c = storedOperand(problem.c, problem.m, problem.n, "C");
  if (!c)
    return c.error();
  // C is never transposed by the library: transpose the whole product instead.
  bool swap = c->transposed;
  c->transposed = false;
  Result<ColumnMajorOperand> a =
      swap ? storedOperand(transposed(problem.b), problem.n, problem.k, "B")
           : storedOperand(problem.a, problem.m, problem.k, "A");
  Result<ColumnMajorOperand> b =
      swap ? storedOperand(transposed(problem.a), problem.k, problem.m, "A")
           : storedOperand(problem.b, problem.k, problem.n, "B");
  if (!a)
    return a.error();
  if (!b)
    return b.error();
  return ColumnMajorGemm{*a, *b, *c};
}

struct CublasLt::Library {
  Library(SharedLibrary library, const Device &device)
      : library(std::move(library)), device(device) {}
  ~Library() {
    if (!handle)
      return;
    (void)device.makeCurrent();
    f.destroy(handle);
  }

  MaybeError check(Status status, const char *call) const {
    if (status == statusSuccess)
      return std::nullopt;
    return Error{std::string(call) + " failed with " + f.getStatusName(status) + " (" +
                 std::to_string(status) + "): " + f.getStatusString(status)};
  }

  SharedLibrary library;
  Device device;
  Functions f = {};
  void *handle = nullptr;
};

namespace {

/// The descriptors of one problem, shared by its algorithms.
struct Plan {
  explicit Plan(const Functions &f) : f(f) {}
  ~Plan() {
    if (descriptor)
      f.descriptorDestroy(descriptor);
    for (void *layout : {layoutA, layoutB, layoutC})
      if (layout)
        f.layoutDestroy(layout);
    if (preference)
      f.preferenceDestroy(preference);
  }
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  const Functions &f;
  GemmProblem problem;
  ColumnMajorGemm gemm;
  void *descriptor = nullptr;
  void *layoutA = nullptr;
  void *layoutB = nullptr;
  void *layoutC = nullptr;
  void *preference = nullptr;
  std::optional<DeviceBuffer> workspace;
};

/// Fills in the descriptors; the first failing call's status and name.
std::pair<Status, const char *> describePlan(Plan &plan, int inputType, int outputType) {
  const Functions &f = plan.f;
  std::pair<Status, const char *> failure = {statusSuccess, ""};
  auto call = [&](const char *name, auto function, auto... arguments) {
    if (failure.first == statusSuccess)
      failure = {function(arguments...), name};
  };
  constexpr int f32 = 0;
  call("cublasLtMatmulDescCreate", f.descriptorCreate, &plan.descriptor,
       computeType(plan.problem.inputType), f32);
  auto setDescriptor = [&](int attribute, auto value) {
    call("cublasLtMatmulDescSetAttribute", f.descriptorSet, plan.descriptor, attribute,
         static_cast<const void *>(&value), sizeof(value));
  };
  setDescriptor(transposeA, int32_t(plan.gemm.a.transposed));
  setDescriptor(transposeB, int32_t(plan.gemm.b.transposed));
  if (plan.problem.inputType == ElementType::E4M3)
    setDescriptor(fastAccumulation, int8_t(1));

  auto makeLayout = [&](void *&layout, const ColumnMajorOperand &operand, int type) {
    call("cublasLtMatrixLayoutCreate", f.layoutCreate, &layout, type, uint64_t(operand.rows),
         uint64_t(operand.columns), operand.leadingDimension);
  };
  makeLayout(plan.layoutA, plan.gemm.a, inputType);
  makeLayout(plan.layoutB, plan.gemm.b, inputType);
  makeLayout(plan.layoutC, plan.gemm.c, outputType);

  call("cublasLtMatmulPreferenceCreate", f.preferenceCreate, &plan.preference);
  auto setPreference = [&](int attribute, auto value) {
    call("cublasLtMatmulPreferenceSetAttribute", f.preferenceSet, plan.preference, attribute,
         static_cast<const void *>(&value), sizeof(value));
  };
  setPreference(maxWorkspaceBytes, uint64_t(workspaceBytes));
  setPreference(minAlignmentA, alignmentOf(plan.gemm.a.address));
  setPreference(minAlignmentB, alignmentOf(plan.gemm.b.address));
  setPreference(minAlignmentC, alignmentOf(plan.gemm.c.address));
  setPreference(minAlignmentD, alignmentOf(plan.gemm.c.address));
  return failure;
}

void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }

} // namespace

Result<CublasLt> CublasLt::open(const Device &device, const CudaSearch &search) {
  Result<SharedLibrary> opened =
      SharedLibrary::open({"libcublasLt.so.13", "libcublasLt.so.12"}, toolkitPlaces(search));
  if (!opened)
    return opened.error();
  auto library = std::make_shared<Library>(*opened, device);
  if (MaybeError error = bindAll(library->library, library->f))
    return *error;
  if (MaybeError error = device.makeCurrent())
    return *error;
  if (MaybeError error = library->check(library->f.create(&library->handle), "cublasLtCreate"))
    return *error;
  return CublasLt(std::move(library));
}

size_t CublasLt::version() const { return library->f.getVersion(); }
const std::string &CublasLt::libraryPath() const { return library->library.path(); }

Result<std::vector<Launchable>> CublasLt::algorithms(const GemmProblem &problem,
                                                     const Stream &stream, unsigned most) const {
  std::optional<int> inputType = dataType(problem.inputType);
  std::optional<int> outputType = dataType(problem.outputType);
  if (!inputType || !outputType || problem.outputType == ElementType::E4M3 ||
      problem.outputType == ElementType::TF32)
    return Error{
        "no cublasLt product of " + std::string(elementTypeName(problem.inputType)) + " into " +
        std::string(elementTypeName(problem.outputType)) +
        " is known here; inputs may be f32, tf32, f16, bf16, e4m3, outputs f32, f16, bf16"};
  Result<ColumnMajorGemm> gemm = toColumnMajor(problem);
  if (!gemm)
    return gemm.error();
  if (MaybeError error = library->device.makeCurrent())
    return *error;

  auto plan = std::make_shared<Plan>(library->f);
  plan->problem = problem;
  plan->gemm = *gemm;
  auto [status, call] = describePlan(*plan, *inputType, *outputType);
  if (MaybeError error = library->check(status, call))
    return *error;
  Result<DeviceBuffer> workspace = library->device.allocate(workspaceBytes, stream);
  if (!workspace)
    return workspace.error();
  plan->workspace.emplace(std::move(*workspace));

  std::vector<Heuristic> found(most);
  int count = 0;
  if (MaybeError error =
          library->check(library->f.getHeuristic(library->handle, plan->descriptor, plan->layoutA,
                                                 plan->layoutB, plan->layoutC, plan->layoutC,
                                                 plan->preference, int(most), found.data(), &count),
                         "cublasLtMatmulAlgoGetHeuristic"))
    return *error;

  std::vector<Launchable> launchables;
  for (int i = 0; i < count; ++i) {
    if (found[i].state != statusSuccess)
      continue;
    std::array<uint64_t, 8> algorithm;
    std::copy(std::begin(found[i].algorithm), std::end(found[i].algorithm), algorithm.begin());
    auto launch = [library = library, plan, algorithm](Stream &stream) {
      if (MaybeError error = library->device.makeCurrent())
        return error;
      const ColumnMajorGemm &gemm = plan->gemm;
      return library->check(
          library->f.matmul(library->handle, plan->descriptor, &plan->problem.alpha,
                            pointer(gemm.a.address), plan->layoutA, pointer(gemm.b.address),
                            plan->layoutB, &plan->problem.beta, pointer(gemm.c.address),
                            plan->layoutC, pointer(gemm.c.address), plan->layoutC, algorithm.data(),
                            pointer(plan->workspace->address()), workspaceBytes, stream.handle()),
          "cublasLtMatmul");
    };
    launchables.push_back({"cublasLt #" + std::to_string(i), launch});
  }
  if (launchables.empty())
    return Error{"cublasLt proposes no algorithm for this product"};
  return launchables;
}

Result<Launchable> CublasLt::fastest(const GemmProblem &problem, Stream &stream) const {
  Result<std::vector<Launchable>> candidates = algorithms(problem, stream);
  if (!candidates)
    return candidates.error();
  BenchOptions options;
  options.repetitions = 7;
  options.warmUpSeconds = 0.2;
  Result<std::vector<Timing>> timings = benchmark(library->device, stream, *candidates, options);
  if (!timings)
    return timings.error();
  auto best =
      std::min_element(timings->begin(), timings->end(),
                       [](const Timing &a, const Timing &b) { return a.median() < b.median(); });
  return (*candidates)[size_t(best - timings->begin())];
}

} // namespace tilec::runtime
