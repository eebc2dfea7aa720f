//===- Gathers.cpp - Kernels that gather elements ---------------*- C++ -*-===//
//
// What gathers elements of an array is a nest of its own: threads take one element each, or neighbours together where one number says where all of them lie.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "Parts.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tilec/Tile/Access.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;

/// What `op` gathers, where a nest is known for it.
static std::optional<Gathered> findGather(Operation &op) {
  auto computed = dyn_cast<linalg::LinalgOp>(op);
  std::optional<Gathered> gathered = computed && computed.hasPureBufferSemantics() && computed.getNumLoops() > 0 ? getGathered(computed) : std::nullopt;
  if (!gathered)
    return std::nullopt;
  if (!gathered->along)
    return gathered;
  // An extent that is not known is that of the line where the others are 1.
  auto indices = cast<MemRefType>(gathered->indices.getType());
  bool isKnown = indices.hasStaticShape() || llvm::count(indices.getShape(), 1) + 1 == indices.getRank();
  bool isLine = indices.getRank() == 1 || (indices.getRank() > 1 && indices.getLayout().isIdentity());
  return isLine && isKnown ? gathered : std::nullopt;
}

bool mapping::gathers(Operation &op) { return findGather(op).has_value(); }

Value mapping::getLine(Value indices, Operation *reader) {
  auto type = cast<MemRefType>(indices.getType());
  if (type.getRank() == 1)
    return indices;
  OpBuilder b(reader);
  if (type.getRank() == 0)
    return memref::ExpandShapeOp::create(b, reader->getLoc(), MemRefType::get({1}, type.getElementType()), indices, ArrayRef<ReassociationIndices>());
  ReassociationIndices all = llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  return memref::CollapseShapeOp::create(b, reader->getLoc(), indices, ArrayRef<ReassociationIndices>(all));
}

/// The element of that line that `read` says.
static AffineExpr getPlace(const Gathered &gathered) {
  AffineExpr place = getAffineConstantExpr(0, gathered.read.getContext());
  for (auto [expr, extent] : llvm::zip_equal(gathered.read.getResults(), cast<MemRefType>(gathered.indices.getType()).getShape()))
    if (extent != 1) // Elsewhere it is 0.
      place = place * extent + expr;
  return place;
}

/// So many neighbours along the last dimension lie side by side, wherever that is.
static int64_t countTogether(const Gathered &gathered, int64_t extent, unsigned rank) {
  auto type = cast<MemRefType>(gathered.table.getType());
  FailureOr<SmallVector<int64_t>> strides = tile::getStaticStrides(type);
  AffineExpr last = getAffineDimExpr(rank - 1, type.getContext());
  bool isNumbered = gathered.along && (*gathered.along + 1 == type.getRank() || gathered.read.isFunctionOfDim(rank - 1));
  bool isApart = isNumbered || failed(strides) || strides->back() != 1 ||
                 llvm::any_of(ArrayRef(gathered.subscripts).drop_back(), [&](AffineExpr expr) { return expr && expr.isFunctionOfDim(rank - 1); });
  if (isApart || gathered.subscripts.back() != last)
    return 1;
  int64_t most = std::max<int64_t>(tile::kWidestBytes * 8 / type.getElementTypeBitWidth(), 1);
  return ShapedType::isDynamic(extent) ? 1 : std::gcd(most, extent);
}

static void writeGather(const Gathered &gathered, NestWriter &w, const Problem &problem, ValueRange operands) {
  constexpr int64_t kThreads = 256;
  unsigned rank = problem.dims.size(), last = rank - 1;
  MLIRContext *context = gathered.table.getContext();
  int64_t together = countTogether(gathered, problem.dims[last].size, rank);
  // Lines of threads, and as many lines as make a block.
  auto atMost = [&](int64_t most, int64_t extent) { return ShapedType::isDynamic(extent) ? most : std::min<int64_t>(most, llvm::PowerOf2Ceil(extent)); };
  int64_t lanes = atMost(kThreads, problem.dims[last].size / together);
  SmallVector<LoopOver> blocks, threads;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t step = dim == last ? lanes * together : dim + 1 == last ? atMost(kThreads / lanes, problem.dims[dim].size) : 1;
    w.setTile(dim, dim == last ? together : 1);
    blocks.push_back({dim, problem.dims[dim].extent, step});
    if (dim + 2 >= rank)
      threads.push_back({dim, w.number(step), dim == last ? together : 1});
  }
  w.open(blocks, tile::Level::DRAM, tile::Unit::Block, "0");
  w.open(threads, tile::Level::DRAM, tile::Unit::Thread, "1");
  SmallVector<AffineExpr> subscripts(gathered.subscripts);
  if (gathered.along)
    subscripts[*gathered.along] = getPlace(gathered);
  Use to = {operands.back(), AffineMap::getMultiDimIdentityMap(rank, context)};
  Placed element, held = w.hold(to, w.builder().getZeroAttr(cast<MemRefType>(to.memref.getType()).getElementType()), "h");
  tile::StageOp stage = w.stage(w.operand({operands[0], AffineMap::get(rank, 0, subscripts, context)}), tile::Level::RF, element, "r");
  if (gathered.along) {
    stage.getIndicesMutable().assign(w.copyOf(operands[1]));
    stage.setAlong(*gathered.along);
  }
  w.computeGeneric(element, held, [](OpBuilder &, ArrayRef<Value> elements, llvm::function_ref<Value(unsigned)>, const IRMapping &) { return elements[0]; });
  w.store(held, w.operand(to));
}

std::optional<OwnNest> mapping::getGatherNest(Operation &op) {
  std::optional<Gathered> gathered = findGather(op);
  if (!gathered)
    return std::nullopt;
  auto computed = cast<linalg::LinalgOp>(op);
  auto write = [gathered = *gathered](NestWriter &w, const Problem &problem, ValueRange operands) { writeGather(gathered, w, problem, operands); };
  OwnNest nest{{gathered->table, computed.getDpsInits()[0]}, {"X", "Y"}, {&op}, "_gather", computed.getStaticLoopRanges(), write};
  if (gathered->along) {
    nest.operands.insert(nest.operands.begin() + 1, getLine(gathered->indices, &op));
    nest.names.insert(nest.names.begin() + 1, "I");
  }
  nest.walked = nest.operands.size() - 1;
  return nest;
}
