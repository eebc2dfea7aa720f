//===- KernelDescription.h - How a compiled kernel is launched -*- C++ -*-===//
//
// The launch contract between the compiler, which fills it, and whatever runs
// the kernel (GPU or emulator), which reads it: the arguments in the user's
// words, the flat list of kernel parameters, the grid, and the resources.
//
// Strides count elements, not bytes. Sizes are the named extents of the source.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_KERNELDESCRIPTION_H
#define TILEC_RUNTIME_KERNELDESCRIPTION_H

#include "tilec/Runtime/ElementType.h"
#include "tilec/Runtime/Result.h"
#include "tilec/Runtime/TensorMap.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilec::runtime {

/// The largest extent that a kernel accepts: a 32-bit int with room for one
/// tile beyond the end, so that rounding an extent up cannot overflow.
constexpr int64_t maxExtent = (int64_t(1) << 31) - 1 - 65536;

/// A number known at compile time or the value of a named size argument.
struct Extent {
  /// The constant; meaningless where `size` is set.
  int64_t value = 0;
  /// Index into KernelDescription::sizes.
  std::optional<unsigned> size;

  static Extent constant(int64_t value) { return {value, std::nullopt}; }
  static Extent argument(unsigned index) { return {0, index}; }
};

/// Distance in elements between neighbours along a dimension.
struct Stride {
  /// Known at compile time, or empty: given at launch.
  std::optional<int64_t> value;

  static Stride constant(int64_t value) { return {value}; }
  static Stride dynamic() { return {}; }
};

struct TensorArgument {
  std::string name;
  ElementType type = ElementType::F32;
  bool read = false;
  bool written = false;
  std::vector<Extent> shape;
  /// One for each dimension of `shape`.
  std::vector<Stride> strides;
  /// The base address must be a multiple of this many bytes (16 for wide or
  /// asynchronous copies); 1 demands the element's own alignment only.
  unsigned alignment = 1;
  /// Of a program: a kernel is given it by other extents, so that its rows lie one after the other without gaps.
  bool dense = false;
  /// Of indices, the elements of the dimensions that they number.
  std::vector<Extent> numbered;
  /// Of indices: no two are to be the same.
  bool unique = false;
  /// Lies in constant memory: no parameter of the kernel, but its array `symbol`, which the launcher
  /// copies the tensor to. It has no symbol where the kernel reads nothing of it.
  bool constant = false;
  std::string symbol;
};

struct SizeArgument {
  std::string name;
};

struct ScalarArgument {
  std::string name;
  ElementType type = ElementType::F32;
};

/// Memory that the launcher gives to a kernel whose last wave is cut; see
/// KernelDescription::cutLoop.
struct Workspace {
  enum class Each {
    /// So many elements for each part of a cut tile.
    Part,
    /// So many for each cut tile. They are zero when the kernel starts, and
    /// when it ends.
    Tile
  };
  std::string name;
  ElementType type = ElementType::F32;
  Each each = Each::Part;
  int64_t elements = 1;
};

/// One parameter of the kernel, in the order of its C signature.
struct Parameter {
  enum class Kind {
    /// Pointer to element 0 of tensor `index`: 8 bytes.
    TensorBase,
    /// Size `index` as a 32-bit int.
    Size,
    /// Stride of dimension `dim` of tensor `index` as a 64-bit int.
    TensorStride,
    /// Scalar `index`, in its own type.
    Scalar,
    /// Tensor map `index`: 128 bytes, aligned to 64.
    TensorMap,
    /// Pointer to workspace `index`: 8 bytes.
    Workspace
  };
  Kind kind = Kind::TensorBase;
  unsigned index = 0;
  unsigned dim = 0;

  static Parameter tensorBase(unsigned tensor) { return {Kind::TensorBase, tensor, 0}; }
  static Parameter size(unsigned size) { return {Kind::Size, size, 0}; }
  static Parameter tensorStride(unsigned tensor, unsigned dim) {
    return {Kind::TensorStride, tensor, dim};
  }
  static Parameter scalar(unsigned scalar) { return {Kind::Scalar, scalar, 0}; }
  static Parameter tensorMap(unsigned map) { return {Kind::TensorMap, map, 0}; }
  static Parameter workspace(unsigned workspace) { return {Kind::Workspace, workspace, 0}; }
};

/// One factor of the grid: ceil(extent / step) tiles. Also a loop of as many
/// steps.
struct GridTerm {
  Extent extent;
  int64_t step = 1;
};

struct KernelDescription {
  /// The symbol in the cubin.
  std::string symbol;
  std::vector<TensorArgument> tensors;
  std::vector<SizeArgument> sizes;
  std::vector<ScalarArgument> scalars;
  std::vector<TensorMapArgument> tensorMaps;
  std::vector<Parameter> parameters;
  /// The product of the terms is the number of tiles. Each has a block of its
  /// own, along x; gridDim.y and .z are 1. No terms mean one tile.
  std::vector<GridTerm> grid;
  /// As many blocks are launched as the device runs at once, at most one a tile;
  /// each takes one tile after the other.
  bool persistent = false;
  /// Of a persistent kernel: the tiles of the last, partial wave are cut into
  /// parts of this loop's steps, which all blocks share; see CutWave.
  std::optional<GridTerm> cutLoop;
  /// Of a cut loop, all at least 1: a cut must save one part in `cutWorthIdle` of the blocks' time and `cutWorthSteps` steps of a block's,
  /// and one part in `cutEvenSpare` of them may stay idle if then no block has parts of two tiles.
  int64_t cutWorthIdle = 1;
  int64_t cutWorthSteps = 1;
  int64_t cutEvenSpare = 1;
  std::vector<Workspace> workspaces;
  unsigned blockThreads = 1;
  unsigned staticSharedBytes = 0;
  unsigned dynamicSharedBytes = 0;
  /// Blocks in a cluster along x; 1 for none. The grid must be a multiple.
  unsigned clusterBlocks = 1;
  /// The kernel waits for the one ahead in the stream itself (`wait_grid`), so that it may be launched while that one ends.
  bool dependent = false;
};

/// Is the driver asked to spread the kernel's clusters over the SMs? It fills some
/// SMs before others with clusters that are small enough to share them; told to
/// balance, it spreads those of up to 4 blocks (docs/results/gpu.md). Larger ones it
/// then places worse.
bool balancesClusters(const KernelDescription &kernel);

/// Where a tensor lies at a launch.
struct TensorBinding {
  /// Address of element 0.
  uint64_t address = 0;
  /// In elements, one for each dimension, static ones included.
  std::vector<int64_t> strides;
};

/// One value for each argument of the description, in its order.
struct LaunchArguments {
  std::vector<TensorBinding> tensors;
  std::vector<int64_t> sizes;
  /// Must be exact in the scalar's type where that is an integer type;
  /// otherwise rounded to nearest even.
  std::vector<double> scalars;
  /// Addresses; whatever runs the kernel allocates them.
  std::vector<uint64_t> workspaces;
};

/// What the arrays of a kernel in constant memory hold together: CUDA C++ Programming Guide 13.0,
/// technical specifications, "constant memory size".
constexpr int64_t maxConstantBytes = 65536;

/// Is the description consistent in itself: indices in range, one stride a
/// dimension, positive steps, block and cluster sizes CUDA can launch.
MaybeError checkDescription(const KernelDescription &kernel);

/// The value of each extent of `tensor`. Fails where `sizes` are too few or a
/// value lies outside 0..maxExtent.
Result<std::vector<int64_t>> tensorShape(const KernelDescription &kernel,
                                         const TensorArgument &tensor,
                                         const std::vector<int64_t> &sizes);

/// The tiles of the grid; 0 where a term of the grid is 0: nothing to do. A
/// reduction extent of 0 is no term and launches. Fails for sizes out of range,
/// for more than 2^31-1 tiles, and for more than maxExtent of a persistent
/// kernel, which counts one wave further.
Result<uint32_t> countTiles(const KernelDescription &kernel, const std::vector<int64_t> &sizes);

/// The blocks to launch. Of a persistent kernel the device runs `residentBlocks`
/// at once, at least 1: where its tiles are cut at most one a step of each tile
/// is launched, else at most one a tile. Others launch a block a tile, and so do
/// those whose whole waves would leave less than 1/cutWorthIdle of the device idle, or
/// less than cutWorthSteps steps of each block: nothing is cut then. Fails as countTiles does.
Result<uint32_t> computeGrid(const KernelDescription &kernel, const std::vector<int64_t> &sizes,
                             int64_t residentBlocks);

/// How the tiles that do not fill a wave are dealt out. Step s of cut tile t is
/// unit t * steps + s; block b of the first `shares` blocks takes the units from
/// tiles * steps * b / shares on. Where that leaves no more than 1/cutEvenSpare of the blocks
/// idle, `shares` is a multiple of `tiles`: no block has parts of two. In a grid of
/// clusters all of this is about clusters, and a tile is one for each of its blocks.
struct CutWave {
  /// Tiles beyond whole waves: the remainder of tiles by blocks.
  int64_t tiles = 0;
  /// Of a tile, at least 1.
  int64_t steps = 1;
  /// Blocks that get a share.
  int64_t shares = 0;

  /// Pieces that belong to one tile and one block; whole tiles count as one.
  /// That of block b and tile t has number b + t: no other has, and all are below
  /// slots().
  int64_t slots() const { return tiles == 0 ? 0 : tiles + shares - 1; }
};

/// The cut wave of a launch of `blocks` blocks; no tiles where the kernel has no
/// cut loop. For sizes that computeGrid accepts.
CutWave findCutWave(const KernelDescription &kernel, const std::vector<int64_t> &sizes,
                    int64_t blocks);

/// Elements of a workspace for a launch of `blocks` blocks, at least 1.
int64_t countElements(const KernelDescription &kernel, const Workspace &workspace,
                      const std::vector<int64_t> &sizes, int64_t blocks);

/// Bytes from the first byte of element 0 to the last byte of the last element
/// of a tensor with positive strides; 0 where an extent is 0. Fails where that
/// passes 2^62.
Result<int64_t> spanBytes(ElementType type, const std::vector<int64_t> &shape,
                          const std::vector<int64_t> &strides);

/// Could two coordinates share an element? Exact for nested strides; strides
/// that interleave without meeting count as overlapping.
bool mayOverlapItself(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides);

/// Refuses every launch that the kernel was not compiled for: numbers of
/// arguments, extents, strides (positive, as declared), alignment, written
/// tensors that overlap themselves or another tensor, and tensor maps that the
/// hardware does not take (canEncode).
MaybeError checkLaunch(const KernelDescription &kernel, const LaunchArguments &arguments);

/// The launch's values of each tensor map, for arguments that checkLaunch accepts.
std::vector<TensorMapValues> listTensorMaps(const KernelDescription &kernel,
                                            const LaunchArguments &arguments);

/// The parameters as bytes, one entry a parameter, as cuLaunchKernel takes
/// them. For arguments that checkLaunch accepts; `maps` has one entry for each
/// of the kernel's tensor maps.
std::vector<std::vector<unsigned char>>
packParameters(const KernelDescription &kernel, const LaunchArguments &arguments,
               const std::vector<EncodedTensorMap> &maps = {});

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_KERNELDESCRIPTION_H
