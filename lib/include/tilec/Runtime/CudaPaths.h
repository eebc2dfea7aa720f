//===- CudaPaths.h - Where CUDA's libraries may lie -----------*- C++ -*-===//
//
// The folders in which libnvrtc, libcublasLt and libcuda are looked for, in
// order, each with the reason why it is looked at.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_CUDAPATHS_H
#define TILEC_RUNTIME_CUDAPATHS_H

#include <string>
#include <vector>

namespace tilec::runtime {

/// Everything that the search depends on; an empty string means unset.
struct CudaSearch {
  /// --cuda-path: the root of a toolkit or a folder of libraries.
  std::string explicitPath;
  /// $CUDA_HOME.
  std::string cudaHome;
  /// $CUDA_PATH.
  std::string cudaPath;
  /// $VIRTUAL_ENV.
  std::string virtualEnv;
  /// $HOME.
  std::string home;
  /// The folder of the running program: a wheel that holds tilec lies beside
  /// the wheels that hold CUDA.
  std::string executableFolder;
  /// Put before the fixed places; tests set it to stay off the real system.
  std::string systemRoot;
};

/// The search of this process: its environment, its program, and the flag.
CudaSearch cudaSearchOfProcess(std::string explicitPath = "");

/// One folder to look in; an empty folder stands for the loader's own path.
struct LibraryPlace {
  std::string folder;
  /// "--cuda-path", "CUDA_HOME", "python packages", "the loader's path", ...
  std::string origin;
};

/// Places of the toolkit's libraries (libnvrtc, libcublasLt): --cuda-path,
/// CUDA_HOME, CUDA_PATH, Python packages, /usr/local/cuda, the loader's path.
/// Folders that do not exist are kept where a user could expect them, so that
/// an error can name them.
std::vector<LibraryPlace> toolkitPlaces(const CudaSearch &search);

/// Places of libcuda, which comes with the driver and not with a toolkit: the
/// loader's path and the folders that container and WSL set-ups use.
std::vector<LibraryPlace> driverPlaces(const CudaSearch &search);

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_CUDAPATHS_H
