//===- PrintCUDA.cpp - The file around a kernel -----------------*- C++ -*-===//
//
// The comment at the top and the functions of the vocabulary that the kernel calls.
//
//===----------------------------------------------------------------------===//

#include "tilec/CUDA/PrintCUDA.h"

#include "Statements.h"
#include "Wrap.h"

#include "tilec/Kernel/Vocabulary.h"

using namespace mlir;
using namespace tilec;

/// Clusters came with compute capability 9.0.
static constexpr unsigned lowestClusterArch = 90;

FailureOr<PrintedKernel> tilec::printCUDA(kernel::FuncOp function, const PrintOptions &options) {
  StatementPrinter printer(function, options.lineDirectives);
  if (failed(printer.printKernel(options.symbol)))
    return failure();
  PrintedKernel result;
  if (function.getCluster() > 1)
    result.lowestArch = std::max(result.lowestArch, lowestClusterArch);

  std::string head;
  for (const std::string &comment : options.header)
    head += wrapComment(toHarmless(comment));
  // The emulator brings the same functions itself.
  head += "#ifndef TILEC_EMULATOR\n";
  if (printer.getNeeds().infinity)
    head += "#ifndef INFINITY\n#define INFINITY __int_as_float(0x7f800000)\n#endif\n";
  // Types and macros begin with a capital letter, so they come before the functions that need them.
  for (const std::string &name : printer.getNeeds().functions) {
    const kernel::VocabularyEntry *entry = kernel::lookupFunction(name);
    if (!entry)
      return function.emitError() << "'" << name << "' is not in the device vocabulary";
    head += entry->device.ltrim('\n').str();
    result.lowestArch = std::max(result.lowestArch, entry->lowestArch);
    result.archSpecific |= entry->archSpecific;
  }
  head += "#endif\n\n";
  result.places.assign(StringRef(head).count('\n'), NestPlace());
  llvm::append_range(result.places, printer.getPlaces());
  result.sharedArrays = printer.getSharedArrays();
  result.constants = printer.getConstants();
  result.text = head + printer.getText();
  return result;
}
