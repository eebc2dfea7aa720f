//===- FileIO.h - Whole files ---------------------------------*- C++ -*-===//
//
// Reading a regular file, and writing one so that no reader ever sees half.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_FILEIO_H
#define TILEC_LIB_RUNTIME_FILEIO_H

#include "tilec/Runtime/Result.h"

#include <string>
#include <string_view>
#include <sys/types.h>

namespace tilec::runtime {

/// The contents of a regular file; a FIFO, device or folder is refused without
/// waiting for it.
Result<std::string> readFile(const std::string &path);

/// Writes a temporary file in the same folder and renames it over `path`. The
/// file's mode is `mode` less the umask.
MaybeError writeFileAtomically(const std::string &path, std::string_view contents,
                               mode_t mode = 0666);

} // namespace tilec::runtime

#endif // TILEC_LIB_RUNTIME_FILEIO_H
