//===- EarlyEnd.h - Ending early without leaving files -----------*- C++ -*-===//

#ifndef TILEC_TOOLS_EARLYEND_H
#define TILEC_TOOLS_EARLYEND_H

#include <string>

namespace tilec {

/// From now on SIGINT, SIGTERM and SIGHUP, unless they are ignored, remove what is noted as temporary and then end the process as
/// they would have done. To be called before any other thread is started.
void watchSignals();

/// As mkstemp and mkdtemp: of a path that ends with XXXXXX a new file, or -1, and a new folder, or false. They are in the way once
/// nobody works on them.
int makeTemporaryFile(std::string &path);
bool makeTemporaryFolder(std::string &path);
void forgetTemporary(const std::string &path);

/// From now on the process ends with `status` and a message where memory is exhausted, and leaves no temporaries.
void watchMemory(int status);

} // namespace tilec

#endif // TILEC_TOOLS_EARLYEND_H
