//===- KernelOp.cpp - tile.kernel -------------------------------*- C++ -*-===//
//
// Syntax and rules K5 and K7 of tile.kernel; what it is called with is in Signature.cpp, C1 to C4 are in Compute.cpp.
//
//===----------------------------------------------------------------------===//

#include "tilec/Tile/Open.h"

#include "Bounds.h"
#include "Compute.h"
#include "ConstantMemory.h"
#include "Independence.h"
#include "OpenRules.h"
#include "Ownership.h"
#include "Presence.h"
#include "Signature.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes))
    return failure();

  SmallVector<OpAsmParser::Argument> arguments;
  if (parseSignature(parser, result, getShapesAttrName(result.name), getFunctionTypeAttrName(result.name), arguments))
    return failure();

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
                        DataflowAttr::get(parser.getContext(), *dataflow));
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  return parseBody(parser, result, arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printSignature(printer, getBody(), getShapes());
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

OpFoldResult KernelOp::getOperandExtent(unsigned arg, unsigned dim) { return getSignatureExtent(getBody(), getShapes(), arg, dim); }

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
  if (failed(verifySignature(*this, getShapes())))
    return failure();
  if (failed(verifyConstantUses(*this)))
    return failure();
  if (findOpenLoop(*this))
    return verifyOpen(*this);
  if (failed(verifyComputations(*this)) || failed(verifyOwnership(*this)) ||
      failed(verifyIndependence(*this)) || failed(verifyPresence(*this)))
    return failure();
  return verifyDataflow(*this); // kernel_k5
}
