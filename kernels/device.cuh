// What every kernel file starts from: nvcc's dialect or the emulation, and the few words
// in which they differ.
#pragma once

#ifdef __CUDACC__
#include <cstdint>
// SHARED declares a variable of the block's shared memory.
#define SHARED(type, name) __shared__ type name
// SPIN stands in loops that wait for another block.
#define SPIN()
// KERNEL begins the definition of an entry: in parentheses its launch bounds (threads a
// block, blocks to keep resident), its name, its parameters. Programs that launch
// entries by name define ENTRY before they include kernels.
#ifndef ENTRY
#define ENTRY(name)
#endif
#define KERNEL(bounds, name, ...)                   \
  extern "C" __global__ void name(__VA_ARGS__);      \
  ENTRY(name)                                       \
  extern "C" __global__ void __launch_bounds__ bounds name(__VA_ARGS__)
// DYNAMIC_SHARED is the block's dynamic shared memory.
extern __shared__ __align__(16) unsigned char gsqlDynamicShared[];
#define DYNAMIC_SHARED gsqlDynamicShared
#else
#include "emu/cuda.h"
#define SHARED(type, name) \
  static char emuPlace_##name; \
  type& name = *reinterpret_cast<type*>(emu::machine.block->shared.variable(&emuPlace_##name, sizeof(type)))
#define SPIN() emu::spin()
#define DYNAMIC_SHARED emu::machine.block->shared.dynamic()
#define KERNEL(bounds, name, ...) \
  extern "C" void name(__VA_ARGS__); \
  static const emu::Entry emuEntry_##name(#name, &name); \
  extern "C" void name(__VA_ARGS__)
#endif

namespace gsql {

using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;
using f64 = double;
// The type that CUDA's 64-bit atomics take.
using ull = unsigned long long;

constexpr u32 kWarp = 32;
constexpr u32 kAllLanes = ~0u;

__device__ __forceinline__ u32 laneId() { return threadIdx.x % kWarp; }
__device__ __forceinline__ u32 warpId() { return threadIdx.x / kWarp; }
__device__ __forceinline__ u32 lanesBelow() { return (1u << laneId()) - 1; }

// globalThread and globalThreads number the threads of a one-dimensional grid.
__device__ __forceinline__ i64 globalThread() { return i64(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ __forceinline__ i64 globalThreads() { return i64(gridDim.x) * blockDim.x; }

// loadVolatile and storeVolatile access state that other blocks write while this one runs.
template <class T>
__device__ __forceinline__ T loadVolatile(const T* p) { return *static_cast<const volatile T*>(p); }
template <class T>
__device__ __forceinline__ void storeVolatile(T* p, T v) { *static_cast<volatile T*>(p) = v; }

// takeTicket numbers the blocks in the order in which they begin, so that a block waits
// only for blocks that run already. All threads of the block call it.
__device__ __forceinline__ i64 takeTicket(u64* counter) {
  SHARED(i64, ticket);
  if (threadIdx.x == 0) ticket = i64(atomicAdd(reinterpret_cast<ull*>(counter), ull(1)));
  __syncthreads();
  return ticket;
}

}  // namespace gsql
