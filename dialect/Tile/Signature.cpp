//===- Signature.cpp - What kernels and programs are called with -*- C++ -*-===//
//
// Operands with the extents of their dimensions, sizes and scalars: syntax, and rules K1 to K4 and K6.
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "Bounds.h"
#include "ConstantMemory.h"
#include "llvm/ADT/StringExtras.h"

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

ParseResult tile::parseSignature(OpAsmParser &parser, OperationState &result, StringAttr shapesName, StringAttr functionTypeName,
                                 SmallVectorImpl<OpAsmParser::Argument> &arguments) {
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
        return parser.emitError(extent.loc, "'") << extent.name << "' is not an argument";
      codes.push_back(known->second);
    }
    shapes.push_back(builder.getDenseI64ArrayAttr(codes));
  }
  result.addAttribute(shapesName, builder.getArrayAttr(shapes));
  result.addAttribute(functionTypeName,
                      TypeAttr::get(builder.getFunctionType(types, {})));
  return success();
}

ParseResult tile::parseBody(OpAsmParser &parser, OperationState &result, ArrayRef<OpAsmParser::Argument> arguments) {
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

void tile::printSignature(OpAsmPrinter &printer, Region &body, ArrayAttr shapes) {
  printer << '(';
  llvm::interleaveComma(llvm::enumerate(body.getArguments()), printer, [&](auto indexed) {
    printer << indexed.value() << ": " << indexed.value().getType();
    auto codes = cast<DenseI64ArrayAttr>(shapes[indexed.index()]).asArrayRef();
    if (codes.empty())
      return;
    printer << '[';
    llvm::interleaveComma(codes, printer, [&](int64_t code) {
      if (std::optional<int64_t> number = decodeNumber(code))
        printer << *number;
      else
        printer << body.getArgument(code);
    });
    printer << ']';
  });
  printer << ')';
}

OpFoldResult tile::getSignatureExtent(Region &body, ArrayAttr shapes, unsigned arg, unsigned dim) {
  int64_t code = cast<DenseI64ArrayAttr>(shapes[arg])[dim];
  if (std::optional<int64_t> number = decodeNumber(code))
    return IntegerAttr::get(IndexType::get(shapes.getContext()), *number);
  return body.getArgument(code);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static LogicalResult verifyOperand(FunctionOpInterface kernel, BlockArgument argument, ArrayRef<int64_t> codes,
                                   llvm::SmallDenseSet<int64_t> &used) {
  auto type = cast<MemRefType>(argument.getType());
  unsigned number = argument.getArgNumber();
  bool constant = isInConstantMemory(type) && isa<KernelOp>(kernel);
  if ((getLevel(type) != Level::DRAM && !constant) || failed(getStaticStrides(type)))
    return kernel.emitOpError("operand #") << number << " must be a strided memref in dram, got " << type; // kernel_k3
  if (constant && failed(verifyConstantOperand(kernel, argument)))
    return failure();
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

LogicalResult tile::verifySignature(FunctionOpInterface op, ArrayAttr shapes) {
  Region &body = op.getFunctionBody();
  if (body.empty() || shapes.size() != op.getArgumentTypes().size() ||
      body.getArgumentTypes() != TypeRange(op.getArgumentTypes()))
    return op.emitOpError("expected one body argument and one shape for each of ")
           << op.getArgumentTypes().size() << " arguments";
  if (unsigned results = cast<FunctionType>(op.getFunctionType()).getNumResults()) // kernel_k4
    return op.emitOpError("returns nothing, but its type has ") << results << " results";
  llvm::SmallDenseSet<int64_t> used;
  for (BlockArgument argument : body.getArguments()) {
    auto codes = dyn_cast<DenseI64ArrayAttr>(shapes[argument.getArgNumber()]);
    if (!codes)
      return op.emitOpError("shape #") << argument.getArgNumber() << " must be an array of i64";
    if (isa<MemRefType>(argument.getType())) {
      if (failed(verifyOperand(op, argument, codes, used)))
        return failure();
    } else if (!argument.getType().isIntOrIndexOrFloat() || !codes.empty()) { // kernel_k3
      return op.emitOpError("argument #") << argument.getArgNumber()
                                       << " must be a memref with extents, an index or a number, got "
                                       << argument.getType();
    }
  }
  for (BlockArgument argument : body.getArguments()) // kernel_k6
    if (argument.getType().isIndex() && !used.contains(argument.getArgNumber()))
      return op.emitOpError("size argument #") << argument.getArgNumber() << " is not an extent of any operand";
  return success();
}
