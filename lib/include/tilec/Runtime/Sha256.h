//===- Sha256.h - SHA-256 -------------------------------------*- C++ -*-===//
//
// The hash of FIPS 180-4, for names and checksums of cache entries.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_SHA256_H
#define TILEC_RUNTIME_SHA256_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilec::runtime {

std::array<uint8_t, 32> sha256(std::string_view data);

/// 64 lower-case hexadecimal digits.
std::string sha256Hex(std::string_view data);

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_SHA256_H
