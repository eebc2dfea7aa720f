//===- Chain.cpp - Two products with softmax between ------------*- C++ -*-===//
//
// A block takes some rows through all keys, which producers copy with their values by TMA. Each warpgroup has 64 rows of the scores in registers, where maxima and
// sums are put together by shuffles (language.md 2.4); the weights, rounded, are the first matrix of the second product as they are (examples/fast/attention_wgmma.mlir).
// Where warps multiply, each has 16 or 32 rows, all threads copy, and warps load keys and values by ldmatrix (examples/fast/attention_mma.mlir). Where threads do, as in f32,
// weights go by way of shared memory, and threads stand 16 x 16 (examples/chains/attention.mlir), or take rows beside each other (examples/fast/attention.mlir).
//
//===----------------------------------------------------------------------===//

#include "tilec/Mapping/Chain.h"

#include "RowBodies.h"
#include "Schemes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Tile/ComputeClauses.h"

#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;
using tile::Unit;

namespace {
/// A power of this is 0, and of any multiple that a base makes of it.
constexpr double kNone = -1024;

/// Multiply-adds of a thread that a loop writes out at most: what instruction caches do not hold takes twice as long (docs/results/gpu.md). Blocks of so few threads
/// that several share an SM are at several places of it: 16 heads of 4096 tokens of 40 numbers took 1630 us on an H200 with 1280 and 1536 written out, 1346 with 256 and 96.
constexpr int64_t kMostWritten = 2048, kMostWrittenByFew = 512;

/// What bodies compute with.
struct Floats {
  OpBuilder &b;
  Location loc;
  bool isExact = false;

  Value constant(double value) { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value))); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  /// x * y; x where y is 1.
  Value scale(Value x, double y) { return y == 1 ? x : mul(x, constant(y)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value max(Value x, Value y) { return arith::MaximumFOp::create(b, loc, x, y); }
  /// Where what follows is rounded to 11 digits or fewer, the function may be an approximation (docs/language.md, bodies).
  Value exp2(Value x) { return math::Exp2Op::create(b, loc, x, isExact ? arith::FastMathFlags::none : arith::FastMathFlags::afn); }
};

/// A computation of f32 numbers alone.
using FloatBody = llvm::function_ref<Value(Floats floats, ArrayRef<Value> elements)>;

class ChainWriter {
public:
  ChainWriter(const Problem &problem, const Mapping &mapping, NestWriter &w) : problem(problem), chain(*problem.chain), mapping(mapping), w(w) {}
  void run();

private:
  /// A tile of `use`, which is multiplied along `depth`.
  Placed stage(const Use &use, Level level, unsigned depth);
  Placed holdRows(double init);
  void multiply(linalg::LinalgOp op, ArrayRef<unsigned> dims, Placed of, Placed by, Placed sums, unsigned depth, unsigned column);
  ForOp openUnits(Placed &by, unsigned depth, unsigned column);
  ForOp openThreads(Placed &of, Placed &by, unsigned depth, unsigned column);
  ForOp openLines(Placed &of, Placed &by, unsigned depth, unsigned column);
  Placed makeWeights(const Placed &scores);
  bool isByWarps() const { return mapping.usesWarps(); }
  bool isByThreads() const { return mapping.warpRows == 0; }
  /// Do threads take rows beside each other, of which they read several at once?
  bool isByLines() const { return mapping.rows > 1; }
  void compute(ArrayRef<Placed> inputs, const Placed &result, FloatBody body);
  void maskKeys(ForOp steps, const Placed &scores);
  void weigh(const Placed &scores);
  void computeExponents(const Placed &scores);
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(w.builder(), problem.root->getLoc(), value); }
  Type getWeightType() const { return cast<MemRefType>(chain.rows->values[chain.weights].place.memref.getType()).getElementType(); }

  const Problem &problem;
  const Chain &chain;
  const Mapping &mapping;
  NestWriter &w;
  /// Of each row its greatest exponent so far, the sum of its powers, and what the last step makes of sums before it; and what the rows add up to.
  Placed most, sum, scale, result;
  /// The number of the block's first row.
  Value firstRow;
};

} // namespace

void ChainWriter::compute(ArrayRef<Placed> inputs, const Placed &result, FloatBody body) {
  w.computeGeneric(inputs, result, [&](OpBuilder &b, ArrayRef<Value> elements, function_ref<Value(unsigned)>, const IRMapping &) {
    return body({b, elements.front().getLoc(), isByThreads()}, elements);
  });
}

Placed ChainWriter::stage(const Use &use, Level level, unsigned depth) {
  Placed made;
  tile::StageOp stage = w.stage(w.operand(use), level, made, level == Level::SMEM ? "s" : "r");
  stage.setPad(tile::Pad::Zero);
  if (isByLines() && &use == &chain.queries)
    layOutAlong(chain.row, made.map, made.memref, /*gap=*/0); // What is staged once leaves its room to keys.
  if (level != Level::SMEM || isByThreads())
    return made;
  if (isByWarps())
    layOutForWarps(*getMathType(getElementTypeOrSelf(use.memref.getType())), depth, use, stage);
  else
    stage.setCopy(tile::Copy::Tma);
  return made;
}

/// A number of each row.
Placed ChainWriter::holdRows(double init) {
  return w.hold(chain.rows->values[chain.maximum].place, w.builder().getF32FloatAttr(float(init)), "t");
}

/// Opens loops over what warpgroups or warps multiply along `depth`, of which warps load theirs; returns the outermost.
ForOp ChainWriter::openUnits(Placed &by, unsigned depth, unsigned column) {
  int64_t columns = w.getTile(column);
  ForOp units = w.open({{chain.row, w.number(w.getTile(chain.row)), mapping.warpRows}}, Level::SMEM, isByWarps() ? Unit::Warp : Unit::Warpgroup, "w");
  w.setTile(chain.row, mapping.warpRows);
  w.open({{depth, w.number(w.getTile(depth)), kChainDepth}}, Level::SMEM, Unit::Unroll, "1");
  w.setTile(depth, kChainDepth);
  if (!isByWarps())
    return units;
  w.stage(Placed(by), Level::RF, by, "r");
  w.open({{chain.row, w.number(mapping.warpRows), kMmaRows}, {column, w.number(columns), kMmaColumns}}, Level::RF, Unit::Unroll, "2");
  w.setTile(chain.row, kMmaRows);
  w.setTile(column, kMmaColumns);
  return units;
}

/// The same for threads, whose rows are as far apart as there are of them, and so are their keys: lanes load those from other banks. Columns of the result lie by four.
ForOp ChainWriter::openThreads(Placed &of, Placed &by, unsigned depth, unsigned column) {
  int64_t rows = w.getTile(chain.row), columns = w.getTile(column), vector = column == chain.column ? std::gcd(kQuad, columns / kChainThreads) : 1;
  ForOp steps = w.open({{depth, w.number(w.getTile(depth)), kQuad}}, Level::SMEM, Unit::Time, "1");
  if (mapping.buffers > 1)
    steps.setPipeline(mapping.buffers);
  w.setTile(depth, kQuad);
  w.stage(Placed(of), Level::RF, of, "r");
  w.stage(Placed(by), Level::RF, by, "r");
  w.open({{chain.row, w.number(kChainThreads), 1}, {column, w.number(kChainThreads * vector), vector}}, Level::RF, Unit::Thread, "2");
  w.setTile(chain.row, 1);
  w.setTile(column, vector);
  w.open({{chain.row, w.number(rows), kChainThreads}, {column, w.number(columns), kChainThreads * vector}}, Level::RF, Unit::Unroll, "3");
  return steps;
}

/// The same for threads that take rows beside each other: of what lies by columns they read four at once. Lanes of a warp are 4 x 8, threads of a row in pairs, so that of each
/// two lanes that are neighbours, or two apart, one reads what the other does, and a request takes half of the wavefronts.
ForOp ChainWriter::openLines(Placed &of, Placed &by, unsigned depth, unsigned column) {
  int64_t rows = w.getTile(chain.row), columns = w.getTile(column), vector = column == chain.column ? std::gcd(kQuad, columns / kChainLines) : 1;
  int64_t most = rows / mapping.rows * kChainLines < kLeastChainThreads ? kMostWrittenByFew : kMostWritten;
  int64_t written = std::min(std::max<int64_t>(most * kChainLines / (mapping.rows * columns), 1), w.getTile(depth));
  while (w.getTile(depth) % written != 0)
    --written;
  ForOp parts = written < w.getTile(depth) ? w.open({{depth, w.number(w.getTile(depth)), written}}, Level::SMEM, Unit::Time, "1") : ForOp();
  ForOp steps = w.open({{depth, w.number(written), 1}}, Level::SMEM, Unit::Time, "2");
  steps.setPipeline(mapping.buffers);
  w.setTile(depth, 1);
  w.stage(Placed(of), Level::RF, of, "r");
  w.stage(Placed(by), Level::RF, by, "r");
  constexpr int64_t kPairs = kChainLines / 2;
  w.open({{chain.row, w.number(rows), kPairs * mapping.rows}, {column, w.number(kChainLines * vector), 2 * vector}, {chain.row, w.number(kPairs * mapping.rows), mapping.rows},
          {column, w.number(2 * vector), vector}},
         Level::RF, Unit::Thread, "3");
  w.setTile(chain.row, mapping.rows);
  w.setTile(column, vector);
  w.open({{column, w.number(columns), kChainLines * vector}}, Level::RF, Unit::Unroll, "4");
  return parts ? parts : steps;
}

/// Adds products of `of`, which has the rows, and `by` to `sums`, which has `by`'s columns.
void ChainWriter::multiply(linalg::LinalgOp op, ArrayRef<unsigned> dims, Placed of, Placed by, Placed sums, unsigned depth, unsigned column) {
  ForOp outermost = isByLines() ? openLines(of, by, depth, column) : isByThreads() ? openThreads(of, by, depth, column) : openUnits(by, depth, column);
  SmallVector<Placed> operands;
  unsigned row = llvm::find(dims, chain.row) - dims.begin();
  for (OpOperand *input : op.getDpsInputOperands())
    operands.push_back(w.part(op.getMatchingIndexingMap(input).isFunctionOfDim(row) ? of : by, "i"));
  operands.push_back(w.part(sums, "i"));
  linalg::LinalgOp product = w.compute(op, operands, dims);
  // Down one column and up the next, for which ptxas chooses registers that fewer multiply-adds read from one bank (docs/results/gpu.md).
  if (isByLines() && column == chain.column) {
    auto order = llvm::to_vector(llvm::seq<int64_t>(dims.size()));
    if (unsigned along = llvm::find(dims, column) - dims.begin(); row < along)
      std::swap(order[row], order[along]);
    product->setAttr(tile::kOrder, DenseI64ArrayAttr::get(product->getContext(), order));
    product->setAttr(tile::kSnake, UnitAttr::get(product->getContext()));
  }
  w.close(outermost);
  for (unsigned dim : {chain.row, column, depth})
    w.setTile(dim, mapping.tile[dim]);
}

/// Puts what weights are powers of in the place of `scores`.
void ChainWriter::computeExponents(const Placed &scores) {
  SmallVector<Placed> inputs = llvm::map_to_vector(chain.operands, [&](unsigned number) { return w.part(w.operand(chain.rows->values[number].place), ""); });
  w.computeGeneric(inputs, scores, [&](OpBuilder &b, ArrayRef<Value> elements, function_ref<Value(unsigned)> getIndex, const IRMapping &copied) {
    BodyWriter body(*chain.rows, b, copied, getIndex);
    for (auto [number, element] : llvm::zip(chain.operands, elements))
      body.known[number] = element;
    body.known[chain.scores] = elements.back();
    Value exponent = body.write(*chain.exponent, Value());
    return exponent.getType().isF32() ? exponent : arith::ExtFOp::create(b, exponent.getLoc(), b.getF32Type(), exponent).getResult();
  });
}

/// What is beyond the last key, or of a triangle beyond the row's own number, weighs nothing.
void ChainWriter::maskKeys(ForOp steps, const Placed &scores) {
  OpBuilder &b = w.builder();
  Location loc = problem.root->getLoc();
  int64_t step = mapping.tile[chain.key];
  // Exponents that are computed as they are leave out themselves what is beyond the row's number; of keys that no operand has they say nothing.
  bool isTriangle = chain.isTriangular && !chain.exponent;
  auto size = dyn_cast<Attribute>(problem.dims[chain.key].extent);
  if (!chain.isTriangular && size && problem.dims[chain.key].size % step == 0)
    return;
  // In the last steps alone there are any: those of whose keys one is beyond the first row.
  Value end = isTriangle ? firstRow : size ? constant(problem.dims[chain.key].size) : w.copyOf(cast<Value>(problem.dims[chain.key].extent));
  Value next = arith::AddIOp::create(b, loc, steps.getBody().getArgument(0), constant(isTriangle ? step - 1 : step));
  auto last = scf::IfOp::create(b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, next, end), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(last.thenBlock());
  w.computeGeneric({}, scores, [&](OpBuilder &inside, ArrayRef<Value> elements, function_ref<Value(unsigned)> getIndex, const IRMapping &) {
    Value least = Floats{inside, loc}.constant(-std::numeric_limits<double>::infinity()), key = getIndex(chain.key), most = isTriangle ? getIndex(chain.row) : end;
    Value isKey = arith::CmpIOp::create(inside, loc, isTriangle ? arith::CmpIPredicate::sle : arith::CmpIPredicate::slt, key, most);
    return arith::SelectOp::create(inside, loc, isKey, elements.back(), least).getResult();
  });
}

/// Puts powers of its elements in the place of `scores`, of which none is greater than 1, adds them up, and scales what rows had before.
void ChainWriter::weigh(const Placed &scores) {
  // exp2(x * inner - most) where the exponent is a multiple of x, else exp2((x - most) * outer): exponents may be as large as f32 has them where masks are added.
  double base = chain.isBinary ? 1 : 1 / std::log(2.0), inner = chain.exponent ? 1 : chain.factor * base, outer = chain.exponent ? base : 1;
  Placed now = holdRows(-double(std::numeric_limits<float>::max()));
  compute({scores}, now, [](Floats f, ArrayRef<Value> e) { return f.max(e[1], e[0]); });
  compute({now, most}, scale, [&](Floats f, ArrayRef<Value> e) {
    Value less = f.sub(e[1], f.max(e[1], f.scale(e[0], inner)));
    return f.exp2(outer == 1 ? less : f.scale(f.max(less, f.constant(kNone)), outer));
  });
  compute({now}, most, [&](Floats f, ArrayRef<Value> e) { return f.max(e[1], f.scale(e[0], inner)); });
  compute({most}, scores, [&](Floats f, ArrayRef<Value> e) {
    if (chain.exponent)
      return f.exp2(f.scale(f.sub(e[1], e[0]), outer));
    Value least = arith::NegFOp::create(f.b, f.loc, e[0]);
    return f.exp2(math::FmaOp::create(f.b, f.loc, e[1], f.constant(inner), least));
  });
  compute({scale}, sum, [](Floats f, ArrayRef<Value> e) { return f.mul(e[1], e[0]); });
  compute({scores}, sum, [](Floats f, ArrayRef<Value> e) { return f.add(e[1], e[0]); });
  compute({scale}, result, [](Floats f, ArrayRef<Value> e) { return f.mul(e[1], e[0]); });
}

/// What the second product multiplies: `scores`, rounded, or, where threads multiply, in shared memory, where all of a row can read them.
Placed ChainWriter::makeWeights(const Placed &scores) {
  const Use &place = chain.rows->values[chain.weights].place;
  Placed weights = w.hold(place, w.builder().getZeroAttr(getWeightType()), "t", isByThreads() ? Level::SMEM : Level::RF);
  if (isByLines())
    layOutAlong(chain.row, weights.map, weights.memref);
  if (isByThreads())
    w.store(scores, weights);
  else
    compute({scores}, weights, [&](Floats f, ArrayRef<Value> e) { return arith::TruncFOp::create(f.b, f.loc, getWeightType(), e[0]).getResult(); });
  return weights;
}

void ChainWriter::run() {
  OpBuilder &b = w.builder();
  for (auto [dim, extent] : llvm::enumerate(mapping.tile))
    w.setTile(dim, extent);
  SmallVector<LoopOver> grid;
  for (unsigned dim : getParallel(problem))
    if (dim != chain.column)
      grid.push_back({dim, problem.dims[dim].extent, mapping.tile[dim]});
  if (chain.isTriangular)
    std::stable_partition(grid.begin(), grid.end(), [&](const LoopOver &loop) { return loop.dim == chain.row; });
  ForOp blocks = w.open(grid, Level::DRAM, Unit::Block, "0");
  for (auto [loop, variable] : llvm::zip_equal(grid, blocks.getBody().getArguments()))
    if (loop.dim == chain.row)
      firstRow = variable;
  // Blocks that go through most keys begin first, so that the last ones end soon.
  const Dim &rows = problem.dims[chain.row];
  if (chain.isTriangular && isa<Attribute>(rows.extent)) {
    int64_t last = (rows.size - 1) / mapping.tile[chain.row] * mapping.tile[chain.row];
    w.turn(chain.row, last);
    firstRow = arith::SubIOp::create(b, problem.root->getLoc(), constant(last), firstRow);
  }
  Placed queries = stage(chain.queries, isByThreads() ? Level::SMEM : Level::RF, chain.depth);
  // Less than any finite number is none, so that rows whose first keys weigh nothing have differences of numbers.
  most = holdRows(-double(std::numeric_limits<float>::max()));
  sum = holdRows(0);
  scale = holdRows(0);
  result = w.hold(problem.output, b.getF32FloatAttr(0), "t");
  OpFoldResult keyCount = problem.dims[chain.key].extent;
  if (chain.isTriangular)
    keyCount = arith::AddIOp::create(b, problem.root->getLoc(), firstRow, constant(mapping.tile[chain.row])).getResult();
  ForOp steps = w.open({{chain.key, keyCount, mapping.tile[chain.key]}}, Level::DRAM, Unit::Time, "0");
  if (mapping.stages > 1)
    steps.setPipeline(mapping.stages);
  if (mapping.producers > 0)
    steps.setProducers(mapping.producers);
  Placed keys = stage(chain.keys, Level::SMEM, chain.depth), values = stage(chain.values, Level::SMEM, chain.key);
  Placed scores = w.hold(chain.rows->values[chain.scores].place, b.getF32FloatAttr(0), "t");
  multiply(chain.first, chain.firstDims, queries, keys, scores, chain.depth, chain.key);
  if (chain.exponent)
    computeExponents(scores);
  maskKeys(steps, scores);
  weigh(scores);
  multiply(chain.second, chain.secondDims, makeWeights(scores), values, result, chain.key, chain.column);
  w.close(steps);
  compute({sum}, result, [](Floats f, ArrayRef<Value> e) { return arith::DivFOp::create(f.b, f.loc, e[1], e[0]).getResult(); });
  Placed stored = w.epilogue(result, /*together=*/true);
  w.store(stored, w.operand({problem.getResult(), problem.output.map}));
}

void mapping::writeChain(const Problem &problem, const Mapping &mapping, NestWriter &w) { ChainWriter(problem, mapping, w).run(); }
