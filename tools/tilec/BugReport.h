//===- BugReport.h - What is left of a bug in tilec --------------*- C++ -*-===//
//
// A bug must not look like a fault of the input: it ends with status 70 and a
// file that shows it again.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_BUGREPORT_H
#define TILEC_TOOLS_BUGREPORT_H

#include <string>

namespace tilec {

/// Writes `arguments` in a comment and `text` to a new file in $TMPDIR or /tmp,
/// prints its path to standard error, and returns the exit status.
int reportBug(const std::string &arguments, const std::string &text);

/// From now on, a crash of this process does the same. `arguments` and `text`
/// must outlive it.
void reportCrashes(const std::string &arguments, const std::string &text);

} // namespace tilec

#endif // TILEC_TOOLS_BUGREPORT_H
