//===- Printable.h - A user's text for a terminal ----------------*- C++ -*-===//

#ifndef TILEC_REPORT_PRINTABLE_H
#define TILEC_REPORT_PRINTABLE_H

#include <string>
#include <string_view>

namespace tilec {

/// `text` without characters that a terminal would obey: control characters but newlines, and those that change the
/// direction of writing, come as \xNN.
std::string printable(std::string_view text);

/// The same for a name: newlines are escaped too.
std::string printableName(std::string_view name);

} // namespace tilec

#endif // TILEC_REPORT_PRINTABLE_H
