//===- Compiler.cpp - CUDA C++ to cubin with NVRTC ------------*- C++ -*-===//
//
// Own declarations of the NVRTC functions in use: no CUDA header is needed to
// build tilec.
//
//===----------------------------------------------------------------------===//

#include "tilec/NVRTC/Compiler.h"

#include "tilec/Runtime/SharedLibrary.h"

#include <algorithm>

namespace tilec::nvrtc {

using runtime::Error;
using runtime::MaybeError;
using runtime::Result;
using runtime::SharedLibrary;

namespace {

/// nvrtcResult; 0 is success and 6 a rejected source.
using NvrtcResult = int;
using NvrtcProgram = struct NvrtcProgramTag *;
constexpr NvrtcResult nvrtcSuccess = 0;
constexpr NvrtcResult nvrtcErrorCompilation = 6;

/// Static shared memory that a kernel may declare on any architecture.
constexpr unsigned maxStaticSharedBytes = 48 * 1024;

struct Functions {
  const char *(*getErrorString)(NvrtcResult);
  NvrtcResult (*version)(int *, int *);
  NvrtcResult (*getNumSupportedArchs)(int *);
  NvrtcResult (*getSupportedArchs)(int *);
  NvrtcResult (*createProgram)(NvrtcProgram *, const char *source, const char *name, int headerCount,
                               const char *const *headers, const char *const *includeNames);
  NvrtcResult (*destroyProgram)(NvrtcProgram *);
  NvrtcResult (*compileProgram)(NvrtcProgram, int optionCount, const char *const *options);
  NvrtcResult (*getLogSize)(NvrtcProgram, size_t *);
  NvrtcResult (*getLog)(NvrtcProgram, char *);
  NvrtcResult (*getCubinSize)(NvrtcProgram, size_t *);
  NvrtcResult (*getCubin)(NvrtcProgram, char *);
  NvrtcResult (*getPtxSize)(NvrtcProgram, size_t *);
  NvrtcResult (*getPtx)(NvrtcProgram, char *);
};

MaybeError bindAll(const SharedLibrary &library, Functions &f) {
  MaybeError error;
  auto bind = [&](const char *name, auto *&function) {
    if (!error)
      error = library.bind(name, function);
  };
  bind("nvrtcGetErrorString", f.getErrorString);
  bind("nvrtcVersion", f.version);
  bind("nvrtcGetNumSupportedArchs", f.getNumSupportedArchs);
  bind("nvrtcGetSupportedArchs", f.getSupportedArchs);
  bind("nvrtcCreateProgram", f.createProgram);
  bind("nvrtcDestroyProgram", f.destroyProgram);
  bind("nvrtcCompileProgram", f.compileProgram);
  bind("nvrtcGetProgramLogSize", f.getLogSize);
  bind("nvrtcGetProgramLog", f.getLog);
  bind("nvrtcGetCUBINSize", f.getCubinSize);
  bind("nvrtcGetCUBIN", f.getCubin);
  bind("nvrtcGetPTXSize", f.getPtxSize);
  bind("nvrtcGetPTX", f.getPtx);
  return error;
}

/// Destroys the program at the end of its scope.
struct ProgramOwner {
  const Functions &functions;
  NvrtcProgram program;
  ~ProgramOwner() { functions.destroyProgram(&program); }
};

std::vector<std::string> optionStrings(const std::string &arch, const CompileOptions &options) {
  std::vector<std::string> strings = {
      "--gpu-architecture=" + arch, "--std=c++17", "--ptxas-options=-v",
      // The device vocabulary before a kernel may hold unused functions.
      "--diag-suppress=177"};
  if (options.lineInfo)
    strings.push_back("--generate-line-info");
  if (options.debug)
    strings.push_back("--device-debug");
  if (options.maxRegisters != 0)
    strings.push_back("--maxrregcount=" + std::to_string(options.maxRegisters));
  return strings;
}

CompileOutput rejected(std::string message) {
  CompileOutput output;
  output.diagnostics.push_back({Severity::Error, "", 0, std::move(message)});
  return output;
}

/// ptxas refuses some kernels without saying why.
std::string unexplainedFailure(const CompileOutput &output, const std::string &status) {
  for (const KernelResources &kernel : output.kernels)
    if (kernel.staticSharedBytes > maxStaticSharedBytes)
      return "kernel '" + kernel.kernel + "' declares " +
             std::to_string(kernel.staticSharedBytes) +
             " bytes of static shared memory, the limit is " +
             std::to_string(maxStaticSharedBytes);
  return "NVRTC failed with " + status + " and gave no reason";
}

} // namespace

struct Compiler::Library {
  explicit Library(SharedLibrary library) : library(std::move(library)) {}

  SharedLibrary library;
  Functions functions = {};
  int major = 0;
  int minor = 0;
  std::vector<int> archs;

  /// Reads a text or binary result by its size and data functions.
  template <typename Container>
  MaybeError fetch(NvrtcProgram program, const char *what,
                   NvrtcResult (*size)(NvrtcProgram, size_t *),
                   NvrtcResult (*data)(NvrtcProgram, char *), Container &target) const {
    size_t bytes = 0;
    NvrtcResult result = size(program, &bytes);
    target.resize(bytes);
    if (result == nvrtcSuccess && bytes != 0)
      result = data(program, reinterpret_cast<char *>(target.data()));
    if (result != nvrtcSuccess)
      return Error{std::string("NVRTC did not hand out the ") + what + ": " +
                   functions.getErrorString(result)};
    return std::nullopt;
  }
};

Compiler::Compiler(std::unique_ptr<Library> library) : library(std::move(library)) {}
Compiler::Compiler(Compiler &&) = default;
Compiler &Compiler::operator=(Compiler &&) = default;
Compiler::~Compiler() = default;

Result<Compiler> Compiler::open(const runtime::CudaSearch &search) {
  Result<SharedLibrary> opened =
      SharedLibrary::open({"libnvrtc.so.13", "libnvrtc.so.12"}, runtime::toolkitPlaces(search));
  if (!opened)
    return opened.error();
  auto library = std::make_unique<Library>(*opened);
  Functions &f = library->functions;
  if (MaybeError error = bindAll(library->library, f))
    return *error;
  int count = 0;
  NvrtcResult result = f.version(&library->major, &library->minor);
  if (result == nvrtcSuccess)
    result = f.getNumSupportedArchs(&count);
  if (result == nvrtcSuccess && count > 0) {
    library->archs.resize(count);
    result = f.getSupportedArchs(library->archs.data());
  }
  if (result != nvrtcSuccess)
    return Error{opened->path() +
                 " does not tell its version and architectures: " + f.getErrorString(result)};
  std::sort(library->archs.begin(), library->archs.end());
  // NVRTC opens its builtins by name while it compiles. Beside a libnvrtc that
  // the loader does not search they are found only if they are loaded already;
  // where there are none, NVRTC says so itself.
  std::string folder = opened->path().substr(0, opened->path().rfind('/'));
  (void)SharedLibrary::open({"libnvrtc-builtins.so." + std::to_string(library->major) + "." +
                             std::to_string(library->minor)},
                            {{folder, "libnvrtc's folder"}});
  return Compiler(std::move(library));
}

int Compiler::versionMajor() const { return library->major; }
int Compiler::versionMinor() const { return library->minor; }
const std::string &Compiler::libraryPath() const { return library->library.path(); }
const std::string &Compiler::libraryOrigin() const { return library->library.origin(); }
const std::vector<int> &Compiler::supportedArchs() const { return library->archs; }

MaybeError Compiler::checkArch(const std::string &arch) const {
  std::string digits = arch.compare(0, 3, "sm_") == 0 ? arch.substr(3) : "";
  char suffix = 0;
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) {
    suffix = digits.back();
    digits.pop_back();
  }
  for (int supported : library->archs)
    if (digits == std::to_string(supported) && (suffix != 'a' || supported >= 90) &&
        (suffix != 'f' || supported >= 100))
      return std::nullopt;
  std::string list;
  for (int supported : library->archs) {
    std::string name = "sm_" + std::to_string(supported);
    list += (list.empty() ? "" : ", ") + name + (supported >= 90 ? ", " + name + "a" : "");
  }
  return Error{"NVRTC " + std::to_string(library->major) + "." + std::to_string(library->minor) +
               " cannot compile for '" + arch + "'; it supports " + list};
}

CompileOutput Compiler::compile(const std::string &source, const std::string &fileName,
                                const std::string &arch, const CompileOptions &options) const {
  if (MaybeError error = checkArch(arch))
    return rejected(error->message);
  // NVRTC takes C strings and would silently compile what is before the NUL.
  if (source.find('\0') != std::string::npos)
    return rejected("the source holds a NUL byte at offset " +
                    std::to_string(source.find('\0')));
  if (fileName.find('\0') != std::string::npos)
    return rejected("the file name holds a NUL byte");

  const Functions &f = library->functions;
  NvrtcProgram program = nullptr;
  NvrtcResult result =
      f.createProgram(&program, source.c_str(), fileName.c_str(), 0, nullptr, nullptr);
  if (result != nvrtcSuccess)
    return rejected(std::string("NVRTC did not take the source: ") + f.getErrorString(result));
  ProgramOwner owner{f, program};

  std::vector<std::string> strings = optionStrings(arch, options);
  std::vector<const char *> pointers;
  for (const std::string &option : strings)
    pointers.push_back(option.c_str());
  result = f.compileProgram(program, int(pointers.size()), pointers.data());

  CompileOutput output;
  MaybeError fetchError =
      library->fetch(program, "log", f.getLogSize, f.getLog, output.log);
  output.log.resize(output.log.find_last_not_of('\0') + 1);
  CompileLog parsed = parseCompileLog(output.log);
  output.diagnostics = std::move(parsed.diagnostics);
  output.kernels = std::move(parsed.kernels);

  bool hasError =
      std::any_of(output.diagnostics.begin(), output.diagnostics.end(),
                  [](const Diagnostic &d) { return d.severity == Severity::Error; });
  if (result != nvrtcSuccess) {
    std::string status = f.getErrorString(result);
    if (!hasError)
      output.diagnostics.push_back({Severity::Error, "", 0, unexplainedFailure(output, status)});
    else if (result != nvrtcErrorCompilation)
      output.diagnostics.push_back({Severity::Note, "", 0, "NVRTC ended with " + status});
    return output;
  }
  if (!fetchError)
    fetchError = library->fetch(program, "cubin", f.getCubinSize, f.getCubin, output.cubin);
  if (!fetchError && options.ptx) {
    fetchError = library->fetch(program, "PTX", f.getPtxSize, f.getPtx, output.ptx);
    output.ptx.resize(output.ptx.find_last_not_of('\0') + 1);
  }
  if (!fetchError && output.cubin.empty())
    fetchError = Error{"NVRTC reported success and produced an empty cubin"};
  if (fetchError)
    output.diagnostics.push_back({Severity::Error, "", 0, fetchError->message});
  output.ok = !fetchError;
  return output;
}

} // namespace tilec::nvrtc
