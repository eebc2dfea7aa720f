//===- ExploreCommand.h - `tilec explore` ------------------------*- C++ -*-===//
//
// What if the machine had more of this, or the nest kept another operand?
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_EXPLORECOMMAND_H
#define TILEC_TOOLS_EXPLORECOMMAND_H

namespace tilec {

/// Runs `tilec explore` with the arguments after that word. Returns the exit status.
int runExploreCommand(int argc, const char *const *argv);

} // namespace tilec

#endif // TILEC_TOOLS_EXPLORECOMMAND_H
