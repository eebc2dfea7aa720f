//===- InfoCommands.cpp - Options that print and end ------------*- C++ -*-===//

#include "InfoCommands.h"

#include "tilec/Emulator/Emulator.h"
#include "tilec/Machine/Targets.h"
#include "tilec/NVRTC/Compiler.h"
#include "tilec/Runtime/Device.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"

using namespace tilec;

static std::string versionOf(const nvrtc::Compiler &compiler) {
  return std::to_string(compiler.versionMajor()) + "." + std::to_string(compiler.versionMinor()) + " (" + compiler.libraryPath() + ")";
}

static void printVersion(const runtime::Result<nvrtc::Compiler> &compiler) {
  llvm::outs() << "tilec " TILEC_VERSION "\n"
               << "LLVM and MLIR " LLVM_VERSION_STRING "\n"
               << "NVRTC " << (compiler ? versionOf(*compiler) : "not found") << "\n";
}

/// A finding of several lines, indented under its title.
static void printFinding(llvm::StringRef title, const std::string &text) {
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  llvm::outs() << title << ": " << llvm::join(lines, "\n  ") << "\n";
}

static int runDoctor(const runtime::CudaSearch &search, const runtime::Result<nvrtc::Compiler> &compiler) {
  printVersion(compiler);
  if (compiler) {
    std::string archs;
    for (int arch : compiler->supportedArchs())
      archs += " sm_" + std::to_string(arch);
    printFinding("NVRTC compiles for", archs.substr(archs.empty() ? 0 : 1));
    printFinding("NVRTC was found in", compiler->libraryOrigin());
  } else {
    printFinding("NVRTC", compiler.message() + "\nwithout it there is no cubin and no ptx; the Python package nvidia-cuda-nvrtc holds it");
  }
  runtime::Result<runtime::Device> device = runtime::Device::open(search);
  if (device) {
    const runtime::DeviceProperties &properties = device->properties();
    printFinding("GPU", properties.name + ", sm_" + std::to_string(properties.ccMajor) + std::to_string(properties.ccMinor) +
                            ", driver for CUDA " + std::to_string(device->driverVersion() / 1000) + "." +
                            std::to_string(device->driverVersion() % 1000 / 10));
  } else {
    printFinding("GPU", device.message());
  }
  runtime::Result<std::string> host = emulator::findHostCompiler();
  printFinding("host compiler for the emulator", host ? *host : host.message());
  return compiler ? kExitDone : kExitMissing;
}

int tilec::runInfoCommand(const Options &options, DiagnosticPrinter &printer) {
  runtime::CudaSearch search = runtime::cudaSearchOfProcess(options.compile.cudaPath);
  switch (options.action) {
  case Action::Version:
    printVersion(nvrtc::Compiler::open(search));
    return kExitDone;
  case Action::Doctor:
    return runDoctor(search, nvrtc::Compiler::open(search));
  case Action::PrintTargets:
    llvm::outs() << listTargets();
    return kExitDone;
  case Action::PrintTarget: {
    MachineText machine = describeMachine(options.compile);
    if (machine.status != Status::Done)
      printer.error(machine.text);
    else
      llvm::outs() << machine.text;
    return static_cast<int>(machine.status);
  }
  case Action::Help:
  case Action::Compile:
    break;
  }
  llvm::outs() << helpText();
  return kExitDone;
}
