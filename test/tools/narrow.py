"""Floating-point types by the bits of their exponents and mantissas: rounding to nearest, ties to even, and the bits of f16 and bf16."""

import math

INF, NAN = math.inf, math.nan
FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}


def to_float(x, t):
    """The nearest number of the type; of two that are as near, the even one."""
    exponent, mantissa = FORMATS[t]
    if t == "f64" or x == 0 or not math.isfinite(x):
        return x
    bias = (1 << (exponent - 1)) - 1
    unit = max(math.frexp(x)[1] - 1, 1 - bias) - mantissa
    rounded = round(math.ldexp(x, -unit)) if unit > -1000 else x * 2.0 ** 500 * 2.0 ** (-unit - 500)
    return math.copysign(INF, x) if abs(rounded) * 2.0 ** unit >= 2.0 ** (bias + 1) else math.copysign(math.ldexp(rounded, unit), x)


def encode(x, t):
    """The bits of a number of 16 bits."""
    exponent, mantissa = FORMATS[t]
    sign = 0x8000 if math.copysign(1.0, x) < 0 else 0
    highest = ((1 << exponent) - 1) << mantissa
    if math.isnan(x):
        return 0x7fff
    if math.isinf(x) or x == 0:
        return sign | (highest if x else 0)
    bias = (1 << (exponent - 1)) - 1
    e = max(math.frexp(x)[1] - 1, 1 - bias)
    return sign | ((e + bias - 1) << mantissa) + int(math.ldexp(abs(x), mantissa - e))


def decode(bits, t):
    exponent, mantissa = FORMATS[t]
    e, m, bias = bits >> mantissa & ((1 << exponent) - 1), bits & ((1 << mantissa) - 1), (1 << (exponent - 1)) - 1
    size = math.ldexp(m | (1 << mantissa), e - bias - mantissa) if e else math.ldexp(m, 1 - bias - mantissa)
    if e == (1 << exponent) - 1:
        size = NAN if m else INF
    return -size if bits >> 15 else size
