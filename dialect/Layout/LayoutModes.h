//===- LayoutModes.h - Flat lists of modes ----------------------*- C++ -*-===//
//
// What the operations share: a layout as the list of its leaves, merged where that changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_LAYOUTMODES_H
#define TILEC_LAYOUT_LAYOUTMODES_H

#include "tilec/Layout/Layout.h"

namespace tilec::layout {

/// Drops modes of extent 1 and merges neighbours that continue each other. With `keepLastUnit` the
/// last mode stays even if its extent is 1, since an index past the end runs on along it.
std::vector<Mode> mergedModes(const std::vector<Mode> &modes, bool keepLastUnit);

/// The layout of depth <= 1 with these modes; 1:0 if there are none. Errors: overflow.
Result<Layout> layoutOfModes(const std::vector<Mode> &modes);

/// A complement, and the first mode whose stride the modes below do not divide, if any.
struct ComplementModes {
  std::vector<Mode> modes;
  std::string indivisible;
};
Result<ComplementModes> complementModes(const Layout &a, int64_t cotarget);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_LAYOUTMODES_H
