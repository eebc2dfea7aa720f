//===- KernelCache.cpp - Compiled kernels kept between runs ---*- C++ -*-===//
//
// File format, all numbers little-endian:
//   8 bytes magic, u64 schema, u64 key length, u64 metadata length,
//   u64 payload length, key, metadata, payload, 32 bytes SHA-256 of all before.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/KernelCache.h"

#include "FileIO.h"
#include "tilec/Runtime/Sha256.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace tilec::runtime {

namespace {

constexpr std::string_view magic = "tileckc\n";
constexpr uint64_t schema = 1;
constexpr size_t headerBytes = 8 + 4 * 8;
constexpr size_t checksumBytes = 32;
/// Entries can be read by their owner alone.
constexpr mode_t entryMode = 0600;

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

void appendNumber(std::string &text, uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8)
    text += char(value >> shift);
}

uint64_t readNumber(std::string_view text, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i)
    value |= uint64_t(static_cast<unsigned char>(text[at + i])) << (8 * i);
  return value;
}

std::string_view asText(const std::array<uint8_t, 32> &digest) {
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

std::string_view asText(const std::vector<uint8_t> &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string encode(std::string_view key, const CacheEntry &entry) {
  std::string file(magic);
  file.reserve(headerBytes + key.size() + entry.metadata.size() + entry.payload.size() +
               checksumBytes);
  appendNumber(file, schema);
  appendNumber(file, key.size());
  appendNumber(file, entry.metadata.size());
  appendNumber(file, entry.payload.size());
  file += key;
  file += entry.metadata;
  file += asText(entry.payload);
  file += asText(sha256(file));
  return file;
}

/// The entry, unless the file is anything but what encode(key, ...) makes.
std::optional<CacheEntry> decode(std::string_view file, std::string_view key) {
  if (file.size() < headerBytes + checksumBytes || file.substr(0, magic.size()) != magic ||
      readNumber(file, 8) != schema)
    return std::nullopt;
  uint64_t keyBytes = readNumber(file, 16);
  uint64_t metadataBytes = readNumber(file, 24);
  uint64_t payloadBytes = readNumber(file, 32);
  uint64_t left = file.size() - headerBytes - checksumBytes;
  // Compared one by one: the sum of forged lengths could wrap around.
  if (keyBytes > left || metadataBytes > left - keyBytes ||
      payloadBytes != left - keyBytes - metadataBytes)
    return std::nullopt;
  if (file.substr(headerBytes, keyBytes) != key)
    return std::nullopt;
  size_t contentBytes = file.size() - checksumBytes;
  if (asText(sha256(file.substr(0, contentBytes))) != file.substr(contentBytes))
    return std::nullopt;
  std::string_view payload = file.substr(headerBytes + keyBytes + metadataBytes, payloadBytes);
  CacheEntry entry;
  entry.metadata = file.substr(headerBytes + keyBytes, metadataBytes);
  entry.payload.assign(payload.begin(), payload.end());
  return entry;
}

/// Makes the folder and those above it; only the last one is private.
MaybeError makeFolder(const std::string &path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    ::mkdir(path.substr(0, slash).c_str(), 0777);
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST)
    return std::nullopt;
  return Error{std::string("it cannot be made: ") + std::strerror(errno)};
}

MaybeError checkFolder(const std::string &path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return Error{std::strerror(errno)};
  if (!S_ISDIR(status.st_mode))
    return Error{"it is no folder"};
  if (status.st_uid != ::geteuid())
    return Error{"it belongs to user " + std::to_string(status.st_uid) + ", tilec runs as user " +
                 std::to_string(::geteuid())};
  if (status.st_mode & S_IWOTH)
    return Error{"every user can write to it"};
  return std::nullopt;
}

} // namespace

CacheSearch cacheSearchOfProcess(std::string explicitFolder) {
  return {std::move(explicitFolder), variable("TILEC_CACHE_DIR"), variable("XDG_CACHE_HOME"),
          variable("HOME")};
}

std::string cacheFolder(const CacheSearch &search) {
  if (!search.explicitFolder.empty())
    return search.explicitFolder;
  if (!search.tilecCacheDir.empty())
    return search.tilecCacheDir;
  if (!search.xdgCacheHome.empty() && search.xdgCacheHome[0] == '/')
    return search.xdgCacheHome + "/tilec";
  if (!search.home.empty())
    return search.home + "/.cache/tilec";
  return "";
}

KernelCache::KernelCache(const CacheSearch &search) : path(cacheFolder(search)) {
  if (path.empty()) {
    addNote("no kernel cache: none of --cache-dir, TILEC_CACHE_DIR, XDG_CACHE_HOME and HOME is "
            "set");
    return;
  }
  MaybeError error = makeFolder(path);
  if (!error)
    error = checkFolder(path);
  if (error)
    addNote("no kernel cache in " + path + ": " + error->message);
  usable = !error;
}

std::string KernelCache::entryPath(std::string_view key) const {
  return path + "/" + sha256Hex(key) + ".kernel";
}

std::optional<CacheEntry> KernelCache::find(std::string_view key) {
  if (!usable)
    return std::nullopt;
  Result<std::string> file = readFile(entryPath(key));
  if (!file)
    return std::nullopt;
  return decode(*file, key);
}

void KernelCache::store(std::string_view key, const CacheEntry &entry) {
  if (!usable)
    return;
  if (MaybeError error = writeFileAtomically(entryPath(key), encode(key, entry), entryMode))
    addNote("the kernel is not cached: " + error->message);
}

std::optional<std::string> KernelCache::takeNote() {
  std::lock_guard<std::mutex> lock(mutex);
  std::optional<std::string> taken = std::move(note);
  note.reset();
  return taken;
}

void KernelCache::addNote(std::string text) {
  std::lock_guard<std::mutex> lock(mutex);
  if (noted)
    return;
  noted = true;
  note = std::move(text);
}

} // namespace tilec::runtime
