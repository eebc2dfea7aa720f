//===- NestList.h - Lists of nests and shapes -------------------*- C++ -*-===//
//
// Lines "FILE <tab> SHAPE", a shape as "m=64,n=8", as test/perf/model --write
// makes them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_NESTLIST_H
#define TILEC_TEST_NESTLIST_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilec {

struct ListedNest {
  std::string file;
  /// Extents by name.
  std::map<std::string, int64_t> shape;
};

inline std::vector<ListedNest> readNestList(llvm::StringRef text) {
  std::vector<ListedNest> nests;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    auto [file, shape] = line.split('\t');
    ListedNest &nest = nests.emplace_back();
    nest.file = file.str();
    llvm::SmallVector<llvm::StringRef> entries;
    shape.split(entries, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef entry : entries) {
      auto [name, value] = entry.split('=');
      int64_t extent = 0;
      if (!value.getAsInteger(10, extent))
        nest.shape[name.str()] = extent;
    }
  }
  return nests;
}

} // namespace tilec

#endif // TILEC_TEST_NESTLIST_H
