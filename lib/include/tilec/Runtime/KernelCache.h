//===- KernelCache.h - Compiled kernels kept between runs -----*- C++ -*-===//
//
// One file for each entry, which repeats the whole key and ends in a checksum:
// an entry is right or it does not exist. A cache that cannot be used is no
// error: tilec compiles again, and says once why.
//
// Running a cached kernel is running code, so a folder that others can write
// to is refused.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_KERNELCACHE_H
#define TILEC_RUNTIME_KERNELCACHE_H

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilec::runtime {

/// What decides where the cache is; an empty string means unset.
struct CacheSearch {
  /// --cache-dir.
  std::string explicitFolder;
  /// $TILEC_CACHE_DIR.
  std::string tilecCacheDir;
  /// $XDG_CACHE_HOME.
  std::string xdgCacheHome;
  /// $HOME.
  std::string home;
};

/// The search of this process: its environment and the flag.
CacheSearch cacheSearchOfProcess(std::string explicitFolder = "");

/// The first of --cache-dir, $TILEC_CACHE_DIR, $XDG_CACHE_HOME/tilec,
/// ~/.cache/tilec; empty where none is set. A relative $XDG_CACHE_HOME counts
/// as unset, as its specification says.
std::string cacheFolder(const CacheSearch &search);

struct CacheEntry {
  /// What the caller wants to know without reading the payload.
  std::string metadata;
  /// A cubin, or the emulator's object file.
  std::vector<uint8_t> payload;
};

/// Safe to use from several threads, and from several processes at once.
class KernelCache {
public:
  /// Opens the folder, making it (for its owner only) where it is missing.
  explicit KernelCache(const CacheSearch &search);

  /// False where there is no folder that can be used.
  bool enabled() const { return usable; }
  const std::string &folder() const { return path; }

  /// The entry whose key is `key` byte for byte. The key must name everything
  /// that the payload depends on: source, options, architecture, versions.
  std::optional<CacheEntry> find(std::string_view key);

  /// Writes an entry, in place of one that is there.
  void store(std::string_view key, const CacheEntry &entry);

  /// The first reason why the cache does not work as it should, for the user;
  /// returned once.
  std::optional<std::string> takeNote();

  /// Where the entry of a key is kept.
  std::string entryPath(std::string_view key) const;

private:
  void addNote(std::string text);

  std::string path;
  bool usable = false;
  std::mutex mutex;
  bool noted = false;
  std::optional<std::string> note;
};

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_KERNELCACHE_H
