//===- ForOp.cpp - tile.for -------------------------------------*- C++ -*-===//
//
// Syntax and rules F1 to F17 of tile.for; F18 and F19 are in TiedTiles.cpp, F20 in part in Prefix.cpp.
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"
#include "tilec/Tile/CutLoop.h"
#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/Open.h"
#include "tilec/Tile/Reduction.h"
#include "tilec/Tile/Teams.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

void ForOp::getAsmBlockArgumentNames(Region &, OpAsmSetValueNameFn setName) {}

/// Parses a keyword that names a case of an enumeration; the error lists the cases.
template <typename Enum>
static ParseResult parseCase(OpAsmParser &parser, std::optional<Enum> (*symbolize)(StringRef), StringRef what,
                             StringRef expected, Enum &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Enum> known = symbolize(keyword);
  if (!known)
    return parser.emitError(loc, "unknown ") << what << " '" << keyword << "'; expected " << expected;
  value = *known;
  return success();
}

/// Parses `keyword` `(` a case of an enumeration `)`, or nothing.
template <typename EnumAttr, typename Enum>
static ParseResult parseWord(OpAsmParser &parser, OperationState &result, StringRef keyword, StringAttr name,
                             std::optional<Enum> (*symbolize)(StringRef), StringRef what, StringRef expected) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  Enum value{};
  if (parser.parseLParen() || parseCase<Enum>(parser, symbolize, what, expected, value) || parser.parseRParen())
    return failure();
  result.addAttribute(name, EnumAttr::get(parser.getContext(), value));
  return success();
}

/// Parses `keyword` `(` n `)`, or nothing.
static ParseResult parseNumber(OpAsmParser &parser, OperationState &result, StringRef keyword, StringAttr name) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  int64_t number;
  if (parser.parseLParen() || parser.parseInteger(number) || parser.parseRParen())
    return failure();
  result.addAttribute(name, parser.getBuilder().getI64IntegerAttr(number));
  return success();
}

/// Parses `keyword` `(` n, ... `)`, or nothing.
static ParseResult parseNumbers(OpAsmParser &parser, OperationState &result, StringRef keyword, StringAttr name) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  SmallVector<int64_t> numbers;
  auto parseOne = [&] { return parser.parseInteger(numbers.emplace_back()); };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOne))
    return failure();
  result.addAttribute(name, parser.getBuilder().getDenseI64ArrayAttr(numbers));
  return success();
}

/// Parses `keyword`, or nothing.
static ParseResult parseFlag(OpAsmParser &parser, OperationState &result, StringRef keyword, StringAttr name) {
  if (succeeded(parser.parseOptionalKeyword(keyword)))
    result.addAttribute(name, parser.getBuilder().getUnitAttr());
  return success();
}

// `persistent`? (`teams` `(` n `)`)? (`raster` `(` order `)`)? (`tail` `(` `cut` (`,` n `,` n `,` n)? `)`)?
static ParseResult parseGrid(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  if (parseFlag(parser, result, "persistent", ForOp::getPersistentAttrName(result.name)) || parseNumber(parser, result, "teams", ForOp::getTeamsAttrName(result.name)))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("raster"))) {
    if (parser.parseLParen())
      return failure();
    FailureOr<RasterAttr> raster = RasterAttr::parseText(parser);
    if (failed(raster) || parser.parseRParen())
      return failure();
    result.addAttribute(ForOp::getRasterAttrName(result.name), *raster);
  }
  if (failed(parser.parseOptionalKeyword("tail")))
    return success();
  if (parser.parseLParen() || parser.parseKeyword("cut"))
    return failure();
  result.addAttribute(ForOp::getCutTailAttrName(result.name), builder.getUnitAttr());
  if (succeeded(parser.parseOptionalComma())) {
    int64_t idle, spare, steps;
    if (parser.parseInteger(idle) || parser.parseComma() || parser.parseInteger(spare) || parser.parseComma() || parser.parseInteger(steps))
      return failure();
    result.addAttribute(ForOp::getCutWorthAttrName(result.name), builder.getDenseI64ArrayAttr({idle, spare, steps}));
  }
  return parser.parseRParen();
}

// (`reduce` `(` (kind | tile (`,` tile)* `:` type-list) `)`)? `prefix`?
static ParseResult parseReduce(OpAsmParser &parser, OperationState &result) {
  if (failed(parser.parseOptionalKeyword("reduce")))
    return success();
  SMLoc loc;
  SmallVector<OpAsmParser::UnresolvedOperand> tiles(1);
  SmallVector<Type> types;
  if (parser.parseLParen() || parser.getCurrentLocation(&loc))
    return failure();
  OptionalParseResult first = parser.parseOptionalOperand(tiles.front());
  if (!first.has_value()) {
    Combine kind{};
    if (parseCase<Combine>(parser, symbolizeCombine, "reduction", "add, max, min, mul, maxnum, minnum, and, or or xor, or the held tiles that are tied together", kind))
      return failure();
    result.addAttribute(ForOp::getReduceAttrName(result.name), CombineAttr::get(parser.getContext(), kind));
    return parser.parseRParen();
  }
  if (failed(*first))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseOperand(tiles.emplace_back()))
      return failure();
  return failure(parser.parseColonTypeList(types) || parser.resolveOperands(tiles, types, loc, result.operands) || parser.parseRParen());
}

// (`combine` `(` arguments `)` region)?
static ParseResult parseCombiner(OpAsmParser &parser, OperationState &result) {
  if (failed(parser.parseOptionalKeyword("combine")))
    return success();
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true))
    return failure();
  return parser.parseRegion(*result.addRegion(), arguments);
}

// What stands between unit and body, in the order of the reference.
static ParseResult parseClauses(OpAsmParser &parser, OperationState &result) {
  OperationName name = result.name;
  return failure(
      parseGrid(parser, result) || parseNumber(parser, result, "pipeline", ForOp::getPipelineAttrName(name)) ||
      parseNumber(parser, result, "producers", ForOp::getProducersAttrName(name)) ||
      parseNumbers(parser, result, "registers", ForOp::getRegistersAttrName(name)) ||
      parseWord<ChooseAttr, Choose>(parser, result, "choose", ForOp::getChooseAttrName(name), symbolizeChoose, "place", "copy or loop") ||
      parseWord<IssueAttr, Issue>(parser, result, "issue", ForOp::getIssueAttrName(name), symbolizeIssue, "time", "first or after_loads") ||
      parseWord<BeginAttr, Begin>(parser, result, "begin", ForOp::getBeginAttrName(name), symbolizeBegin, "place", "here or ahead") ||
      parseWord<ReleaseAttr, Release>(parser, result, "release", ForOp::getReleaseAttrName(name), symbolizeRelease, "time", "end or next") ||
      parseReduce(parser, result) || parseFlag(parser, result, "prefix", ForOp::getPrefixAttrName(name)) ||
      parseNumbers(parser, result, "smem_at", ForOp::getSmemAtAttrName(name)));
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> ivs;
  if (parser.parseArgumentList(ivs, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("in"))
    return failure();
  for (OpAsmParser::Argument &iv : ivs)
    iv.type = builder.getIndexType();

  SmallVector<OpAsmParser::UnresolvedOperand> dynamicExtents;
  SmallVector<int64_t> extents, steps;
  auto parseExtent = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      extents.push_back(kOpenExtent);
      return success();
    }
    int64_t extent;
    OptionalParseResult number = parser.parseOptionalInteger(extent);
    if (number.has_value()) {
      extents.push_back(extent);
      return *number;
    }
    extents.push_back(ShapedType::kDynamic);
    return parser.parseOperand(dynamicExtents.emplace_back());
  };
  auto parseStep = [&]() -> ParseResult {
    if (failed(parser.parseOptionalQuestion()))
      return parser.parseInteger(steps.emplace_back());
    steps.push_back(kOpenStep);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseExtent) || parser.parseKeyword("by") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseStep) ||
      parser.resolveOperands(dynamicExtents, builder.getIndexType(), result.operands))
    return failure();
  result.addAttribute(getStaticExtentsAttrName(result.name), builder.getDenseI64ArrayAttr(extents));
  result.addAttribute(getStepsAttrName(result.name), builder.getDenseI64ArrayAttr(steps));

  Level level = Level::DRAM;
  SMLoc levelLoc = parser.getCurrentLocation();
  if (parser.parseKeyword("at") || parseCase<Level>(parser, symbolizeLevel, "level", "dram, smem or rf", level))
    return failure();
  if (level == Level::Constant)
    return parser.emitError(levelLoc, "no loop is at constant memory, whose operands are read as they lie; expected dram, smem or rf");
  result.addAttribute(getLevelAttrName(result.name), LevelAttr::get(builder.getContext(), level));
  Unit unit = Unit::Time;
  if (succeeded(parser.parseOptionalKeyword("on")) &&
      parseCase<Unit>(parser, symbolizeUnit, "unit", "time, unroll, cluster, block, warpgroup, warp or thread", unit))
    return failure();
  result.addAttribute(getUnitAttrName(result.name), UnitAttr::get(builder.getContext(), unit));
  auto loops = static_cast<int32_t>(result.operands.size());
  if (parseClauses(parser, result) || parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();

  Region *body = result.addRegion();
  if (parser.parseRegion(*body, ivs))
    return failure();
  if (body->empty()) {
    Block &block = body->emplaceBlock();
    for (const OpAsmParser::Argument &iv : ivs)
      block.addArgument(iv.type, parser.getEncodedSourceLoc(iv.ssaName.location));
  }
  result.addAttribute(getOperandSegmentSizesAttrName(result.name),
                      builder.getDenseI32ArrayAttr({loops, static_cast<int32_t>(result.operands.size()) - loops}));
  return parseCombiner(parser, result);
}

void ForOp::print(OpAsmPrinter &printer) {
  auto printNumbers = [&](StringRef keyword, std::optional<ArrayRef<int64_t>> numbers) {
    if (!numbers)
      return;
    printer << ' ' << keyword << '(';
    llvm::interleaveComma(*numbers, printer);
    printer << ')';
  };
  printer << " (";
  llvm::interleaveComma(getBody().getArguments(), printer);
  printer << ") in (";
  auto dynamicExtents = getExtents().begin();
  llvm::interleaveComma(getStaticExtents(), printer, [&](int64_t extent) {
    if (ShapedType::isDynamic(extent))
      printer << *dynamicExtents++;
    else if (extent == kOpenExtent)
      printer << '?';
    else
      printer << extent;
  });
  printer << ") by (";
  llvm::interleaveComma(getSteps(), printer, [&](int64_t step) {
    if (step == kOpenStep)
      printer << '?';
    else
      printer << step;
  });
  printer << ") at " << stringifyLevel(getLevel());
  if (getUnit() != Unit::Time)
    printer << " on " << stringifyUnit(getUnit());
  if (getPersistent())
    printer << " persistent";
  if (getTeams())
    printer << " teams(" << *getTeams() << ')';
  if (RasterAttr raster = getRasterAttr())
    printer << " raster(" << raster.toString() << ')';
  if (getCutTail()) {
    printer << " tail(cut";
    for (int64_t number : getCutWorth().value_or(ArrayRef<int64_t>()))
      printer << ", " << number;
    printer << ')';
  }
  if (getPipeline())
    printer << " pipeline(" << *getPipeline() << ')';
  if (getProducers())
    printer << " producers(" << *getProducers() << ')';
  printNumbers("registers", getRegisters());
  if (getChoose())
    printer << " choose(" << stringifyChoose(*getChoose()) << ')';
  if (getIssue())
    printer << " issue(" << stringifyIssue(*getIssue()) << ')';
  if (getBegin())
    printer << " begin(" << stringifyBegin(*getBegin()) << ')';
  if (getRelease())
    printer << " release(" << stringifyRelease(*getRelease()) << ')';
  if (getReduce())
    printer << " reduce(" << stringifyCombine(*getReduce()) << ')';
  if (!getTied().empty())
    printer << " reduce(" << getTied() << " : " << getTied().getTypes() << ')';
  if (getPrefix())
    printer << " prefix";
  printNumbers("smem_at", getSmemAt());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                {getStaticExtentsAttrName(), getStepsAttrName(), getLevelAttrName(),
                                 getUnitAttrName(), getPersistentAttrName(), getTeamsAttrName(), getRasterAttrName(), getCutTailAttrName(), getCutWorthAttrName(),
                                 getPipelineAttrName(), getProducersAttrName(), getRegistersAttrName(), getChooseAttrName(),
                                 getIssueAttrName(), getBeginAttrName(), getReleaseAttrName(), getReduceAttrName(), getPrefixAttrName(), getSmemAtAttrName(), getOperandSegmentSizesAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
  for (Region &combiner : getCombiners()) {
    printer << " combine (";
    llvm::interleaveComma(combiner.getArguments(), printer, [&](BlockArgument argument) { printer.printRegionArgument(argument); });
    printer << ") ";
    printer.printRegion(combiner, /*printEntryBlockArgs=*/false);
  }
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

OpFoldResult ForOp::getExtent(unsigned i) {
  int64_t extent = getStaticExtents()[i];
  if (!ShapedType::isDynamic(extent))
    return IntegerAttr::get(IndexType::get(getContext()), extent);
  return getExtents()[llvm::count_if(getStaticExtents().take_front(i), ShapedType::isDynamic)];
}

std::optional<int64_t> ForOp::getStaticCount(unsigned i) {
  int64_t extent = getStaticExtents()[i], step = getSteps()[i];
  if (ShapedType::isDynamic(extent) || extent == kOpenExtent || step == kOpenStep)
    return std::nullopt;
  return llvm::divideCeil(extent, step);
}

ForOp ForOp::getCutLoop() {
  for (ForOp loop : getBody().front().getOps<ForOp>()) {
    if (loop.getCutTail())
      return loop;
    if (getUnit() == Unit::Cluster && loop.getUnit() == Unit::Block)
      if (ForOp cut = loop.getCutLoop())
        return cut;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static bool isUnit(ForOp loop) { return loop.getUnit() != Unit::Time && loop.getUnit() != Unit::Unroll; }

static LogicalResult verifyNesting(ForOp loop) {
  if (!isUnit(loop))
    return success();
  for (auto outer = loop->getParentOfType<ForOp>(); outer; outer = outer->getParentOfType<ForOp>()) {
    if (!isUnit(outer))
      continue;
    bool repeats = outer.getUnit() == loop.getUnit() && !isThreadUnit(loop);
    if (outer.getUnit() > loop.getUnit() || repeats) { // for_f4
      InFlightDiagnostic diag = loop.emitOpError("on ")
                                << stringifyUnit(loop.getUnit()) << " is nested in a loop on "
                                << stringifyUnit(outer.getUnit());
      diag.attachNote(outer.getLoc()) << "units nest in the order cluster, block, warpgroup, warp, thread";
      return diag;
    }
  }
  return success();
}

static LogicalResult verifyCutPlace(ForOp loop) {
  if (loop.getUnit() != Unit::Time || loop.getNumLoops() != 1) // for_f10
    return loop.emitOpError("tail(cut) needs a loop on time with one induction variable, not a loop on ")
           << stringifyUnit(loop.getUnit()) << " with " << loop.getNumLoops();
  auto outer = dyn_cast_if_present<ForOp>(loop->getParentOp());
  ForOp grid = outer;
  if (outer && outer.getUnit() == Unit::Block)
    if (auto cluster = dyn_cast_if_present<ForOp>(outer->getParentOp()))
      grid = cluster;
  if (!grid || outer.getUnit() != Unit::Block || !grid.getPersistent()) // for_f10
    return loop.emitOpError("tail(cut) needs a loop on block right around the loop, persistent or in a persistent loop on cluster");
  if (ForOp first = grid.getCutLoop(); first != loop) { // for_f10
    InFlightDiagnostic diag = loop.emitOpError("is the second loop with tail(cut) in its persistent loop");
    diag.attachNote(first.getLoc()) << "the first one is here";
    return diag;
  }
  return success();
}

static LogicalResult verifyPipeline(ForOp loop) {
  int64_t depth = *loop.getPipeline();
  if (loop.getUnit() != Unit::Time) // for_f6
    return loop.emitOpError("pipeline(") << depth << ") needs a loop on time, not on " << stringifyUnit(loop.getUnit());
  if (depth < 2 || depth > kMostStages) // for_f6
    return loop.emitOpError("pipeline(") << depth << ") has no depth from 2 to " << kMostStages;
  return success();
}

static LogicalResult verifyProducers(ForOp loop) {
  if (std::optional<ArrayRef<int64_t>> registers = loop.getRegisters()) {
    if (!loop.getProducers()) // for_f13
      return loop.emitOpError("registers needs producers that take the smaller part");
    if (registers->size() != 2) // for_f13
      return loop.emitOpError("registers needs two numbers, got ") << registers->size();
    // PTX ISA 9.7.20.5 (setmaxnreg).
    for (int64_t number : *registers)
      if (number % 8 != 0 || number < 24 || number > 256) // for_f13
        return loop.emitOpError("gives threads ") << number << " registers; expected a multiple of 8 from 24 to 256";
  }
  if (!loop.getProducers())
    return success();
  int64_t warps = *loop.getProducers();
  if (warps < 1 || warps > kMostProducers) // for_f12
    return loop.emitOpError("has ") << warps << " warps of producers; expected from 1 to " << kMostProducers;
  if (!loop.getPipeline()) // for_f12
    return loop.emitOpError("producers needs a pipeline for them to fill");
  for (auto outer = loop->getParentOfType<ForOp>(); outer; outer = outer->getParentOfType<ForOp>())
    if (isThreadUnit(outer)) { // for_f12
      InFlightDiagnostic diag = loop.emitOpError("producers are warps of the block, but this loop is inside of one on ")
                                << stringifyUnit(outer.getUnit());
      diag.attachNote(outer.getLoc()) << "that loop is here";
      return diag;
    }
  auto kernel = loop->getParentOfType<KernelOp>();
  ForOp first;
  if (kernel)
    kernel.walk<WalkOrder::PreOrder>([&](ForOp other) {
      if (!other.getProducers())
        return WalkResult::advance();
      first = other;
      return WalkResult::interrupt();
    });
  if (first && first != loop) { // for_f12
    InFlightDiagnostic diag = loop.emitOpError("is the second loop with producers in its kernel");
    diag.attachNote(first.getLoc()) << "the first one is here";
    return diag;
  }
  return success();
}

static LogicalResult verifyPlaces(ForOp loop) {
  for (int64_t place : loop.getSmemAt().value_or(ArrayRef<int64_t>()))
    if (!isSharedPlace(place)) // for_f14
      return loop.emitOpError("smem_at(") << place << ") is no multiple of 128 from 0 to 2147483520";
  return success();
}

/// What a planned loop says of its copies and of its last wave.
static LogicalResult verifyDecisions(ForOp loop) {
  StringRef ofCopies = loop.getChoose() ? "choose" : loop.getIssue() ? "issue" : loop.getBegin() ? "begin" : "";
  if (!ofCopies.empty() && (!loop.getPipeline() || loop.getProducers())) // for_f15
    return loop.emitOpError(ofCopies) << " is for a pipeline without producers";
  if (loop.getRelease() && !loop.getProducers()) // for_f15
    return loop.emitOpError("release is for a pipeline with producers, which wait for slots");
  std::optional<ArrayRef<int64_t>> worth = loop.getCutWorth();
  if (!worth)
    return success();
  if (!loop.getCutTail() || worth->size() != 3) // for_f16
    return loop.emitOpError("says with ") << worth->size() << " numbers when a last wave is cut; tail(cut) takes three";
  for (int64_t number : *worth)
    if (number < 1 || number > kMostCutWorth) // for_f16
      return loop.emitOpError("tail(cut, ") << (*worth)[0] << ", " << (*worth)[1] << ", " << (*worth)[2] << ") has no numbers from 1 to " << kMostCutWorth;
  return success();
}

static LogicalResult verifyReduce(ForOp loop) {
  if (loop.getUnit() != Unit::Block && loop.getUnit() != Unit::Warp && loop.getUnit() != Unit::Thread) // for_f7
    return loop.emitOpError("reduce needs a loop on block, warp or thread, not on ") << stringifyUnit(loop.getUnit());
  auto outer = dyn_cast_if_present<ForOp>(loop->getParentOp());
  if (loop.getUnit() == Unit::Block && (!outer || outer.getUnit() != Unit::Cluster)) // for_f7
    return loop.emitOpError("on block reduces over the blocks of a cluster, but is not directly in a loop on cluster");
  return success();
}

/// Do the iterations of `loop` make up a block's threads or a cluster's blocks?
static bool makesUnits(ForOp loop) {
  auto outer = dyn_cast_if_present<ForOp>(loop->getParentOp());
  return isThreadUnit(loop) || (loop.getUnit() == Unit::Block && outer && outer.getUnit() == Unit::Cluster);
}

LogicalResult ForOp::verify() {
  size_t count = getSteps().size();
  if (count == 0 || getStaticExtents().size() != count || getBody().getNumArguments() != count) // for_f1
    return emitOpError("has ") << getBody().getNumArguments() << " induction variables, "
                               << getStaticExtents().size() << " extents and " << count << " steps";
  if (llvm::count_if(getStaticExtents(), ShapedType::isDynamic) != static_cast<int64_t>(getExtents().size()))
    return emitOpError("has ") << getExtents().size() << " extent operands"; // for_f1
  for (Value iv : getBody().getArguments())
    if (!iv.getType().isIndex()) // for_f1
      return emitOpError("has an induction variable of type ") << iv.getType() << ", expected index";
  bool inside = isThreadUnit(*this) || getUnit() == Unit::Unroll;
  for (unsigned i = 0; i < count; ++i) {
    int64_t extent = getStaticExtents()[i], step = getSteps()[i];
    bool open = extent == kOpenExtent || step == kOpenStep;
    if (!ShapedType::isDynamic(extent) && extent != kOpenExtent && (extent < 0 || extent > kMostExtent)) // for_f2
      return emitOpError("loop ") << i << " has extent " << extent << "; expected from 0 to " << kMostExtent;
    // The last offset and a step more are `int`s of the kernel.
    int64_t most = kMostElements - (extent < 0 ? kMostExtent : extent);
    if (step != kOpenStep && (step < 1 || step > most)) // for_f2
      return emitOpError("loop ") << i << " has step " << step << "; expected from 1 to " << most << " for "
                                  << (extent < 0 ? "a dynamic extent" : "extent " + std::to_string(extent));
    if (extent == 0 && makesUnits(*this)) // for_f8
      return emitOpError("loop ") << i << " on " << stringifyUnit(getUnit()) << " has extent 0, but "
                                  << (getUnit() == Unit::Block ? "a cluster has at least one block" : "a block has at least one thread");
    if (ShapedType::isDynamic(extent)) {
      if (inside) // for_f8
        return emitOpError("on ") << stringifyUnit(getUnit()) << " needs static extents, but extent " << i
                                  << " is dynamic";
    } else if (!open && extent % step != 0 && (inside || getLevel() != Level::DRAM)) { // for_f3
      return emitOpError("extent ") << extent << " of loop " << i << " is not a multiple of its step " << step;
    }
  }
  if (failed(verifyNesting(*this)))
    return failure();
  if (RasterAttr raster = getRasterAttr()) {
    bool outermost = !(*this)->getParentOfType<ForOp>();
    if (!outermost || (getUnit() != Unit::Block && getUnit() != Unit::Cluster)) // for_f5
      return emitOpError("raster orders the outermost loop on block or cluster, not a loop on ")
             << stringifyUnit(getUnit()) << (outermost ? "" : " inside another loop");
    bool ofLines = raster.getOrder() == RasterOrder::Row || raster.getOrder() == RasterOrder::Column;
    if (!ofLines && count != 2) // for_f5
      return emitOpError("raster ") << raster.toString() << " needs 2 induction variables, got " << count;
  }
  bool onGrid = getUnit() == Unit::Block || getUnit() == Unit::Cluster;
  if (getPersistent() && ((*this)->getParentOfType<ForOp>() || !onGrid)) // for_f9
    return emitOpError("persistent needs the outermost loop, on block or cluster, not a loop on ")
           << stringifyUnit(getUnit()) << ((*this)->getParentOfType<ForOp>() ? " inside another loop" : "");
  if (getTeams() && failed(verifyTeams(*this)))
    return failure();
  if (getCutTail() && failed(verifyCutPlace(*this)))
    return failure();
  if (getPipeline() && failed(verifyPipeline(*this)))
    return failure();
  if (failed(verifyProducers(*this)) || failed(verifyPlaces(*this)) || failed(verifyDecisions(*this)))
    return failure();
  if (getPrefix() && (!getReduce() || getUnit() != Unit::Thread)) // for_f20
    return emitOpError("prefix needs reduce by a kind on a loop on thread") << (getReduce() ? ", not on " + stringifyUnit(getUnit()).str() : std::string());
  return reduces() ? verifyReduce(*this) : success();
}

LogicalResult ForOp::verifyRegions() {
  if (failed(verifyTiedClause(*this)) || (getPrefix() && failed(verifyPrefixClause(*this))))
    return failure();
  if (getTeams() && failed(verifyTeamsRing(*this)))
    return failure();
  return getCutTail() ? verifyCutLoop(*this) : success();
}
