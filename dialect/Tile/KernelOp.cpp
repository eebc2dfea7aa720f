//===- KernelOp.cpp - tile.kernel -------------------------------*- C++ -*-===//
//
// Syntax and rules K1 to K7 of tile.kernel; C1 to C4 are in Compute.cpp.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Tile.h"

#include "Bounds.h"
#include "Compute.h"
#include "Independence.h"
#include "Ownership.h"
#include "Presence.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

namespace {
/// One entry of an operand's bracket list as written: a number or a name.
struct WrittenExtent {
  SMLoc loc;
  int64_t number = -1;
  StringRef name;
};
} // namespace

static std::optional<int64_t> decodeNumber(int64_t code) {
  return code < 0 ? std::optional<int64_t>(-1 - code) : std::nullopt;
}

static ParseResult parseExtents(OpAsmParser &parser, SmallVectorImpl<WrittenExtent> &extents) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalSquare, [&]() -> ParseResult {
    WrittenExtent &extent = extents.emplace_back();
    extent.loc = parser.getCurrentLocation();
    OptionalParseResult number = parser.parseOptionalInteger(extent.number);
    if (number.has_value()) {
      if (succeeded(*number) && extent.number < 0)
        return parser.emitError(extent.loc, "extent is ") << extent.number << " but must not be negative";
      return *number;
    }
    OpAsmParser::UnresolvedOperand name;
    if (parser.parseOperand(name, /*allowResultNumber=*/false))
      return failure();
    extent.name = name.name;
    return success();
  });
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes))
    return failure();

  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<SmallVector<WrittenExtent>> written;
  auto parseArgument = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back(), /*allowType=*/true) ||
                   parseExtents(parser, written.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseArgument))
    return failure();

  llvm::StringMap<int64_t> numbers;
  SmallVector<Type> types;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    numbers[argument.ssaName.name] = i;
    // Messages call arguments by their names.
    if (StringRef ssaName = argument.ssaName.name.drop_front(); !ssaName.empty() && !llvm::isDigit(ssaName.front()))
      argument.sourceLoc = NameLoc::get(parser.getBuilder().getStringAttr(ssaName),
                                        parser.getEncodedSourceLoc(argument.ssaName.location));
    types.push_back(argument.type);
  }
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> shapes;
  for (ArrayRef<WrittenExtent> extents : written) {
    SmallVector<int64_t> codes;
    for (const WrittenExtent &extent : extents) {
      if (extent.name.empty()) {
        codes.push_back(KernelOp::encodeExtent(extent.number));
        continue;
      }
      auto known = numbers.find(extent.name);
      if (known == numbers.end())
        return parser.emitError(extent.loc, "'") << extent.name << "' is not an argument of this kernel";
      codes.push_back(known->second);
    }
    shapes.push_back(builder.getDenseI64ArrayAttr(codes));
  }
  result.addAttribute(getShapesAttrName(result.name), builder.getArrayAttr(shapes));
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(builder.getFunctionType(types, {})));

  if (succeeded(parser.parseOptionalKeyword("dataflow"))) {
    StringRef keyword;
    SMLoc loc;
    if (parser.parseLParen() || parser.getCurrentLocation(&loc) || parser.parseKeyword(&keyword) ||
        parser.parseRParen())
      return failure();
    std::optional<Dataflow> dataflow = symbolizeDataflow(keyword);
    if (!dataflow)
      return parser.emitError(loc, "unknown dataflow '")
             << keyword << "'; expected output_stationary, weight_stationary, input_stationary or split_reduction";
    result.addAttribute(getDataflowAttrName(result.name),
                        DataflowAttr::get(builder.getContext(), *dataflow));
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty()) {
    Block &block = body->emplaceBlock();
    for (const OpAsmParser::Argument &argument : arguments)
      block.addArgument(argument.type, parser.getEncodedSourceLoc(argument.ssaName.location));
  }
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(llvm::enumerate(getBody().getArguments()), printer, [&](auto indexed) {
    printer << indexed.value() << ": " << indexed.value().getType();
    auto codes = cast<DenseI64ArrayAttr>(getShapes()[indexed.index()]).asArrayRef();
    if (codes.empty())
      return;
    printer << '[';
    llvm::interleaveComma(codes, printer, [&](int64_t code) {
      if (std::optional<int64_t> number = decodeNumber(code))
        printer << *number;
      else
        printer << getBody().getArgument(code);
    });
    printer << ']';
  });
  printer << ')';
  if (getDataflow())
    printer << " dataflow(" << stringifyDataflow(*getDataflow()) << ')';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getShapesAttrName(), getDataflowAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

OpFoldResult KernelOp::getOperandExtent(unsigned arg, unsigned dim) {
  int64_t code = cast<DenseI64ArrayAttr>(getShapes()[arg])[dim];
  if (std::optional<int64_t> number = decodeNumber(code))
    return IntegerAttr::get(IndexType::get(getContext()), *number);
  return getBody().getArgument(code);
}

static LogicalResult verifyOperand(KernelOp kernel, BlockArgument argument, ArrayRef<int64_t> codes,
                                   llvm::SmallDenseSet<int64_t> &used) {
  auto type = cast<MemRefType>(argument.getType());
  unsigned number = argument.getArgNumber();
  if (getLevel(type) != Level::DRAM || failed(getStaticStrides(type)))
    return kernel.emitOpError("operand #") << number << " must be a strided memref in dram, got " << type; // kernel_k3
  SmallVector<int64_t> strides;
  int64_t offset;
  if (succeeded(type.getStridesAndOffset(strides, offset)) && !ShapedType::isDynamic(offset) && offset != 0)
    return kernel.emitOpError("operand #") << number << " starts at element " << offset
                                           << " of its memory; an operand starts at element 0"; // kernel_k3
  constexpr int64_t kMostStride = int64_t(1) << 48;
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (!ShapedType::isDynamic(stride) && (stride < 0 || stride > kMostStride)) // kernel_k3
      return kernel.emitOpError("operand #") << number << ", dimension " << dim << ": stride " << stride << " is not from 0 to 2^48";
  if (static_cast<int64_t>(codes.size()) != type.getRank())
    return kernel.emitOpError("operand #") << number << " has rank " << type.getRank() << " but lists "
                                           << codes.size() << " extents; expected one for each dimension, as in [%M, 64]"; // kernel_k1
  for (auto [dim, code] : llvm::enumerate(codes)) {
    std::optional<int64_t> stated = decodeNumber(code);
    if (stated && type.getDimSize(dim) != *stated) // kernel_k2
      return kernel.emitOpError("operand #") << number << " lists extent " << *stated << " for dimension " << dim
                                             << ", whose extent is "
                                             << (type.isDynamicDim(dim) ? std::string("dynamic") : std::to_string(type.getDimSize(dim)));
    if (stated && *stated > kMostExtent) // kernel_k2
      return kernel.emitOpError("operand #") << number << ", dimension " << dim << ": extent " << *stated << " is more than "
                                             << kMostExtent;
    if (stated)
      continue;
    if (code >= kernel.getNumArguments() || !kernel.getArgumentTypes()[code].isIndex())
      return kernel.emitOpError("operand #") << number << ", dimension " << dim
                                             << ": its extent must be an index argument"; // kernel_k2
    if (!type.isDynamicDim(dim)) // kernel_k2
      return kernel.emitOpError("operand #") << number << " lists a size argument for dimension " << dim
                                             << ", whose extent is " << type.getDimSize(dim);
    used.insert(code);
  }
  return success();
}

/// What is done for each op, or for each pair of them, ends in time.
static LogicalResult verifySizes(KernelOp kernel) {
  constexpr size_t kMostOps = 16384, kMostBodyOps = 1024;
  size_t ops = 0;
  WalkResult result = kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (++ops > kMostOps) // kernel_k7
      return op->emitOpError("is the ") << ops << "th op of its kernel, which may have " << kMostOps;
    if (!isa<linalg::LinalgOp>(op))
      return WalkResult::advance();
    size_t inside = 0;
    op->walk([&](Operation *) { ++inside; });
    if (--inside > kMostBodyOps) // kernel_k7
      return op->emitOpError("has ") << inside << " ops in its region, which may have " << kMostBodyOps;
    return WalkResult::skip();
  });
  return failure(result.wasInterrupted());
}

LogicalResult KernelOp::verifyRegions() {
  if (failed(verifySizes(*this)))
    return failure();
  if (getBody().empty() || getShapes().size() != getArgumentTypes().size() ||
      getBody().getArgumentTypes() != TypeRange(getArgumentTypes()))
    return emitOpError("expected one body argument and one shape for each of ")
           << getArgumentTypes().size() << " arguments";
  if (!getFunctionType().getResults().empty()) // kernel_k4
    return emitOpError("returns nothing, but its type has ") << getFunctionType().getNumResults() << " results";
  llvm::SmallDenseSet<int64_t> used;
  for (BlockArgument argument : getBody().getArguments()) {
    auto codes = dyn_cast<DenseI64ArrayAttr>(getShapes()[argument.getArgNumber()]);
    if (!codes)
      return emitOpError("shape #") << argument.getArgNumber() << " must be an array of i64";
    if (isa<MemRefType>(argument.getType())) {
      if (failed(verifyOperand(*this, argument, codes, used)))
        return failure();
    } else if (!argument.getType().isIntOrIndexOrFloat() || !codes.empty()) { // kernel_k3
      return emitOpError("argument #") << argument.getArgNumber()
                                       << " must be a memref with extents, an index or a number, got "
                                       << argument.getType();
    }
  }
  for (BlockArgument argument : getBody().getArguments()) // kernel_k6
    if (argument.getType().isIndex() && !used.contains(argument.getArgNumber()))
      return emitOpError("size argument #") << argument.getArgNumber() << " is not an extent of any operand";
  if (failed(verifyComputations(*this)) || failed(verifyOwnership(*this)) ||
      failed(verifyIndependence(*this)) || failed(verifyPresence(*this)))
    return failure();
  return verifyDataflow(*this); // kernel_k5
}
