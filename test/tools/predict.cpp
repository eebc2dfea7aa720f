//===- predict.cpp - Reports of many kernels, without advice ----*- C++ -*-===//
//
//   tilec-predict TARGET LIST [cubin]
//
// The file LIST has lines "FILE <tab> SHAPE", a shape as "m=64,n=8" or nothing. Prints the report of the first kernel of each FILE at SHAPE, a line of
// JSON as of `tilec --emit=report --format=json`, or {"error"}; with `cubin` what the compiler made of it is in it. Advice takes tilec ten times as long as
// the rest.
//
//===----------------------------------------------------------------------===//

#include "NestList.h"

#include "tilec/Driver/Compiler.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

static llvm::json::Value predict(const ListedNest &nest, const std::string &target, bool cubin) {
  std::string error;
  CompileOptions options;
  options.target = target;
  options.shape = nest.shape;
  options.cuda = options.cubin = cubin;
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    if (diagnostic.severity == Severity::Error && error.empty())
      error = diagnostic.message;
  };
  auto buffer = llvm::MemoryBuffer::getFile(nest.file);
  if (!buffer)
    return llvm::json::Object{{"error", "cannot be read"}};
  CompileResult compiled = compile((*buffer)->getBuffer().str(), nest.file, options);
  if (compiled.status != Status::Done || compiled.kernels.empty())
    return llvm::json::Object{{"error", error.empty() ? "there is no kernel" : error}};
  return llvm::cantFail(llvm::json::parse(compiled.kernels[0].reportJson));
}

int main(int argc, char **argv) {
  bool cubin = argc == 4 && llvm::StringRef(argv[3]) == "cubin";
  auto list = llvm::MemoryBuffer::getFile(argc > 2 ? argv[2] : "");
  if (!list || argc > 4 || (argc == 4 && !cubin)) {
    llvm::errs() << "usage: tilec-predict TARGET LIST [cubin]\n";
    return 2;
  }
  for (const ListedNest &nest : readNestList((*list)->getBuffer()))
    llvm::outs() << predict(nest, argv[1], cubin) << "\n";
  return 0;
}
