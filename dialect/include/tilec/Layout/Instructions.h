//===- Instructions.h - The instructions of kernels -------------*- C++ -*-===//
//
// One record for each instruction that computes, or that moves elements between shared memory and
// registers: shape, types, which thread holds which element, where operands may lie, from which
// architecture on, and which rate of a machine file is its. Thread/value layouts map (thread, value)
// to the column-major index of the operand's tile: for (R,C), row = i % R, column = i / R. Source:
// PTX ISA 9.0 and CuTe's MMA and copy traits of CUTLASS (2026-08), each compared with the formula in
// words by brute force.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_INSTRUCTIONS_H
#define TILEC_LAYOUT_INSTRUCTIONS_H

#include "tilec/Layout/Swizzle.h"

#include <string_view>

namespace tilec::layout {

/// Types of elements; B16 and B32 are moved whatever they mean.
enum class ElementType { B16, B32, F16, BF16, TF32, F32, F64, S8, S32, E4M3, E5M2 };

/// As machine files spell it: "f16".
const char *toString(ElementType type);

/// One combination of types that an instruction has.
struct InstructionTypes {
  /// Of A and B, or of what is moved.
  ElementType element;
  /// Of C; as `element` where nothing is added up.
  ElementType accumulator;
  /// The first architecture that has it: 80 is sm_80.
  int lowestArch;
  /// No other architecture has it, and this one under its own name: sm_90a.
  bool archSpecific = false;
  /// The key of its rate under `units` of a machine file, as "mma.f16"; empty for what moves elements.
  const char *rate = "";
};

enum class InstructionKind { Multiply, LoadMatrix, StoreMatrix, Exchange };

/// One operand of an instruction.
struct OperandLayout {
  /// "A" is (M,K), "B" is (N,K), "C" is (M,N); "source" and "destination" of ldmatrix and stmatrix
  /// are (8 elements of a row, rows).
  std::string name;
  int64_t rows;
  int64_t columns;
  Layout threadValue;
  /// It lies in shared memory, from addresses that are multiples of so many bytes; 0: in registers.
  int64_t sharedAlignment = 0;
};

struct InstructionLayout {
  std::string name;
  /// Bits of an element of A, B or of the copied matrix.
  int64_t elementBits;
  std::vector<OperandLayout> operands;
  InstructionKind kind = InstructionKind::Multiply;
  /// Of what is multiplied; 0 for others.
  int64_t m = 0, n = 0, k = 0;
  int64_t threads = 32;
  std::vector<InstructionTypes> types;
  /// Operands as they lie in shared memory, where they may or must: seen as a whole by all threads, in the layouts of
  /// wgmmaCanonicalLayout.
  std::vector<OperandLayout> shared;
};

/// All names that instructionLayout accepts; of the wgmma family those of the largest n.
std::vector<std::string> allInstructionNames();

/// The record in words: shape, types with architectures and rates, and the layout of each operand.
std::string describeInstruction(const InstructionLayout &instruction);

/// The names that instructionLayout accepts, apart from the wgmma family.
std::vector<std::string> instructionNames();

/// Looks up "fma", "mma.m16n8k16.16", "ldmatrix.x4", "stmatrix.x4.trans", "shfl.bfly.1", "wgmma.m64n128k16", ...
/// wgmma: k = 8, 16 or 32 for 32-, 16- and 8-bit elements, n a multiple of 8 up to 256; operands A
/// (registers) and C. Errors: unknown name, with those that exist.
Result<InstructionLayout> instructionLayout(std::string_view name);

/// The name of the instruction of a warp that multiplies `m` x `k` and `n` x `k` elements and adds up in `accumulator`; empty where
/// there is none. Its operands lie in registers.
std::string findWarpMultiply(int64_t m, int64_t n, int64_t k, ElementType element, ElementType accumulator);

/// The accumulator of wgmma m64nNk*, 128 threads. Refuses N that is no multiple of 8 in [8, 256].
Result<Layout> wgmmaAccumulator(int64_t n);

/// An operand that wgmma reads from shared memory: (thread, value) -> column-major index of the
/// (rows, columns) tile. Each of the 128 threads sees the whole tile. Refuses extents below 1.
Result<Layout> wgmmaSharedOperand(int64_t rows, int64_t columns);

/// Shared-memory swizzle modes that TMA writes and wgmma reads.
enum class SmemSwizzle { None, Bytes32, Bytes64, Bytes128 };

/// Which index runs fastest in the atom.
enum class SmemMajor { K, MN };

struct SmemSwizzleInfo {
  /// Acts on byte addresses.
  Swizzle byteSwizzle;
  const char *tmaName;
  /// The layout type field of a wgmma descriptor, bits 62 and 63.
  int wgmmaLayoutType;
  int64_t rowBytes;
  /// The pattern repeats after so many bytes; the buffer must be aligned to it.
  int64_t repeatBytes;
};

SmemSwizzleInfo smemSwizzleInfo(SmemSwizzle mode);

/// The smallest tile of a canonical layout: offsets in elements, 8 rows of
/// smemSwizzleInfo().rowBytes. Shape (8, row) for K, (row, 8) for MN. Refuses element sizes other
/// than 8, 16 and 32 bits.
Result<ComposedLayout> smemAtom(SmemMajor major, SmemSwizzle mode, int64_t elementBits);

/// The offsets, in elements and before the swizzle, that wgmma takes an operand to have. K-major:
/// `groups` groups of 8 rows, `depth` = 2 chunks of 16 bytes, which is one instruction. MN-major:
/// `groups` atoms along MN, `depth` groups of 8 along K. `leading` and `stride` are the leading and
/// stride offsets of the descriptor, in elements. Errors: as smemAtom; another K-major depth.
Result<Layout> wgmmaCanonicalLayout(SmemMajor major, SmemSwizzle mode, int64_t elementBits,
                                    int64_t groups, int64_t depth, int64_t leading, int64_t stride);

/// Repeats an atom over `shape`, the first mode first. Refuses extents that the atom does not
/// divide and shapes of fewer modes than the atom.
Result<ComposedLayout> tileToShape(const ComposedLayout &atom, const std::vector<int64_t> &shape);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_INSTRUCTIONS_H
