//===- Run.h - Running and verifying compiled kernels ------------*- C++ -*-===//
//
// Runs a compiled kernel on the GPU or in the emulator, holds its results
// against the nest's meaning, and times it. Standard types only, as Compiler.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_RUN_H
#define TILEC_DRIVER_RUN_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Runtime/TemporaryFolders.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilec {

enum class RunPlace {
  /// The GPU where there are a driver and a device, else the emulator.
  Automatic,
  GPU,
  /// The emulator: the kernel's text, compiled by the host compiler.
  CPU
};

/// Extents that neither the shape nor a file gives, of nests of up to three sizes; of more sizes smaller powers of two, so that the
/// product of all stays. To verify, 4 less, so that tiles do not divide them, and at least one and a half blocks along each size.
constexpr int64_t defaultExtentOnGPU = 4096;
constexpr int64_t defaultExtentOnCPU = 256;

/// How the emulator runs a kernel.
struct EmulatorSettings {
  /// Which of the threads that could go on goes on.
  enum class Schedule { InOrder, Reversed, WarpAhead, Random };
  Schedule schedule = Schedule::InOrder;
  /// For the random schedule.
  uint64_t seed = 1;
  /// Races, initialisation and waits; bounds are checked in any case.
  bool checks = true;
  /// Blocks that run at the same time.
  unsigned threads = 1;
  /// Blocks that run at once, which a persistent kernel adapts to; 0 for those of the target.
  unsigned residentBlocks = 0;
  runtime::TemporaryFolders folders;
};

struct RunOptions {
  RunPlace place = RunPlace::Automatic;
  /// Values of size arguments by name; where no name is equal, upper and lower
  /// case are the same.
  std::map<std::string, int64_t> shape;
  /// What --arg says, left and right of "=". For a scalar s and a tensor A:
  ///   s         its value; scalars that are not given are 1
  ///   A         a .npy file, which also gives the extents of A
  ///   A.order   "rows": the last dimension is dense (the default, but where
  ///             the kernel takes none but dense columns); "columns": the first one is
  ///   A.gap     elements added to the distance of rows (of columns where the
  ///             order is columns); 0
  ///   A.offset  elements between an address aligned to 256 bytes and element
  ///             0; 0
  std::map<std::string, std::string> arguments;
  /// What --save says: names of tensors that are kept as the last run has left them.
  std::set<std::string> saves;
  /// Of the values that tensors without a file are filled with.
  uint64_t seed = 1;
  /// Compare with the reference: the kernel runs on integers, with a gap of 16 bytes between
  /// rows where the kernel takes any stride and no gap was asked for, and on random numbers of
  /// [-1, 1). Results must be equal where nothing rounds, elsewhere within the rounding errors
  /// of any order of additions, which follow from the values that occur.
  /// Outputs are NaN before each run, gaps between rows must stay as they are.
  /// Otherwise the kernel runs once, or as often as it is timed, on random numbers.
  bool verify = true;
  /// Timed runs on the GPU; 0 for none.
  unsigned benchRepetitions = 0;
  /// The kernel runs for this long before it is timed.
  double warmUpSeconds = 3.0;
  /// Time C = A B of cublasLt beside the kernel. For three tensors of shapes
  /// (m, k), (k, n), (m, n) in this order; that the kernel computes this
  /// product is the user's word. Scalars alpha and beta are passed on.
  bool againstCublas = false;
  /// Explicit CUDA toolkit folder, tried before all others.
  std::string cudaPath;
  EmulatorSettings emulator;
};

/// What the emulator counted at one line of the kernel's text, for one operand
/// or one array in shared memory.
struct CountedTraffic {
  enum class Access { Read, Write, Atomic, Matrix };
  /// From 1.
  unsigned line = 0;
  std::string object;
  /// An operand, in global or constant memory; otherwise an array in shared memory.
  bool global = false;
  Access access = Access::Read;
  unsigned bytesPerLane = 0;
  /// Bytes that arrived at or came from threads.
  uint64_t bytes = 0;
  /// Executions by a warp; 32-byte sectors and passes over the banks that they took.
  uint64_t requests = 0, sectors = 0, wavefronts = 0;

  /// Of constant memory, whose requests take an access for each different address.
  bool constant = false;
  uint64_t constantAccesses = 0;

  /// Bytes that left or entered the memory.
  uint64_t portBytes() const { return constant ? constantAccesses * bytesPerLane : global ? sectors * 32 : wavefronts * 128; }
};

/// Bytes of different sectors of one operand that each wave of blocks touches, summed
/// over the waves: less cannot come from DRAM, if caches keep nothing between waves.
struct CountedOperand {
  std::string name;
  uint64_t uniqueBytesRead = 0, uniqueBytesWritten = 0;
};

/// Where a tensor of a run lay.
struct RunTensor {
  /// In elements.
  std::vector<int64_t> strides;
  /// Elements between an address aligned to 256 bytes and element 0.
  int64_t offset = 0;
};

/// What came of a comparison with the reference. NotVerified: nothing differs, but something that the nest stores could
/// not be compared (its rounding errors have no useful bound), or it stores nothing.
enum class Verdict { None, Right, NotVerified, Wrong };

struct RunResult {
  /// Done, or Rejected (an option or argument does not fit the kernel), Missing
  /// (no device, no host compiler: `lines` has every place tried), Wrong (which a result that
  /// could not be verified counts as).
  Status status = Status::Rejected;
  /// None where no comparison was asked for, or it did not come to its end.
  Verdict verdict = Verdict::None;
  /// Where the kernel ran; Automatic where it did not.
  RunPlace place = RunPlace::Automatic;
  /// What happened, for the user: where, the shape, each comparison, times.
  /// Where the status is not Done the last lines say why.
  std::vector<std::string> lines;
  /// The size arguments as they were used.
  std::map<std::string, int64_t> shape;
  /// In the order of the kernel's arguments.
  std::vector<RunTensor> tensors;
  /// For each of RunOptions::saves a .npy file in row-major order. Empty where the status is not Done.
  std::map<std::string, std::string> saved;
  /// Values of the report's keys "measured" and "verify"; "null" for none.
  std::string measuredJson = "null", verifyJson = "null";
  /// The median of the timed runs.
  std::optional<double> medianSeconds;
  /// Of the emulator's last run, if it came to its end; empty on the GPU. Lines and
  /// operands without traffic: the latter are listed, the former not.
  std::vector<CountedTraffic> counted;
  std::vector<CountedOperand> countedOperands;
  /// Blocks that a persistent kernel found running at once there.
  unsigned residentBlocks = 0;
  /// Of a program what came of each step that was executed. Their shapes are the program's, and so are times and JSON.
  std::vector<RunResult> steps;
  /// Of a step: the number of its kernel.
  size_t kernel = 0;
};

/// Runs kernel number `kernel` of `compiled`. A cubin that does not fit the
/// device present is compiled again, from the kernel's text, and the lines say
/// so. `compiled` must be Done; the cubin may be missing.
RunResult run(const CompileResult &compiled, size_t kernel, const RunOptions &options);

/// Runs program number `program` of `compiled`: its kernels in their order. Each is verified on what the ones before it have really written, and where the
/// program was made of a function, and that is not too much work for the evaluator, so is the whole.
RunResult runProgram(const CompileResult &compiled, size_t program, const RunOptions &options);

/// Puts `text`, read from `fileName`, in place of the text of the only kernel of `compiled`; the launch
/// stays as it is. Lines that the printer has written too keep the ops that they come from. Fails where
/// there are several kernels, or the text has none of its name.
runtime::MaybeError useKernelText(CompileResult &compiled, const std::string &text, const std::string &fileName);

/// Writes the report of a kernel that has run anew: at the sizes of the run and, where the run
/// was counted, with the counted traffic beside the predicted one. `options` are those of the
/// compilation. Differences between the two go to onDiagnostic and into the report: as errors, since
/// either the analysis or the kernel is wrong, but as warnings where the text is a user's. Returns false
/// where there are errors.
bool reportRun(CompileResult &compiled, size_t kernel, const RunResult &ran, const CompileOptions &options);

} // namespace tilec

#endif // TILEC_DRIVER_RUN_H
