//===- Check.h - Do the numbers of a machine agree? -------------*- C++ -*-===//
//
// Rules that need more than one number, and the numbers that no machine can do
// without. Ranges of single numbers are checked where they are read.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_MACHINE_CHECK_H
#define TILEC_LIB_MACHINE_CHECK_H

#include "tilec/Machine/MachineSpec.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec::machine {

struct Violation {
  /// Paths of the numbers that disagree.
  std::vector<std::string> paths;
  std::string message;
};

/// The first rule that `spec` breaks, if any.
std::optional<Violation> findViolation(MachineSpec &spec);

/// The first number of `spec` that lies outside of what its field may be, if any: of machines that no file states.
std::optional<Violation> findOutOfRange(MachineSpec &spec);

/// Is `text` "sm_" and two or three digits, followed by a letter if `suffix`?
bool isArch(const std::string &text, bool suffix);

} // namespace tilec::machine

#endif // TILEC_LIB_MACHINE_CHECK_H
