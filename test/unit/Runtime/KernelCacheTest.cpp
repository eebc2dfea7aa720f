//===- KernelCacheTest.cpp - The cache of compiled kernels ----*- C++ -*-===//
//
// Round trips, every kind of damage, folders that cannot be used, and many
// processes at once.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/KernelCache.h"
#include "TemporaryFolder.h"
#include "tilec/Runtime/Sha256.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilec::runtime;
namespace fs = std::filesystem;

namespace {

std::string contentsOf(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void writeText(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

KernelCache cacheIn(const std::string &folder) {
  return KernelCache(CacheSearch{folder, "", "", ""});
}

TEST(Sha256, KnownDigests) {
  // FIPS 180-4 examples, and the NIST vector of a million letters.
  EXPECT_EQ(sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256Hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(KernelCache, FolderByPriority) {
  EXPECT_EQ(cacheFolder({"/a", "/b", "/c", "/d"}), "/a");
  EXPECT_EQ(cacheFolder({"", "/b", "/c", "/d"}), "/b");
  EXPECT_EQ(cacheFolder({"", "", "/c", "/d"}), "/c/tilec");
  EXPECT_EQ(cacheFolder({"", "", "relative", "/d"}), "/d/.cache/tilec");
  EXPECT_EQ(cacheFolder({"", "", "", ""}), "");
}

TEST(KernelCache, RoundTrip) {
  TemporaryFolder folder;
  std::string path = folder.path() + "/deep/cache";
  KernelCache cache = cacheIn(path);
  ASSERT_TRUE(cache.enabled()) << *cache.takeNote();
  EXPECT_FALSE(cache.find("key"));
  const std::string metadata("meta\0data", 9);
  cache.store("key", {metadata, {0, 1, 255}});
  cache.store("other key", {"", {}});
  std::optional<CacheEntry> entry = cache.find("key");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->metadata, metadata);
  EXPECT_EQ(entry->payload, (std::vector<uint8_t>{0, 1, 255}));
  EXPECT_TRUE(cache.find("other key"));
  EXPECT_FALSE(cache.find("ke"));
  cache.store("key", {"new", {7}});
  EXPECT_EQ(cacheIn(path).find("key")->metadata, "new");
  EXPECT_FALSE(cache.takeNote());

  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(cache.entryPath("key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  // Two entries and nothing left over.
  EXPECT_EQ(std::distance(fs::directory_iterator(path), fs::directory_iterator()), 2);
}

TEST(KernelCache, DamagedEntriesDoNotExistAndAreReplaced) {
  TemporaryFolder folder;
  KernelCache cache = cacheIn(folder.path());
  CacheEntry entry = {"meta", {1, 2, 3, 4, 5}};
  cache.store("key", entry);
  std::string path = cache.entryPath("key");
  std::string good = contentsOf(path);
  ASSERT_TRUE(cache.find("key"));

  for (size_t bytes = 0; bytes < good.size(); ++bytes) {
    writeText(path, good.substr(0, bytes));
    ASSERT_FALSE(cache.find("key")) << "cut to " << bytes;
  }
  for (size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] = char(bad[byte] ^ (1 << (byte % 8)));
    writeText(path, bad);
    ASSERT_FALSE(cache.find("key")) << "byte " << byte;
  }
  writeText(path, good + "x");
  EXPECT_FALSE(cache.find("key"));
  cache.store("key", entry);
  EXPECT_EQ(contentsOf(path), good);

  // An entry under another entry's name.
  fs::copy_file(path, cache.entryPath("another"));
  EXPECT_FALSE(cache.find("another"));
}

TEST(KernelCache, OddFilesInPlaceOfAnEntry) {
  TemporaryFolder folder;
  KernelCache cache = cacheIn(folder.path());
  ASSERT_EQ(mkfifo(cache.entryPath("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(cache.find("fifo"));
  cache.store("fifo", {"", {1}});
  EXPECT_TRUE(cache.find("fifo"));
  fs::create_directory(cache.entryPath("folder"));
  EXPECT_FALSE(cache.find("folder"));
  cache.store("folder", {"", {1}});
  EXPECT_EQ(*cache.takeNote(), "the kernel is not cached: cannot write " +
                                   cache.entryPath("folder") + ": Is a directory");
  cache.store("folder", {"", {1}});
  EXPECT_FALSE(cache.takeNote()) << "a note is given once";
}

TEST(KernelCache, FoldersThatAreRefused) {
  TemporaryFolder folder;
  std::string open = folder.path() + "/open";
  fs::create_directory(open);
  ASSERT_EQ(chmod(open.c_str(), 0777), 0);
  KernelCache worldWritable = cacheIn(open);
  EXPECT_FALSE(worldWritable.enabled());
  EXPECT_EQ(*worldWritable.takeNote(),
            "no kernel cache in " + open + ": every user can write to it");
  worldWritable.store("key", {"", {1}});
  EXPECT_FALSE(worldWritable.find("key"));
  EXPECT_TRUE(fs::is_empty(open));

  std::string file = folder.path() + "/file";
  writeText(file, "");
  EXPECT_EQ(*cacheIn(file).takeNote(), "no kernel cache in " + file + ": it is no folder");
  EXPECT_EQ(*cacheIn(file + "/below").takeNote(),
            "no kernel cache in " + file + "/below: it cannot be made: Not a directory");
  EXPECT_EQ(*cacheIn("").takeNote(), "no kernel cache: none of --cache-dir, TILEC_CACHE_DIR, "
                                     "XDG_CACHE_HOME and HOME is set");

  std::string foreign = folder.path() + "/foreign";
  fs::create_directory(foreign);
  if (chown(foreign.c_str(), geteuid() + 1, gid_t(-1)) != 0)
    GTEST_SKIP() << "only root can give a folder away";
  EXPECT_EQ(*cacheIn(foreign).takeNote(), "no kernel cache in " + foreign +
                                              ": it belongs to user " +
                                              std::to_string(geteuid() + 1) +
                                              ", tilec runs as user " + std::to_string(geteuid()));
}

TEST(KernelCache, ManyProcessesWriteOneKey) {
  TemporaryFolder folder;
  // Each payload is one byte repeated: a mixture would show.
  auto payload = [](int writer) { return std::vector<uint8_t>(20000, uint8_t(writer)); };
  std::vector<pid_t> writers;
  for (int writer = 0; writer < 8; ++writer) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      KernelCache cache = cacheIn(folder.path());
      for (int i = 0; i < 30; ++i) {
        cache.store("key", {std::to_string(writer), payload(writer)});
        std::optional<CacheEntry> entry = cache.find("key");
        if (!entry || entry->payload != payload(std::stoi(entry->metadata)))
          _exit(1);
      }
      _exit(0);
    }
    writers.push_back(child);
  }
  for (pid_t writer : writers) {
    int status = 0;
    ASSERT_EQ(waitpid(writer, &status, 0), writer);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

} // namespace
