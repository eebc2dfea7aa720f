//===- Compiler.h - tilec as a library ---------------------------*- C++ -*-===//
//
// Text in; CUDA, cubin and report out; diagnostics by callback. Standard types
// only: no header of MLIR, LLVM or CUDA is needed to use this one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_COMPILER_H
#define TILEC_DRIVER_COMPILER_H

#include "tilec/CUDA/NestPlace.h"
#include "tilec/Runtime/KernelDescription.h"
#include "tilec/Runtime/ProgramDescription.h"
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// How a compilation ended; the values are exit statuses of the tilec command.
enum class Status {
  Done = 0,
  /// The input was rejected; diagnostics say why.
  Rejected = 1,
  /// A toolchain, driver or device is missing.
  Missing = 3,
  /// The kernel ran and its result is wrong.
  Wrong = 4,
  /// A warning under warningsAreErrors.
  GateFailed = 5,
  /// A bug in tilec: its CUDA text does not compile.
  Internal = 70
};

enum class Severity { Error, Warning, Note, Remark };

/// A change of the nest that was tried and pays.
struct Fix {
  /// "block_tile", "thread_tile", "pipeline", "raster", "layout" or "thread_order"; "combination" of several.
  std::string kind;
  /// In words: "block tile 64x64".
  std::string change;
  /// The new steps, depth, sides of a raster or order of induction variables.
  std::vector<int64_t> values;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  /// Empty and 0 where unknown.
  std::string file;
  unsigned line = 0, column = 0;
  /// Lower case, no full stop.
  std::string message;
  std::vector<Diagnostic> notes;
  std::vector<Fix> fixes;
  /// The kernel is right, but might be faster.
  bool performance = false;
};

struct CompileOptions {
  /// A machine's name, the path of a machine file, or "native" for the device present; empty for what the module says, sm80
  /// where it says nothing.
  std::string target;
  /// The instruction set as sm_NN or sm_NNa; empty for the machine's own.
  std::string arch;
  /// Values of size arguments by name, for the report. Sizes that are not given
  /// count as 4096 there.
  std::map<std::string, int64_t> shape;
  /// Shapes, as `shape`, that kernels whose mapping is open are to be fast at: a few nests are made, among which the launcher chooses by sizes (CompileResult::family).
  /// Empty for one nest, made for `shape`.
  std::vector<std::map<std::string, int64_t>> family;
  /// Explicit CUDA toolkit folder, tried before all others.
  std::string cudaPath;
  /// Lower and print CUDA. Without it only the nest and the report are made, also
  /// of kernels that cannot be lowered.
  bool cuda = true;
  /// Compile to a cubin; needs NVRTC, and `cuda`.
  bool cubin = true;
  /// Also keep the PTX.
  bool ptx = false;
  /// Try what would make each nest faster, for the report, its warnings and remarks; takes half a second at most.
  bool advise = false;
  /// Give what the analyses found as optimization remarks.
  bool remarks = false;
  /// #line directives in the CUDA text.
  bool lineDirectives = false;
  /// Warnings come as errors, and the status is GateFailed.
  bool warningsAreErrors = false;
  std::function<void(const Diagnostic &)> onDiagnostic;
};

/// What the compiler made of a kernel.
struct Resources {
  unsigned registers = 0, spillBytes = 0, stackBytes = 0;
};

struct CompiledKernel {
  std::string name;
  /// A complete CUDA C++ file.
  std::string cuda;
  /// The file that `cuda` was read from, in place of what was printed (useKernelText); empty otherwise.
  std::string editedFile;
  /// For each line of `cuda` the op of the nest it comes from.
  std::vector<NestPlace> places;
  std::vector<SharedArrayOrigin> sharedArrays;
  std::string ptx;
  std::vector<uint8_t> cubin;
  /// The instruction set of the cubin.
  std::string arch;
  runtime::KernelDescription launch;
  /// Blocks that the target runs at once, as far as the analysis knows.
  unsigned residentBlocks = 1;
  std::optional<Resources> resources;
  /// Blocks that the machine runs at one time; 0 where unknown.
  unsigned blocksPerWave = 0;
  /// Is it executed at these sizes? One whose runs all stand in conditions of programs that do not hold is not, and has no report.
  bool isCalledFor = true;
  /// The report, as text and as JSON (one element of "kernels").
  std::string reportText, reportJson;
};

/// Kernels that run one after the other: a tile.program.
struct CompiledProgram {
  std::string name;
  /// Its steps number CompileResult::kernels.
  runtime::ProgramDescription launch;
  /// The report, as text and as JSON (one element of "programs").
  std::string reportText, reportJson;
};

/// A nest that was judged for a kernel whose mapping was open.
struct Candidate {
  /// In words: "block 128x256x64, warp 64x64, 2 stages".
  std::string mapping;
  /// The predicted time, what limits the kernel, and why.
  double seconds = 0;
  std::string limiter, reason;
  /// The nest, as a file of its own.
  std::string nest;
};

/// How a kernel whose mapping was open got its nest.
struct MappingSearch {
  std::string kernel;
  /// Candidates that bounds were asked about, and those that went through planning and analysis.
  size_t considered = 0, judged = 0;
  /// The shortest predicted times first; the first one is the kernel's nest, and has been lowered, which the others have not.
  std::vector<Candidate> best;
  /// Other ways to write what this is the first kernel of: other launches, or dimensions that are merged or not.
  struct Other {
    std::string what;
    double seconds = 0;
  };
  std::vector<Other> others;
};

/// So many shapes a family is made for at most: each is mapped by itself.
constexpr size_t kMostFamilyShapes = 64;

/// A shape that a family of nests was made for.
struct FamilyShape {
  /// In the order of the kernel's arguments.
  std::vector<std::pair<std::string, int64_t>> sizes;
  /// Which of the family's members the launcher takes: the number in the names of its kernels.
  unsigned member = 0;
  /// Its predicted time there, and the shortest of all nests that were made for any of the shapes.
  double seconds = 0, best = 0;
};

struct CompileResult {
  Status status = Status::Rejected;
  std::vector<CompiledKernel> kernels;
  std::vector<CompiledProgram> programs;
  /// The input, or the nests that were made of it where its kernels left their mapping open, and its name in diagnostics.
  std::string source, fileName;
  /// The input of kernels whose mapping was open; empty where none was.
  std::string problem;
  /// One for each kernel whose mapping was open.
  std::vector<MappingSearch> searches;
  /// One for each of CompileOptions::family.
  std::vector<FamilyShape> family;
  /// The nest as parsed, the nest with nothing left open, and the kernel IR, as MLIR text.
  std::string nest, plan, kernelIR;
  /// Optimization remarks in LLVM's YAML, where options.remarks asks for them.
  std::string remarks;
};

/// Every number of the machine of options.target with its source; the error where `status` is not Done.
struct MachineText {
  Status status = Status::Rejected;
  std::string text;
};
MachineText describeMachine(const CompileOptions &options);

/// Does a program of `result` run kernel number `kernel`? Others are run by themselves.
bool isPartOfProgram(const CompileResult &result, size_t kernel);

/// Compiles each tile.kernel of `text`. `fileName` is for diagnostics.
CompileResult compile(const std::string &text, const std::string &fileName, const CompileOptions &options);

} // namespace tilec

#endif // TILEC_DRIVER_COMPILER_H
