//===- SharedLibraryTest.cpp - Where libraries are found ------*- C++ -*-===//
//
// Order of the search, and what an error lists.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/SharedLibrary.h"
#include "TemporaryFolder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace tilec::runtime;
namespace fs = std::filesystem;

namespace {

TEST(CudaPaths, OrderOfTheSearch) {
  TemporaryFolder root;
  for (const char *folder : {"venv/lib/python3.11/site-packages/nvidia/cu13/lib",
                             "prefix/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib",
                             "home/.local/lib/python3.9/site-packages/nvidia/cu13/lib",
                             "usr/lib/python3/dist-packages/nvidia/cublas/lib"})
    fs::create_directories(fs::path(root.path()) / folder);

  CudaSearch search;
  search.explicitPath = "/flag";
  search.cudaHome = "/home";
  search.cudaPath = "/home";
  search.virtualEnv = root.path() + "/venv";
  search.home = root.path() + "/home";
  search.executableFolder = root.path() + "/prefix/bin";
  search.systemRoot = root.path();

  std::vector<std::string> found;
  for (const LibraryPlace &place : toolkitPlaces(search))
    found.push_back(place.folder.compare(0, root.path().size(), root.path()) == 0
                        ? place.folder.substr(root.path().size())
                        : place.folder);
  EXPECT_EQ(found,
            (std::vector<std::string>{
                "/flag/lib64", "/flag/lib", "/flag", "/home/lib64", "/home/lib", "/home",
                "/venv/lib/python3.11/site-packages/nvidia/cu13/lib",
                "/prefix/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib",
                "/home/.local/lib/python3.9/site-packages/nvidia/cu13/lib",
                "/usr/lib/python3/dist-packages/nvidia/cublas/lib", "/usr/local/cuda/lib64", ""}));
}

TEST(SharedLibrary, ErrorListsEveryPlaceAndTheLoadersReason) {
  TemporaryFolder folder;
  std::ofstream(folder.path() + "/libtilec-none.so.2") << "no library";
  auto library = SharedLibrary::open(
      {"libtilec-none.so.3", "libtilec-none.so.2"},
      {{"/nowhere", "--cuda-path"}, {folder.path(), "CUDA_HOME"}, {"", "the loader's path"}});
  ASSERT_FALSE(library.ok());
  std::string message = library.message();
  EXPECT_EQ(message.find("found no libtilec-none.so.3 or libtilec-none.so.2; tried\n"
                         "  /nowhere (--cuda-path)\n  " +
                         folder.path() + " (CUDA_HOME): "),
            0u)
      << message;
  EXPECT_NE(message.find("file too short"), std::string::npos) << message;
  EXPECT_NE(message.find("\n  the loader's path"), std::string::npos) << message;
}

TEST(SharedLibrary, BindsAndNamesWhatIsMissing) {
  auto library = SharedLibrary::open({"libm.so.6"}, {{"", "the loader's path"}});
  ASSERT_TRUE(library.ok()) << library.message();
  EXPECT_EQ(library->origin(), "the loader's path");
  double (*cosine)(double) = nullptr;
  ASSERT_FALSE(library->bind("cos", cosine));
  EXPECT_EQ(cosine(0.0), 1.0);
  void (*absent)() = nullptr;
  MaybeError error = library->bind("tilecAbsent", absent);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, library->path() + " has no function tilecAbsent");
}

} // namespace
