//===- ElementType.h - Element types of tensors and scalars ---*- C++ -*-===//
//
// The element types that a kernel argument can have, and their bit-exact
// conversion to and from double.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_ELEMENTTYPE_H
#define TILEC_RUNTIME_ELEMENTTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilec::runtime {

/// TF32 is stored as an f32 whose low 13 mantissa bits the tensor core ignores.
enum class ElementType { F64, F32, TF32, F16, BF16, E4M3, E5M2, S64, S32, S16, S8, U8 };

/// Bytes that one element takes in memory.
unsigned byteWidth(ElementType type);

/// "f32", "bf16", "s8", ...
std::string_view elementTypeName(ElementType type);

/// The inverse of elementTypeName; nothing for an unknown name.
std::optional<ElementType> parseElementType(std::string_view name);

bool isFloatingPoint(ElementType type);

/// Distance from 1 to the next larger value (2^-23 for f32); 0 for integers.
double machineEpsilon(ElementType type);

/// Up to here a double tells all integers apart.
constexpr double mostExactInteger = 9007199254740992.0; // 2^53

/// The value of the element at `source` (little endian, any alignment), exact but for S64 beyond `mostExactInteger`.
/// TF32 yields the value as stored: f32.
double decodeElement(ElementType type, const void *source);

/// Writes `value` to `target`: floating-point types round to nearest, ties to
/// even, overflow to infinity (E4M3, which has none, to NaN); TF32 rounds to 10
/// mantissa bits. Integer types round likewise, saturate, and take NaN as 0.
void encodeElement(ElementType type, double value, void *target);

/// `value` as it reads back after being stored as `type`.
double roundToType(ElementType type, double value);

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_ELEMENTTYPE_H
