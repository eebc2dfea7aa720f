//===- Text.h - Layouts as tables of text -----------------------*- C++ -*-===//
//
// What `tilec layout print` shows: the inverse map and the table of offsets.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_TEXT_H
#define TILEC_LAYOUT_TEXT_H

#include "tilec/Layout/OffsetMap.h"

namespace tilec::layout {

/// A line `offset -> coordinate` for each offset in [0, cosize), all coordinates where several
/// share one and `-` where there is none; more than 8 such in a row share a line. For a layout that
/// is not compact, lines that say what is missing and what is hit more than once.
std::string formatOffsetMap(const ComposedLayout &layout, const OffsetMap &map);

/// The offsets as tables, mode 0 down and mode 1 across, a table for each coordinate of the further
/// modes; a layout of rank 1 as one line. The layout must be static.
std::string formatOffsetTable(const ComposedLayout &layout);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_TEXT_H
