// CUDA's bfloat16 on this machine's CPU: each operation in single precision, rounded.
#pragma once
#include "cuda_fp16.h"

static inline uint16_t host_bfloat(float value)
{
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static inline float host_bfloat_to_float(uint16_t half)
{
  const uint32_t bits = (uint32_t)half << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
HOST_NARROW(__nv_bfloat16, host_bfloat, host_bfloat_to_float)
static inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
static inline float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
