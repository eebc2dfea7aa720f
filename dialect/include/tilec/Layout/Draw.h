//===- Draw.h - Layouts as SVG pictures -------------------------*- C++ -*-===//
//
// Self-contained SVG text that a browser opens. A picture holds at most 32768 cells; 128x64 stays
// under 300 KB. Library TilecLayoutDraw.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_DRAW_H
#define TILEC_LAYOUT_DRAW_H

#include "tilec/Layout/Algebra.h"
#include "tilec/Layout/Instructions.h"

namespace tilec::layout {

/// One part of a picture.
struct NamedLayout {
  std::string name;
  ComposedLayout layout;
};

/// Offsets as grids side by side, mode 0 down and mode 1 across, further modes as planes; greys by
/// offset mod 8. A swizzled layout is drawn before and after the swizzle, coloured by bank group.
/// Errors: symbolic layouts, too many cells.
Result<std::string> drawLayouts(const std::vector<NamedLayout> &layouts);

/// The same for one layout, with the cells at `marked`, an offset, outlined.
Result<std::string> drawLayout(const ComposedLayout &layout,
                               std::optional<int64_t> marked = std::nullopt);

/// The elements of `tile`, each with the thread and value that hold it, coloured by thread.
/// `threadValue` of rank 2 maps (thread, value) to the logical index of the tile.
/// Errors: as above, another rank, an index outside the tile.
Result<std::string> drawThreadValue(const Layout &threadValue, const Layout &tile);

/// An instruction's operands together: A left, B on top, C between them; or source and destination.
Result<std::string> drawInstruction(const InstructionLayout &instruction);

/// `a` with each tile in its own colour, beside it the zipped result: a column for each tile.
/// Errors: as above, and those of zippedDivide.
Result<std::string> drawDivide(const ComposedLayout &a, const Tiler &b);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_DRAW_H
