//===- Chain.cpp - Two products with softmax between ------------*- C++ -*-===//
//
// A block takes some rows through all keys, which producers copy with their values by TMA. Each warpgroup has 64 rows of the scores in registers, where maxima and
// sums are put together by shuffles (language.md 2.4); the weights, rounded, are the first matrix of the second product as they are (examples/fast/attention_wgmma.mlir).
// Where warps multiply, each has 16 or 32 rows, all threads copy, and warps load keys and values by ldmatrix (examples/fast/attention_mma.mlir).
//
//===----------------------------------------------------------------------===//

#include "tilec/Mapping/Chain.h"

#include "RowBodies.h"
#include "Schemes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Tile/Distribution.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::mapping;
using tile::ForOp;
using tile::Level;
using tile::Unit;

namespace {
/// The depth of an instruction of 16-bit floats, and the width of its result at most (PTX ISA 9.7.15.5.2). Columns go by eight, as those of a warp do.
constexpr int64_t kDepth = kGroupDepthBytes / 2, kMostColumns = 256;
/// Shared memory that slots of the ring leave to barriers.
constexpr int64_t kBesideRing = 1024;
constexpr int64_t kProducers = 4, kMostStages = 4;
/// As many keys as a step has even where there are fewer.
constexpr int64_t kFewKeys = 64;
/// Registers of a thread beside what it multiplies, by warps.
constexpr int64_t kOtherRegisters = 40;
/// A power of this is 0, and of any multiple that a base makes of it.
constexpr double kNone = -1024;
} // namespace

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {
class ChainLister {
public:
  ChainLister(const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates)
      : problem(problem), chain(*problem.chain), machine(machine), candidates(candidates), type(*getMathType(getElementTypeOrSelf(chain.keys.memref.getType()))) {}

  void run();

private:
  void listGroups();
  void listWarps();
  /// Adds `mapping` with blocks of `units` that have its rows each, in steps of `keys`. `bound` is what a step of a block takes beside products.
  void add(MathUnit unit, int64_t units, int64_t keys, int64_t mostStages, double bound = 0);
  /// Registers of a thread of a warp for `keys` at once.
  int64_t countRegisters(int64_t keys) const;

  const Problem &problem;
  const Chain &chain;
  const MachineSpec &machine;
  std::vector<Candidate> &candidates;
  MathType type;
  Mapping mapping;
};
} // namespace

void ChainLister::add(MathUnit unit, int64_t units, int64_t keys, int64_t mostStages, double bound) {
  const Dim &rows = problem.dims[chain.row], &all = problem.dims[chain.key];
  int64_t depth = problem.dims[chain.depth].size, columns = problem.dims[chain.column].size;
  mapping.tile[chain.row] = units * mapping.warpRows;
  mapping.tile[chain.key] = keys;
  if ((units > 1 && (units - 1) * mapping.warpRows >= rows.size) || (keys > kFewKeys && keys >= 2 * all.size))
    return;
  int64_t slot = getTileBytes(chain.keys, mapping.tile) + getTileBytes(chain.values, mapping.tile);
  mapping.stages = std::min((machine.limits.smemPerBlock.value - kBesideRing) / slot, mostStages);
  double rounds = std::ceil(countTiles(problem, mapping.tile) / double(machine.sms.value)), steps = double(llvm::divideCeil(all.size, keys));
  double products = double(keys * mapping.tile[chain.row] * (depth + columns)) / machine.rate(unit, type)->rate.value;
  if (mapping.stages >= std::min<int64_t>(mostStages, 2))
    candidates.push_back({mapping, rounds * steps * std::max(products, bound)});
}

void ChainLister::listGroups() {
  mapping.producers = kProducers;
  mapping.warpRows = kGroupRows;
  for (int64_t groups : {2, 3, 1})
    for (int64_t keys : {128, 64, 256})
      add(MathUnit::Wgmma, groups, keys, kMostStages);
}

int64_t ChainLister::countRegisters(int64_t keys) const {
  // Results and scores are there in f32, queries and weights in 16 bits, and what is loaded of keys or values for one step of the depth.
  int64_t depth = problem.dims[chain.depth].size, columns = problem.dims[chain.column].size, rows = mapping.warpRows;
  return (rows * (columns + keys) + rows * (depth + keys) / 2 + std::max(keys, columns) * kDepth / 2) / tile::kWarpThreads + kOtherRegisters;
}

void ChainLister::listWarps() {
  const LimitsSpec &limits = machine.limits;
  mapping.producers = 0;
  for (int64_t rows : {2 * kMmaRows, kMmaRows})
    for (int64_t warps : {4, 8, 2, 1})
      for (int64_t keys : {64, 128, 32}) {
        mapping.warpRows = rows;
        if (countRegisters(keys) > limits.registersPerThread.value)
          continue;
        // Each warp loads all of the keys and values.
        double loaded = double(warps * keys * (problem.dims[chain.depth].size + problem.dims[chain.column].size) * bytesPerElement(type));
        add(MathUnit::Mma, warps, keys, machine.features.cpAsync ? 2 : 1, loaded / double(limits.smemBanks.value * limits.smemBankWidth.value));
      }
}

void ChainLister::run() {
  int64_t depth = problem.dims[chain.depth].size, columns = problem.dims[chain.column].size;
  bool isKnown = isa<Attribute>(problem.dims[chain.depth].extent) && isa<Attribute>(problem.dims[chain.column].extent);
  if (!isKnown || depth % kDepth != 0 || columns % kMmaColumns != 0 || columns > kMostColumns)
    return;
  mapping.scheme = Scheme::Chain;
  mapping.tile.assign(problem.dims.size(), 1);
  mapping.tile[chain.depth] = depth;
  mapping.tile[chain.column] = mapping.warpColumns = columns;
  mapping.row = chain.row;
  mapping.column = chain.column;
  mapping.depth = chain.key;
  if (canWarpgroupsMultiply(type, machine))
    listGroups();
  if (machine.rate(MathUnit::Mma, type))
    listWarps();
}

void mapping::listChains(const Problem &problem, const MachineSpec &machine, std::vector<Candidate> &candidates) { ChainLister(problem, machine, candidates).run(); }

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

namespace {

class ChainWriter {
public:
  ChainWriter(const Problem &problem, const Mapping &mapping, NestWriter &w) : problem(problem), chain(*problem.chain), mapping(mapping), w(w) {}
  void run();

private:
  /// A tile of `use`, which is multiplied along `depth`.
  Placed stage(const Use &use, Level level, unsigned depth);
  Placed holdRows(double init);
  void multiply(linalg::LinalgOp op, ArrayRef<unsigned> dims, Placed of, Placed by, Placed sums, unsigned depth, unsigned column);
  bool isByWarps() const { return mapping.usesWarps(); }
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

/// What bodies compute with.
struct Floats {
  OpBuilder &b;
  Location loc;

  Value constant(double value) { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value))); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  /// x * y; x where y is 1.
  Value scale(Value x, double y) { return y == 1 ? x : mul(x, constant(y)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value max(Value x, Value y) { return arith::MaximumFOp::create(b, loc, x, y); }
  /// What follows is rounded to 11 digits or fewer, so that the function may be an approximation (docs/language.md, bodies).
  Value exp2(Value x) { return math::Exp2Op::create(b, loc, x, arith::FastMathFlags::afn); }
};

/// A computation of f32 numbers alone.
using FloatBody = llvm::function_ref<Value(Floats floats, ArrayRef<Value> elements)>;

} // namespace

static void compute(NestWriter &w, ArrayRef<Placed> inputs, const Placed &result, FloatBody body) {
  w.computeGeneric(inputs, result, [&](OpBuilder &b, ArrayRef<Value> elements, function_ref<Value(unsigned)>, const IRMapping &) {
    return body({b, elements.front().getLoc()}, elements);
  });
}

Placed ChainWriter::stage(const Use &use, Level level, unsigned depth) {
  Placed made;
  tile::StageOp stage = w.stage(w.operand(use), level, made, level == Level::SMEM ? "s" : "r");
  stage.setPad(tile::Pad::Zero);
  if (level != Level::SMEM)
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

/// Has warpgroups or warps add products of `of`, which has the rows, and `by` to `sums`, which has `by`'s columns.
void ChainWriter::multiply(linalg::LinalgOp op, ArrayRef<unsigned> dims, Placed of, Placed by, Placed sums, unsigned depth, unsigned column) {
  int64_t rows = mapping.tile[chain.row], columns = mapping.tile[column], all = mapping.tile[depth];
  ForOp units = w.open({{chain.row, w.number(rows), mapping.warpRows}}, Level::SMEM, isByWarps() ? Unit::Warp : Unit::Warpgroup, "w");
  w.setTile(chain.row, mapping.warpRows);
  w.open({{depth, w.number(all), kDepth}}, Level::SMEM, Unit::Unroll, "1");
  w.setTile(depth, kDepth);
  if (isByWarps()) {
    w.stage(Placed(by), Level::RF, by, "r");
    w.open({{chain.row, w.number(mapping.warpRows), kMmaRows}, {column, w.number(columns), kMmaColumns}}, Level::RF, Unit::Unroll, "2");
    w.setTile(chain.row, kMmaRows);
    w.setTile(column, kMmaColumns);
  }
  SmallVector<Placed> operands;
  unsigned row = llvm::find(dims, chain.row) - dims.begin();
  for (OpOperand *input : op.getDpsInputOperands())
    operands.push_back(w.part(op.getMatchingIndexingMap(input).isFunctionOfDim(row) ? of : by, "i"));
  operands.push_back(w.part(sums, "i"));
  w.compute(op, operands, dims);
  w.close(units);
  w.setTile(chain.row, rows);
  w.setTile(column, columns);
  w.setTile(depth, all);
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
  compute(w, {scores}, now, [](Floats f, ArrayRef<Value> e) { return f.max(e[1], e[0]); });
  compute(w, {now, most}, scale, [&](Floats f, ArrayRef<Value> e) {
    Value less = f.sub(e[1], f.max(e[1], f.scale(e[0], inner)));
    return f.exp2(outer == 1 ? less : f.scale(f.max(less, f.constant(kNone)), outer));
  });
  compute(w, {now}, most, [&](Floats f, ArrayRef<Value> e) { return f.max(e[1], f.scale(e[0], inner)); });
  compute(w, {most}, scores, [&](Floats f, ArrayRef<Value> e) {
    if (chain.exponent)
      return f.exp2(f.scale(f.sub(e[1], e[0]), outer));
    Value least = arith::NegFOp::create(f.b, f.loc, e[0]);
    return f.exp2(math::FmaOp::create(f.b, f.loc, e[1], f.constant(inner), least));
  });
  compute(w, {scale}, sum, [](Floats f, ArrayRef<Value> e) { return f.mul(e[1], e[0]); });
  compute(w, {scores}, sum, [](Floats f, ArrayRef<Value> e) { return f.add(e[1], e[0]); });
  compute(w, {scale}, result, [](Floats f, ArrayRef<Value> e) { return f.mul(e[1], e[0]); });
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
  Placed queries = stage(chain.queries, Level::RF, chain.depth);
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
  Placed weights = w.hold(chain.rows->values[chain.weights].place, b.getZeroAttr(getWeightType()), "t");
  compute(w, {scores}, weights, [&](Floats f, ArrayRef<Value> e) { return arith::TruncFOp::create(f.b, f.loc, getWeightType(), e[0]).getResult(); });
  multiply(chain.second, chain.secondDims, weights, values, result, chain.key, chain.column);
  w.close(steps);
  compute(w, {sum}, result, [](Floats f, ArrayRef<Value> e) { return arith::DivFOp::create(f.b, f.loc, e[1], e[0]).getResult(); });
  Placed stored = w.epilogue(result, /*together=*/true);
  w.store(stored, w.operand({problem.getResult(), problem.output.map}));
}

void mapping::writeChain(const Problem &problem, const Mapping &mapping, NestWriter &w) { ChainWriter(problem, mapping, w).run(); }
