//===- TemporaryFolder.h - A folder for one test --------------*- C++ -*-===//
//
// Made on construction, removed with its contents on destruction.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_RUNTIME_TEMPORARYFOLDER_H
#define TILEC_TEST_UNIT_RUNTIME_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tilec-test-XXXXXX").string();
    if (mkdtemp(name.data()))
      folder = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!folder.empty())
      std::filesystem::remove_all(folder, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::string &path() const { return folder; }

private:
  std::string folder;
};

#endif // TILEC_TEST_UNIT_RUNTIME_TEMPORARYFOLDER_H
