// CUDA's half precision on this machine's CPU: each operation in single precision, rounded.
#pragma once
#include <cstdint>
#include <cstring>

static inline uint16_t host_half(float value)
{
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000)
    return sign | 0x7fff;
  if (bits >= 0x477ff000)
    return sign | 0x7c00;
  if (bits < 0x38800000) {  // below the smallest normal number: count units of 2^-24, ties to even
    float size;
    std::memcpy(&size, &bits, 4);
    size += 0.5f;
    std::memcpy(&bits, &size, 4);
    return sign | (uint16_t)(bits - 0x3f000000);
  }
  bits += 0xfff + (bits >> 13 & 1) - (112u << 23);
  return sign | (uint16_t)(bits >> 13);
}
static inline float host_float(uint16_t half)
{
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16, size = half & 0x7fff;
  float value;
  if (size >= 0x7c00) {
    const uint32_t bits = sign | 0x7f800000 | (size & 0x3ff) << 13;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  if (size < 0x400) {
    value = (float)size * 5.9604644775390625e-08f;
    return sign ? -value : value;
  }
  const uint32_t bits = sign | ((size << 13) + (112u << 23));
  std::memcpy(&value, &bits, 4);
  return value;
}
#define HOST_NARROW(name, to_bits, to_float) \
  struct name { \
    uint16_t bits; \
    name() = default; \
    name(float value) : bits(to_bits(value)) { } \
    explicit operator float() const { return to_float(bits); } \
  }; \
  static inline name operator+(name a, name b) { return name((float)a + (float)b); } \
  static inline name operator-(name a, name b) { return name((float)a - (float)b); } \
  static inline name operator*(name a, name b) { return name((float)a * (float)b); } \
  static inline name operator/(name a, name b) { return name((float)a / (float)b); } \
  static inline name operator-(name a) { return name(-(float)a); } \
  static inline name& operator+=(name& a, name b) { return a = a + b; } \
  static inline name& operator-=(name& a, name b) { return a = a - b; } \
  static inline name& operator*=(name& a, name b) { return a = a * b; } \
  static inline name& operator/=(name& a, name b) { return a = a / b; } \
  static inline bool operator<(name a, name b) { return (float)a < (float)b; } \
  static inline bool operator>(name a, name b) { return (float)a > (float)b; } \
  static inline bool operator<=(name a, name b) { return (float)a <= (float)b; } \
  static inline bool operator>=(name a, name b) { return (float)a >= (float)b; } \
  static inline bool operator==(name a, name b) { return (float)a == (float)b; } \
  static inline bool operator!=(name a, name b) { return (float)a != (float)b; }
HOST_NARROW(__half, host_half, host_float)
static inline __half __float2half(float x) { return __half(x); }
static inline float __half2float(__half x) { return (float)x; }
