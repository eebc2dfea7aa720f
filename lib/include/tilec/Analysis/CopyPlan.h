//===- CopyPlan.h - Who copies what, and how wide ----------------*- C++ -*-===//
//
// The rules by which a block's threads deal out a copy to shared memory, and by
// which a thread loads its share of a tile into registers and stores it. The lowering writes
// kernels by them, and the analysis counts by them: what one does, the other says.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_COPYPLAN_H
#define TILEC_ANALYSIS_COPYPLAN_H

#include "tilec/Tile/Distribution.h"

namespace tilec::analysis {

/// PTX ISA 9.7.9.25: cp.async moves 4, 8 or 16 bytes.
constexpr int64_t kLeastAsyncBytes = 4;

/// A tile in shared memory, as one that is copied to.
struct CopyTile {
  llvm::SmallVector<int64_t, 2> shape;
  /// Static, with a mode for each dimension.
  layout::ComposedLayout layout;
  int64_t elementBytes = 0;
  /// In a pipelined loop, whose copies are ahead of their use.
  bool ahead = false;
  /// The values that the nest states of absent elements.
  std::optional<tile::Pad> pad;
};

/// What a tile is copied from, in elements; `ShapedType::kDynamic` for what is known only at launch.
struct CopySource {
  llvm::SmallVector<int64_t> strides;
  llvm::SmallVector<int64_t> extents;
  /// A number that divides the coordinates of the tile's first element, 0 where it is always 0.
  llvm::SmallVector<int64_t> divisors;
  /// The constant in each coordinate of that element, and a number that divides the rest, 0 where there is none.
  llvm::SmallVector<int64_t> constants, moves;
  /// The same of how many elements lie before it in the operand, where all strides are known; a divisor of 1 says nothing.
  int64_t before = 0, beforeMoves = 1;

  /// Are strides and factors so small that products of them, and sums of these, are exact?
  static bool isCounted(int64_t number) { return number > -(int64_t(1) << 28) && number < int64_t(1) << 28; }
  /// Elements are loaded one by one: constant memory gives all lanes of a warp one element at a time.
  bool single = false;

  /// Data numbers dimension `dim`: nothing is known of its coordinates.
  void gather(unsigned dim) {
    divisors[dim] = moves[dim] = beforeMoves = 1;
    constants[dim] = before = 0;
  }
};

/// Consecutive threads walk dimension `along`, `width` elements each.
struct CopyForm {
  unsigned along;
  int64_t width;
  bool operator==(const CopyForm &other) const { return along == other.along && width == other.width; }
};

/// Does cp.async copy groups of this form? It moves at least 4 bytes and fills with zeros; others go through registers.
bool isAsync(const CopyTile &tile, CopyForm form);

/// Can groups of `form.width` elements be copied at once, for some launch? Always one.
bool canCopy(const CopyTile &tile, const CopySource &source, CopyForm form);

/// The forms of a copy in the order in which a kernel asks for them at launch. The last one does for
/// any launch. Consecutive threads read along the dimension that is contiguous in memory;
/// asynchronous copies take 16 bytes at a time where that dimension is contiguous in the tile too, of narrow elements also 8 and 4
/// bytes where 16 can never be.
llvm::SmallVector<CopyForm> getCopyForms(const CopyTile &tile, const CopySource &source);

/// Does a launch with these strides and extents, none of them dynamic, and element 0 of the operand
/// at a multiple of the form's width if `aligned`, meet what `form` asks for? Where groups are asked for only if they are `whole`,
/// extents do not matter.
bool admits(CopyForm form, const CopySource &known, llvm::ArrayRef<int64_t> strides,
            llvm::ArrayRef<int64_t> extents, bool aligned, bool whole = false);

/// Part of an element's number: `count` values of coordinate `dim`, `step` apart.
struct CopyDigit {
  unsigned dim;
  int64_t count;
  int64_t step;
};

/// The digits of the number of a group of `form.width` elements, fastest first. Group
/// `round * threads + thread` falls to `thread`. Where the copy transposes, consecutive threads take
/// one 32-byte sector and then step across: whole sectors, and few bank conflicts.
llvm::SmallVector<CopyDigit> getCopyDigits(const CopyTile &tile, CopyForm form);

/// Is the place of group `round * threads + thread` that of `round * threads` plus that of `thread`? Then each is a sum of a digit of the thread's number,
/// known before the loop, and one of the round's.
bool isSumOfPlaces(llvm::ArrayRef<CopyDigit> digits, int64_t threads);
/// And is no group left over?
bool isEven(llvm::ArrayRef<CopyDigit> digits, int64_t threads);

/// Are all elements of `stage` absent, and zero, past the last iteration of the pipelined `loop` around it? They are
/// where a subscript passes the operand's extent as the induction variable passes the loop's. Copies ahead of
/// their use need not ask then whether there is an iteration that they are for.
bool endsWithLoop(tile::ForOp loop, tile::StageOp stage);

/// Where the first element of what a thread loads from a tile of shared memory, or stores there, lies.
struct TilePlace {
  /// As in CopySource.
  llvm::SmallVector<int64_t> divisors;
  /// A number that divides how many elements lie before it, where the tile's layout is a sum of one stride a dimension; 1 says nothing.
  int64_t before = 1;
};

/// Can one instruction load `width` consecutive elements of the last local digit of `distribution` from `place` in a tile of shared
/// memory? They are consecutive there, and aligned: where each row of the tile has whole groups, or since places along rows make up for where these begin.
bool canLoadWide(const tile::Distribution &distribution, const layout::ComposedLayout &layout, const TilePlace &place, int64_t width);

/// How many consecutive elements of the last local digit of `distribution` one instruction loads
/// from `place` in a tile of shared memory: as many as are consecutive there, take at most 16 bytes, and are aligned.
int64_t getLoadWidth(const tile::Distribution &distribution, const layout::ComposedLayout &layout,
                     int64_t elementBytes, const TilePlace &place);

/// How a thread loads runs of its share from an operand: `head` elements one by one, as many groups of the form's width as there
/// are, and what is left one by one.
struct WideRuns {
  CopyForm form;
  int64_t head = 0;
  /// Of a group some elements may be absent and others not: each group asks for its ends, and goes one by one if either is absent.
  bool partial = false;
};

/// What a thread's share is loaded from, and who asks for what of it: each group, or the thread once.
struct RunSource {
  CopySource source;
  std::optional<tile::Pad> pad;
  tile::EdgeCheck edges;
};

/// The load of `width` consecutive elements of a thread's share at once, where some launch allows it.
std::optional<WideRuns> getWideRuns(const tile::Distribution &distribution, const RunSource &from, int64_t width);

/// The same, of as many elements as are consecutive, take at most 16 bytes and are aligned.
std::optional<WideRuns> getWidestRuns(const tile::Distribution &distribution, const RunSource &from, int64_t elementBytes);

/// Can a thread store `width` consecutive elements of its share at once, for some launch?
bool canStoreWide(const tile::Distribution &distribution, const CopySource &dest, int64_t width);

/// How a thread stores several elements of its share at once where the launch allows it: as many as
/// are consecutive, take at most 16 bytes and are aligned. Nothing where no launch does.
std::optional<CopyForm> getWideStore(const tile::Distribution &distribution, int64_t elementBytes,
                                     const CopySource &dest);

/// `count` values of a digit of a thread's number: number / stride % count.
struct ThreadDigit {
  int64_t stride;
  int64_t count;
};

/// The digits of a thread's number below `threads` that `covered`, digits of loops on threads in any order, do not name. Threads
/// that differ only in them hold the same elements or do the same: what must be done once the first of them does, for which
/// they are all 0.
llvm::SmallVector<ThreadDigit> getFreeDigits(llvm::SmallVector<ThreadDigit> covered, int64_t threads);

/// The one stride of each dimension; nothing for swizzled and nested layouts that have none.
std::optional<llvm::SmallVector<int64_t>> getStrides(const layout::ComposedLayout &layout);

/// The elements from the first to past the last of a tile of this type, gaps included; fails for dynamic strides.
mlir::FailureOr<int64_t> getCosize(mlir::MemRefType type);

/// Elements from one copy of a tile in a pipeline's ring to the next: a multiple of 16 bytes, so that
/// wide accesses stay aligned.
int64_t getSlotElements(int64_t cosize, int64_t elementBytes);

} // namespace tilec::analysis

#endif // TILEC_ANALYSIS_COPYPLAN_H
