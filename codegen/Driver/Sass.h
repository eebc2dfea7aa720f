//===- Sass.h - What a compiler made of products ------------------*- C++ -*-===//
//
// Of a kernel's instructions, as cuobjdump or nvdisasm -hex print them, the figures that tell orders of an inner product apart:
// how long warps stall between instructions, and how often a product's registers lie in one bank.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CODEGEN_DRIVER_SASS_H
#define TILEC_CODEGEN_DRIVER_SASS_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>
#include <vector>

namespace tilec {

/// An innermost loop with products.
struct SassLoop {
  unsigned instructions = 0;
  /// Cycles before a warp's next instruction may issue, summed over the loop's instructions.
  unsigned stalls = 0;
  /// Fused multiply-adds in f32, and those of them that read two or more registers afresh from one bank and none from the other.
  unsigned products = 0, conflicts = 0;
  /// Registers that products read afresh from the even bank, and from the odd one, each of which delivers one a cycle.
  std::array<unsigned, 2> fresh = {0, 0};
};

struct SassFigures {
  std::vector<SassLoop> loops;
  /// Accesses to local memory: registers that were spilled.
  unsigned spills = 0;

  /// Cycles of the loop with the most products, for each of them; nothing where there is no such loop.
  std::optional<double> getCyclesPerProduct() const;
};

/// Reads the first kernel of a disassembly.
SassFigures readSass(llvm::StringRef disassembly);

} // namespace tilec

#endif // TILEC_CODEGEN_DRIVER_SASS_H
