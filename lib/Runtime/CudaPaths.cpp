//===- CudaPaths.cpp - Where CUDA's libraries may lie ---------*- C++ -*-===//
//
// Builds the ordered list of folders from the environment and the file system.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/CudaPaths.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace tilec::runtime {

namespace {

namespace fs = std::filesystem;

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

bool isFolder(const fs::path &path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Folders of `parent` whose name starts with `prefix`, the last name first,
/// so that the newest Python comes first and the order is reproducible.
std::vector<fs::path> childrenWithPrefix(const fs::path &parent, const std::string &prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().filename().string().compare(0, prefix.size(), prefix) == 0)
      found.push_back(entry->path());
  std::sort(found.rbegin(), found.rend());
  return found;
}

class PlaceList {
public:
  void add(const fs::path &folder, const std::string &origin) {
    std::string text = folder.string();
    for (const LibraryPlace &place : places)
      if (place.folder == text)
        return;
    places.push_back({text, origin});
  }

  /// The library folders of a toolkit whose root the user named; the root
  /// itself too, since users name either.
  void addToolkit(const std::string &root, const std::string &origin) {
    if (root.empty())
      return;
    add(fs::path(root) / "lib64", origin);
    add(fs::path(root) / "lib", origin);
    add(root, origin);
  }

  /// The folders that NVIDIA's wheels make in one site-packages.
  void addWheels(const fs::path &sitePackages) {
    for (const char *wheel : {"cu13", "cuda_nvrtc", "cublas"}) {
      fs::path folder = sitePackages / "nvidia" / wheel / "lib";
      if (isFolder(folder))
        add(folder, "python packages");
    }
  }

  /// The wheels of every Python under `prefix`/lib.
  void addPythons(const fs::path &prefix) {
    for (const fs::path &python : childrenWithPrefix(prefix / "lib", "python3"))
      for (const char *packages : {"site-packages", "dist-packages"})
        addWheels(python / packages);
  }

  std::vector<LibraryPlace> places;
};

} // namespace

CudaSearch cudaSearchOfProcess(std::string explicitPath) {
  CudaSearch search;
  search.explicitPath = std::move(explicitPath);
  search.cudaHome = variable("CUDA_HOME");
  search.cudaPath = variable("CUDA_PATH");
  search.virtualEnv = variable("VIRTUAL_ENV");
  search.home = variable("HOME");
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error)
    search.executableFolder = program.parent_path().string();
  return search;
}

std::vector<LibraryPlace> toolkitPlaces(const CudaSearch &search) {
  PlaceList list;
  list.addToolkit(search.explicitPath, "--cuda-path");
  list.addToolkit(search.cudaHome, "CUDA_HOME");
  list.addToolkit(search.cudaPath, "CUDA_PATH");
  if (!search.virtualEnv.empty())
    list.addPythons(search.virtualEnv);
  if (!search.executableFolder.empty())
    list.addPythons(fs::path(search.executableFolder).parent_path());
  if (!search.home.empty())
    list.addPythons(fs::path(search.home) / ".local");
  list.addPythons(search.systemRoot + "/usr/local");
  list.addPythons(search.systemRoot + "/usr");
  list.add(search.systemRoot + "/usr/local/cuda/lib64", "the default toolkit");
  list.add("", "the loader's path");
  return list.places;
}

std::vector<LibraryPlace> driverPlaces(const CudaSearch &search) {
  PlaceList list;
  list.add("", "the loader's path");
  for (const char *folder : {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"})
    list.add(search.systemRoot + folder, "the driver's folder");
  return list.places;
}

} // namespace tilec::runtime
