//===- ControlOps.cpp - The function, its loops and registers ---*- C++ -*-===//
//
// Custom forms, verifiers, and canonicalization of loops of no and of one
// iteration and of registers that nobody reads.
//
//===----------------------------------------------------------------------===//

#include "tilec/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tilec/Tile/Distribution.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::kernel;

//===----------------------------------------------------------------------===//
// FuncOp
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, TypeRange parameters, int64_t threads) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(builder.getFunctionType(parameters, {})));
  state.addAttribute(getThreadsAttrName(state.name), builder.getI64IntegerAttr(threads));
  Block &body = state.addRegion()->emplaceBlock();
  for (Type type : parameters)
    body.addArgument(type, state.location);
}

/// Numbers of the launch: the words that they are written with, and the values that are not written.
struct LaunchWord {
  StringRef word;
  StringAttr attribute;
  std::optional<int64_t> usual;
};

static SmallVector<LaunchWord> getLaunchWords(OperationName name) {
  return {{"threads", FuncOp::getThreadsAttrName(name), std::nullopt},
          {"min_blocks", FuncOp::getMinBlocksAttrName(name), std::nullopt},
          {"cluster", FuncOp::getClusterAttrName(name), 1},
          {"static_shared", FuncOp::getStaticSharedAttrName(name), 0},
          {"dynamic_shared", FuncOp::getDynamicSharedAttrName(name), 0}};
}

/// `(%A, %B)` as numbers of parameters.
static ParseResult parseReads(OpAsmParser &parser, ArrayRef<OpAsmParser::Argument> parameters, SmallVectorImpl<int64_t> &reads) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    if (parser.parseOperand(operand))
      return failure();
    const auto *found = llvm::find_if(parameters, [&](const OpAsmParser::Argument &parameter) { return parameter.ssaName.name == operand.name; });
    if (found == parameters.end())
      return parser.emitError(operand.location) << operand.name << " is no parameter of the kernel";
    reads.push_back(found - parameters.begin());
    return success();
  });
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> parameters;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      parser.parseArgumentList(parameters, OpAsmParser::Delimiter::Paren, /*allowType=*/true))
    return failure();
  SmallVector<Type> types = llvm::map_to_vector(parameters, [](const OpAsmParser::Argument &parameter) { return parameter.type; });
  result.addAttribute(getFunctionTypeAttrName(result.name), TypeAttr::get(b.getFunctionType(types, {})));
  SmallVector<int64_t> reads;
  if (succeeded(parser.parseOptionalKeyword("reads"))) {
    if (parseReads(parser, parameters, reads))
      return failure();
    result.addAttribute(getReadsAttrName(result.name), b.getDenseI64ArrayAttr(reads));
  }
  for (const auto &[word, attribute, usual] : getLaunchWords(result.name)) {
    int64_t number = 0;
    if (failed(parser.parseOptionalKeyword(word)))
      continue;
    if (parser.parseLParen() || parser.parseInteger(number) || parser.parseRParen())
      return failure();
    result.addAttribute(attribute, b.getI64IntegerAttr(number));
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  return parser.parseRegion(*result.addRegion(), parameters);
}

void FuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(getArguments(), printer, [&](BlockArgument parameter) { printer.printRegionArgument(parameter); });
  printer << ')';
  if (!getReads().empty()) {
    printer << " reads(";
    llvm::interleaveComma(getReads(), printer, [&](int64_t number) { printer.printOperand(getArgument(number)); });
    printer << ')';
  }
  SmallVector<StringRef> written = {getSymNameAttrName(), getFunctionTypeAttrName(), getReadsAttrName()};
  for (const auto &[word, attribute, usual] : getLaunchWords((*this)->getName())) {
    written.push_back(attribute);
    if (auto number = (*this)->getAttrOfType<IntegerAttr>(attribute); number && number.getInt() != usual)
      printer << ' ' << word << '(' << number.getInt() << ')';
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), written);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

static int64_t getBytes(SharedOp array) {
  MemRefType type = array.getBuffer().getType();
  return type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Do the arrays lie in the shared memory that the launch has?
static LogicalResult verifyShared(FuncOp function) {
  int64_t fixed = 0;
  WalkResult result = function.walk([&](SharedOp array) {
    int64_t bytes = getBytes(array);
    if (!array.getOffset())
      fixed += bytes;
    else if (int64_t end = *array.getOffset() + bytes; end > int64_t(function.getDynamicShared()))
      return WalkResult(array.emitOpError("ends at byte ") << end << " of the dynamic shared memory, the kernel has " << function.getDynamicShared());
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (fixed > int64_t(function.getStaticShared()))
    return function.emitOpError("has arrays of ") << fixed << " bytes in static shared memory, and static_shared(" << function.getStaticShared() << ")";
  return success();
}

/// Is nothing written to the parameters that are said to be read only?
static LogicalResult verifyReads(FuncOp function) {
  for (int64_t number : function.getReads()) {
    if (number < 0 || number >= int64_t(function.getNumArguments()) || !isa<MemRefType>(function.getArgument(number).getType()))
      return function.emitOpError("reads parameter #") << number << ", which is no operand in global memory";
    BlockArgument operand = function.getArgument(number);
    for (Operation *user : operand.getUsers()) {
      auto effects = dyn_cast<MemoryEffectOpInterface>(user);
      if (!effects || !effects.getEffectOnValue<MemoryEffects::Write>(operand))
        continue;
      InFlightDiagnostic diag = function.emitOpError("reads parameter #") << number << ", and writes it";
      diag.attachNote(user->getLoc()) << "here";
      return diag;
    }
  }
  return success();
}

LogicalResult FuncOp::verify() {
  if (!getResultTypes().empty())
    return emitOpError("has ") << getResultTypes().size() << " results; a kernel has none";
  if (TypeRange(getArgumentTypes()) != getBody().front().getArgumentTypes())
    return emitOpError("has parameters of other types than its body");
  for (auto [number, type] : llvm::enumerate(getArgumentTypes()))
    if (isa<MemRefType>(type) ? !isGlobal(type) : !type.isIntOrIndexOrFloat() && !isa<TensorMapType>(type))
      return emitOpError("has parameter #") << number << " of type " << type << "; operands in global memory, scalars and tensor maps can be";
  if (failed(verifyReads(*this)))
    return failure();
  return verifyShared(*this);
}

//===----------------------------------------------------------------------===//
// ForOp
//===----------------------------------------------------------------------===//

void ForOp::build(OpBuilder &builder, OperationState &state, Value lowerBound, Value upperBound, Value step) {
  state.addOperands({lowerBound, upperBound, step});
  Region *region = state.addRegion();
  region->emplaceBlock().addArgument(lowerBound.getType(), state.location);
  ensureTerminator(*region, builder, state.location);
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  if (succeeded(parser.parseOptionalKeyword("unroll"))) {
    int64_t factor = kWhole;
    if (succeeded(parser.parseOptionalLParen()) && (parser.parseInteger(factor) || parser.parseRParen()))
      return failure();
    result.addAttribute(getUnrollAttrName(result.name), b.getI64IntegerAttr(factor));
  }
  if (succeeded(parser.parseOptionalKeyword("pipeline")))
    result.addAttribute(getPipelineAttrName(result.name), b.getUnitAttr());
  if (succeeded(parser.parseOptionalKeyword("thread_loop"))) {
    int64_t number = 0;
    if (parser.parseInteger(number))
      return failure();
    result.addAttribute(getThreadLoopAttrName(result.name), b.getI64IntegerAttr(number));
  }
  OpAsmParser::Argument variable;
  OpAsmParser::UnresolvedOperand lowerBound, upperBound, step;
  if (parser.parseArgument(variable) || parser.parseEqual() || parser.parseOperand(lowerBound) || parser.parseKeyword("to") ||
      parser.parseOperand(upperBound) || parser.parseKeyword("step") || parser.parseOperand(step))
    return failure();
  variable.type = b.getIndexType();
  if (succeeded(parser.parseOptionalColon()) && parser.parseType(variable.type))
    return failure();
  Region *region = result.addRegion();
  if (parser.resolveOperands({lowerBound, upperBound, step}, variable.type, result.operands) ||
      parser.parseRegion(*region, variable) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*region, b, result.location);
  return success();
}

void ForOp::print(OpAsmPrinter &printer) {
  if (std::optional<uint64_t> factor = getUnroll()) {
    printer << " unroll";
    if (*factor != kWhole)
      printer << '(' << *factor << ')';
  }
  if (getPipeline())
    printer << " pipeline";
  if (auto number = static_cast<int64_t>(getThreadLoop()))
    printer << " thread_loop " << number;
  printer << ' ' << getInductionVar() << " = " << getLowerBound() << " to " << getUpperBound() << " step " << getStep() << ' ';
  if (Type type = getInductionVar().getType(); !type.isIndex())
    printer << ": " << type << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(), {getUnrollAttrName(), getPipelineAttrName(), getThreadLoopAttrName()});
}

LogicalResult ForOp::verifyRegions() {
  if (getBody()->getNumArguments() != 1 || getInductionVar().getType() != getLowerBound().getType())
    return emitOpError("has a body with other arguments than one of type ") << getLowerBound().getType();
  return success();
}

SmallVector<Region *> ForOp::getLoopRegions() { return {&getRegion()}; }
std::optional<SmallVector<Value>> ForOp::getLoopInductionVars() { return SmallVector<Value>{getInductionVar()}; }

/// ub - lb where that is a constant that is added to lb. Where the sum may wrap, nothing is known.
static std::optional<llvm::APSInt> getDistance(Value lowerBound, Value upperBound, bool) {
  auto sum = upperBound.getDefiningOp<arith::AddIOp>();
  APInt distance;
  if (!sum || !sum.hasNoSignedWrap() || sum.getLhs() != lowerBound || !matchPattern(sum.getRhs(), m_ConstantInt(&distance)))
    return std::nullopt;
  return llvm::APSInt(distance, /*isUnsigned=*/false);
}

/// Takes away loops of no iteration, and writes the body of a loop of one in its place.
static LogicalResult simplifyShortLoop(ForOp loop, PatternRewriter &rewriter) {
  std::optional<APInt> count =
      constantTripCount(loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), /*isSigned=*/true, getDistance);
  if (!count || count->ugt(1))
    return failure();
  if (count->isZero()) {
    rewriter.eraseOp(loop);
    return success();
  }
  rewriter.eraseOp(loop.getBody()->getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), loop, loop.getLowerBound());
  rewriter.eraseOp(loop);
  return success();
}

void ForOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(simplifyShortLoop); }

//===----------------------------------------------------------------------===//
// RolesOp
//===----------------------------------------------------------------------===//

void RolesOp::build(OpBuilder &builder, OperationState &state, Value condition, ArrayRef<int64_t> threads, int64_t teams) {
  state.addOperands(condition);
  state.addAttribute(getThreadsAttrName(state.name), builder.getDenseI64ArrayAttr(threads));
  if (teams > 1)
    state.addAttribute(getTeamsAttrName(state.name), builder.getI64IntegerAttr(teams));
  for (unsigned group = 0; group < 2; ++group) {
    Region *region = state.addRegion();
    region->emplaceBlock();
    ensureTerminator(*region, builder, state.location);
  }
}

LogicalResult RolesOp::verify() {
  if (getThreads().size() != 2)
    return emitOpError("has threads of ") << getThreads().size() << " groups, and regions of 2";
  int64_t all = 0;
  for (int64_t threads : getThreads()) {
    if (threads <= 0 || threads % tile::kWarpThreads != 0)
      return emitOpError("has a group of ") << threads << " threads; groups are whole warps of " << tile::kWarpThreads;
    all += threads;
  }
  if (int64_t teams = getTeams().value_or(1), threads = getThreads().back(); threads % (teams * tile::kWarpThreads) != 0)
    return emitOpError("parts ") << threads << " threads into " << teams << " teams; teams are whole warps of " << tile::kWarpThreads;
  if (auto function = (*this)->getParentOfType<FuncOp>(); function && all != int64_t(function.getThreads()))
    return emitOpError("parts ") << all << " threads, the block has " << function.getThreads();
  return success();
}

//===----------------------------------------------------------------------===//
// RegistersOp
//===----------------------------------------------------------------------===//

LogicalResult RegistersOp::verify() {
  std::optional<TypedAttr> init = getInit();
  if (!init)
    return success();
  MemRefType type = getArray().getType();
  if (init->getType() != type.getElementType())
    return emitOpError("begins as a value of type ") << init->getType() << ", elements are of type " << type.getElementType();
  if (type.getRank() != 0 && *init != Builder(getContext()).getZeroAttr(init->getType()))
    return emitOpError("begins as ") << *init << "; only zeros can be the elements of an array";
  return success();
}

/// Takes away an array that nobody reads, with the stores to it.
static LogicalResult eraseUnread(RegistersOp op, PatternRewriter &rewriter) {
  auto writes = [&](Operation *user) {
    auto store = dyn_cast<memref::StoreOp>(user);
    return store && store.getValue() != op.getArray();
  };
  if (!llvm::all_of(op->getUsers(), writes))
    return failure();
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    rewriter.eraseOp(user);
  rewriter.eraseOp(op);
  return success();
}

void RegistersOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(eraseUnread); }
