//===- Parse.cpp - Text to nests --------------------------------*- C++ -*-===//
//
// MLIR's parser forgets the names of values; its parser state for editors knows
// where each was defined, and so what it was called.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"

#include "CheckText.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tilec/Kernel/Kernel.h"
#include "tilec/Mapping/Import.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/Tile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilec;

DialectRegistry tilec::nestDialects() {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, kernel::KernelDialect, tile::TileDialect>();
  mapping::registerImport(registry);
  return registry;
}

/// The name at a definition: `%m0` is called m0. Groups such as `%x:2` have no names of their own.
static std::optional<StringRef> getName(llvm::SMRange range) {
  StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  if (!text.consume_front("%") || text.empty() || llvm::isDigit(text.front()))
    return std::nullopt;
  return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-'; });
}

/// Each op is where it stands in the file, whatever `loc(...)` says: counts are attributed by place, and two ops never
/// stand at one.
static void locateOps(const AsmParserState &state, const llvm::SourceMgr &sources, StringRef fileName, MLIRContext &context) {
  auto place = [&](llvm::SMLoc loc) -> Location {
    auto [line, column] = sources.getLineAndColumn(loc);
    return FileLineColLoc::get(&context, fileName, line, column);
  };
  for (const AsmParserState::OperationDefinition &op : state.getOpDefs())
    op.op->setLoc(place(op.loc.Start));
  for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
    for (auto [argument, definition] : llvm::zip(block.block->getArguments(), block.arguments))
      if (definition.loc.isValid())
        argument.setLoc(place(definition.loc.Start));
}

static void nameValues(const AsmParserState &state) {
  auto rename = [](Location loc, StringRef name) -> Location {
    return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
  };
  for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
    for (auto [argument, definition] : llvm::zip(block.block->getArguments(), block.arguments))
      if (std::optional<StringRef> name = getName(definition.loc))
        argument.setLoc(rename(argument.getLoc(), *name));
  for (const AsmParserState::OperationDefinition &op : state.getOpDefs())
    if (op.resultGroups.size() == 1 && op.op->getNumResults() == 1)
      if (std::optional<StringRef> name = getName(op.resultGroups.front().definition.loc))
        op.op->setLoc(rename(op.op->getLoc(), *name));
}

/// Anything else would be compiled with the kernels, or get in their way.
static LogicalResult checkOps(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (!isa<tile::KernelOp, tile::ProgramOp, func::FuncOp>(op))
      return op.emitError() << "'" << op.getName() << "' stands where a tile.kernel, tile.program or func.func is expected; a file holds kernels, programs, functions of linalg ops, and aliases of types and attributes";
  return verify(module);
}

OwningOpRef<ModuleOp> tilec::parseNests(StringRef text, StringRef fileName, MLIRContext &context) {
  if (std::optional<TextError> wrong = checkText(text)) {
    emitError(FileLineColLoc::get(&context, fileName, wrong->line, wrong->column)) << wrong->message;
    return nullptr;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, fileName), llvm::SMLoc());
  AsmParserState state;
  Block block;
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return nullptr;
  locateOps(state, sources, fileName, context);
  nameValues(state);
  for (Operation &op : block)
    tile::expandDivisions(&op);
  // A file is a module, or the ops of one.
  if (llvm::hasSingleElement(block))
    if (auto module = dyn_cast<ModuleOp>(block.front())) {
      module->remove();
      return failed(checkOps(module)) ? OwningOpRef<ModuleOp>() : OwningOpRef<ModuleOp>(module);
    }
  OwningOpRef<ModuleOp> module = ModuleOp::create(FileLineColLoc::get(&context, fileName, 1, 1));
  module->getBody()->getOperations().splice(module->getBody()->begin(), block.getOperations());
  if (failed(checkOps(*module)))
    return nullptr;
  return module;
}

std::string tilec::printIR(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().useLocalScope().printNameLocAsPrefix());
  return text + "\n";
}
