//===- LayoutTestUtils.h - Shorthands of the layout tests -------*- C++ -*-===//

#ifndef TILEC_TEST_UNIT_LAYOUT_LAYOUTTESTUTILS_H
#define TILEC_TEST_UNIT_LAYOUT_LAYOUTTESTUTILS_H

#include "tilec/Layout/Parse.h"

#include "gtest/gtest.h"

namespace tilec::layout {

/// The layout of a text that must be legal.
inline Layout L(std::string_view text) {
  Result<Layout> layout = parseLayout(text);
  EXPECT_TRUE(layout) << text << ": " << (layout ? "" : layout.error().message);
  return layout ? *layout : Layout();
}

inline Tiler T(std::string_view text) {
  Result<Tiler> tiler = parseTiler(text);
  EXPECT_TRUE(tiler) << text << ": " << (tiler ? "" : tiler.error().message);
  return tiler ? *tiler : Tiler::keep();
}

inline ComposedLayout C(std::string_view text) {
  Result<ComposedLayout> layout = parseComposedLayout(text);
  EXPECT_TRUE(layout) << text << ": " << (layout ? "" : layout.error().message);
  return layout ? *layout : ComposedLayout();
}

inline IntTuple crd(std::string_view text) {
  Result<IntTuple> tuple = parseIntTuple(text);
  EXPECT_TRUE(tuple) << text << ": " << (tuple ? "" : tuple.error().message);
  return tuple ? *tuple : IntTuple();
}

/// The normal form, or "error: message".
template <typename LayoutT>
std::string str(const Result<LayoutT> &result) {
  return result ? result->str() : "error: " + result.error().message;
}
inline std::string str(const Result<int64_t> &result) {
  return result ? std::to_string(*result) : "error: " + result.error().message;
}

} // namespace tilec::layout

#endif // TILEC_TEST_UNIT_LAYOUT_LAYOUTTESTUTILS_H
