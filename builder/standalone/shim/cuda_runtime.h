// Runs a CUDA program on this machine's CPU: the part of CUDA's runtime and device functions that standalone programs
// use. The threads of a block run one after the other; where they wait for each other (HOST_FIBERS) each is a fiber.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))

struct dim3 {
  unsigned int x, y, z;
  dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) { }
};
#define HOST_VECTOR(number, name) \
  struct name##2 { number x, y; }; \
  struct name##3 { number x, y, z; }; \
  struct alignas(16) name##4 { number x, y, z, w; }; \
  static inline name##2 make_##name##2(number x, number y) { return { x, y }; } \
  static inline name##3 make_##name##3(number x, number y, number z) { return { x, y, z }; } \
  static inline name##4 make_##name##4(number x, number y, number z, number w) { return { x, y, z, w }; }
HOST_VECTOR(float, float)
HOST_VECTOR(double, double)
HOST_VECTOR(int, int)
HOST_VECTOR(unsigned int, uint)
static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;

// --- the runtime ---------------------------------------------------------------------------------------------------
enum cudaError_t { cudaSuccess = 0 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
typedef double cudaEvent_t;
static inline const char* cudaGetErrorString(cudaError_t) { return "no error"; }
template <typename T> cudaError_t cudaMalloc(T** at, size_t size)
{
  *at = (T*)std::malloc(size);
  return cudaSuccess;
}
static inline cudaError_t cudaFree(void* at)
{
  std::free(at);
  return cudaSuccess;
}
static inline cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind)
{
  std::memcpy(to, from, size);
  return cudaSuccess;
}
static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
static inline cudaError_t cudaEventCreate(cudaEvent_t*) { return cudaSuccess; }
static inline cudaError_t cudaEventRecord(cudaEvent_t) { return cudaSuccess; }
static inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
static inline cudaError_t cudaEventElapsedTime(float* at, cudaEvent_t, cudaEvent_t)
{
  *at = 0.0f;
  return cudaSuccess;
}
static inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }

// --- numbers -------------------------------------------------------------------------------------------------------
using std::isfinite;
using std::isinf;
using std::isnan;
#define HOST_LEAST(number) \
  static inline number min(number a, number b) { return a < b ? a : b; } \
  static inline number max(number a, number b) { return a > b ? a : b; }
HOST_LEAST(int)
HOST_LEAST(unsigned int)
HOST_LEAST(long long)
HOST_LEAST(unsigned long long)
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }
static inline int __popc(unsigned int x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned int)x) : 32; }
template <typename To, typename From> static To host_bits(From from)
{
  To to;
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  std::memcpy(&to, &from, sizeof(To));
  return to;
}
static inline int __float_as_int(float x) { return host_bits<int>(x); }
static inline float __int_as_float(int x) { return host_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return host_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return host_bits<double>(x); }
// Giles' approximation, refined by two steps of Newton's method.
static inline double erfinv(double y)
{
  if (!(y > -1.0 && y < 1.0))
    return y == 1.0 ? INFINITY : y == -1.0 ? -INFINITY : NAN;
  const double w = -std::log((1.0 - y) * (1.0 + y)), a = 0.147, b = 2.0 / (M_PI * a) - w / 2.0;
  double x = std::copysign(std::sqrt(std::sqrt(b * b + w / a) - b), y);
  for (int step = 0; step < 4; ++step)
    x -= (std::erf(x) - y) / (2.0 / std::sqrt(M_PI) * std::exp(-x * x));
  return x;
}
static inline float erfinvf(float y) { return (float)erfinv((double)y); }
static inline double erfcinv(double y)
{
  if (y > 0.5)
    return erfinv(1.0 - y);
  double x = y > 0.0 ? std::sqrt(std::max(-std::log(y), 0.1)) : INFINITY;
  for (int step = 0; step < 12 && y > 0.0; ++step)
    x += (std::erfc(x) - y) / (2.0 / std::sqrt(M_PI) * std::exp(-x * x));
  return x;
}
static inline float erfcinvf(float y) { return (float)erfcinv((double)y); }
static inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }

// --- atomics: one thread runs at a time ------------------------------------------------------------------------------
#define HOST_ATOMIC(name, change) \
  template <typename T, typename U> static T name(T* at, U given) \
  { \
    const T old = *at, value = (T)given; \
    *at = change; \
    return old; \
  }
HOST_ATOMIC(atomicAdd, old + value)
HOST_ATOMIC(atomicSub, old - value)
HOST_ATOMIC(atomicMin, value < old ? value : old)
HOST_ATOMIC(atomicMax, old < value ? value : old)
HOST_ATOMIC(atomicAnd, old & value)
HOST_ATOMIC(atomicOr, old | value)
HOST_ATOMIC(atomicXor, old ^ value)
HOST_ATOMIC(atomicExch, value)
template <typename T> static T atomicCAS(T* at, T expected, T value)
{
  const T old = *at;
  if (old == expected)
    *at = value;
  return old;
}
static inline void __threadfence() { }
static inline void __threadfence_block() { }

#include "host_launch.h"
