//===- Program.h - A kernel compiled for one run -----------------*- C++ -*-===//
//
// A kernel with its arguments bound: a tree of nodes over registers (scalars)
// and views (places in operands and tiles).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REFERENCE_PROGRAM_H
#define TILEC_LIB_REFERENCE_PROGRAM_H

#include "Bytecode.h"

#include "tilec/Reference/Evaluate.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <deque>
#include <memory>

namespace tilec::reference {

constexpr unsigned kMaxRank = 12;

/// The elements of an operand or of a tile.
struct Root {
  Cell *data = nullptr;
  ErrorBound *bounds = nullptr;
  /// 1 for each element that is present; null for operands, all of whose elements are.
  uint8_t *present = nullptr;
  /// Operands only: see BufferView.
  uint8_t *stored = nullptr;
  llvm::SmallVector<int64_t> shape, strides;
  bool isOperand = false;
  /// False where some element of `present` is 0.
  bool allPresent = true;

  /// What a tile owns.
  std::vector<Cell> ownData;
  std::vector<ErrorBound> ownBounds;
  std::vector<uint8_t> ownPresent;
};

/// Where element (0, ..., 0) of a memref lies in its root.
struct View {
  Root *root = nullptr;
  int64_t origin[kMaxRank] = {};
};

/// A sum of multiples of registers and a constant.
struct Linear {
  llvm::SmallVector<std::pair<uint32_t, int64_t>, 4> terms;
  int64_t constant = 0;

  int64_t evaluate(const std::vector<Cell> &cells) const {
    int64_t sum = constant;
    for (auto [number, factor] : terms)
      sum += cells[number].whole * factor;
    return sum;
  }
};

/// What running changes.
struct Machine {
  Registers registers;
  std::vector<View> views;
  std::deque<Root> roots;
  bool keepsBounds = false;
  /// The blocks that run, sorted; all where it is not set.
  std::optional<std::vector<int64_t>> blocks;
  /// Number of the current block.
  int64_t block = 0;
};

struct Node {
  virtual ~Node() = default;
  virtual void run(Machine &machine) = 0;
  /// The instructions of a node that has nothing else, to which more may be added.
  virtual Code *getCode() { return nullptr; }
};
using Body = std::vector<std::unique_ptr<Node>>;
void run(const Body &body, Machine &machine);
/// Runs instructions, with bounds where the run keeps them.
void runCode(const Code &code, Machine &machine);

struct LoopNode : Node {
  struct Dim {
    uint32_t iv;
    int64_t step;
    /// The extent: a register, or `constant` without terms.
    Linear extent;
  };
  llvm::SmallVector<Dim> dims;
  /// On cluster or block: iterations are counted.
  bool counts = false;
  /// On block (or cluster) with no such loop inside: an iteration is one block.
  bool isBlock = false;
  Body body;
  void run(Machine &machine) override;
  void runDim(Machine &machine, unsigned dim);
};

/// A value and what rounding can make of it.
struct Element {
  Cell value;
  ErrorBound bound;
};

/// A loop that ties tiles together.
struct TiedLoopNode : Node {
  /// An induction variable of a loop on threads.
  struct Place {
    uint32_t iv;
    int64_t step;
    /// For each element of the tiles the number of the iteration that holds it; empty where all do.
    std::vector<int64_t> holders;
  };
  struct Dim : Place {
    int64_t count;
    /// So many neighbours are combined in pairs.
    int64_t paired;
  };
  struct Member {
    uint32_t view;
    Element init;
    /// Registers of its values in `combine`.
    uint32_t lower, upper, made;
  };
  llvm::SmallVector<Dim> dims;
  /// Of loops around that part the tiles.
  llvm::SmallVector<Place> around;
  llvm::SmallVector<Member> members;
  /// Of each tile.
  int64_t elements = 0;
  Code combine;
  Body body;
  void run(Machine &machine) override;

private:
  using Tuple = llvm::SmallVector<Element, 4>;
  Tuple combineTwo(Machine &machine, const Tuple &lower, const Tuple &upper) const;
  Tuple get(const Machine &machine, int64_t element) const;
  void set(Machine &machine, int64_t element, const Tuple &tuple) const;
  void fold(Machine &machine, std::vector<Tuple> &tuples, int64_t count, int64_t paired) const;
  /// Is the element one of those that the current iteration holds?
  bool holds(const Machine &machine, int64_t element) const;
  /// All values of the induction variables that part the tiles, or of the others.
  void runIterations(Machine &machine, unsigned dim, bool ofHolders, llvm::function_ref<void()> visit) const;
};

struct ScalarNode : Node {
  Code code;
  void run(Machine &machine) override;
  Code *getCode() override { return &code; }
};

struct IfNode : Node {
  uint32_t condition;
  Body thenBody, elseBody;
  void run(Machine &machine) override;
};

struct PartNode : Node {
  uint32_t source, part;
  llvm::SmallVector<Linear> subscripts;
  void run(Machine &machine) override;
};

struct HoldNode : Node {
  uint32_t tile;
  Cell init;
  ErrorBound bound;
  void run(Machine &machine) override;
};

/// Where a dimension's numbers are read, and of what.
struct Numbered {
  uint32_t indices;
  unsigned dim;
  mlir::Operation *op;
  /// Is no element to be stored to from two places?
  bool unique = false;
};

struct StageNode : Node {
  uint32_t source, tile;
  llvm::SmallVector<Linear> subscripts;
  std::optional<tile::Pad> pad;
  std::optional<Numbered> numbered;
  void run(Machine &machine) override;
};

struct StoreNode : Node {
  uint32_t tile, dest;
  /// Shape of the tile that is stored, which may be a part.
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<Linear> subscripts;
  std::optional<Numbered> numbered;
  /// The combination of register `old` with `added`, into `old`; empty where the tile replaces what is there.
  Code combine;
  uint32_t old = 0, added = 0;
  /// Where the numbers of elements are unique: of each that was stored to the place of its number.
  llvm::DenseMap<int64_t, int64_t> places;
  void run(Machine &machine) override;
};

/// A linalg op: loops over a box, operands at affine places in them.
struct ComputeNode : Node {
  struct Operand {
    uint32_t view;
    /// Holds the element while the body runs.
    uint32_t element;
    /// Where not none: the register that is written back.
    std::optional<uint32_t> yielded;
    /// coefficients[dim * loops + loop], and a constant, of each dimension's coordinate.
    llvm::SmallVector<int64_t> coefficients, constants;
    /// Least and most of each coordinate over the box, relative to the origin.
    llvm::SmallVector<int64_t> least, most;
    /// Distance in the root of consecutive iterations of each loop.
    llvm::SmallVector<int64_t> steps;
  };
  llvm::SmallVector<int64_t> extents;
  /// The loops of more than one iteration, the innermost first.
  llvm::SmallVector<unsigned> running;
  std::vector<Operand> operands;
  /// Registers of the loops' numbers where the body asks for them (linalg.index).
  llvm::SmallVector<std::pair<uint32_t, unsigned>> indices;
  Code code;
  void run(Machine &machine) override;

private:
  template <bool kBounds>
  void runLoops(Machine &machine);
};

/// Is each iteration of `loop` a block, or so many, that others do not depend on?
bool countsBlocks(tile::ForOp loop);

/// Compiles `kernel` for `arguments`, which fit it, into `machine` and `body`. Fails with a diagnostic.
llvm::LogicalResult compile(tile::KernelOp kernel, const Arguments &arguments, Machine &machine, Body &body);

} // namespace tilec::reference

#endif // TILEC_LIB_REFERENCE_PROGRAM_H
