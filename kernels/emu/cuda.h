// Runs CUDA C++ kernels on the CPU: a header for g++ that stands in for nvcc.
//
// A launch keeps a few blocks resident at a time. Each thread of a block is a fibre; one
// scheduler goes round the resident blocks, so a block may wait for another one that
// was started before it or has taken its ticket (decoupled look-back works). Blocks are
// started in a shuffled order, because the hardware promises none.
//
// What is checked, each with a message and abort():
//   - deadlock: threads that wait for a barrier or a warp operation that cannot complete;
//   - a warp operation whose mask names lanes that have exited, or whose lanes disagree
//     about the operation;
//   - writes past shared variables and past device allocations (guard zones);
//   - reads of uninitialised memory show as poison (0xA5 shared, 0xCD device).
// What is not: memory ordering. All fibres share one host thread, so every access is
// sequentially consistent; races need the real device and compute-sanitizer.
//
// One launch at a time in a process.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#define __host__
#define __device__
#define __global__
#define __constant__ static const
#define __forceinline__ inline
#define __launch_bounds__(...)

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(16) ulonglong2 { unsigned long long x, y; };

#include "fibre.h"
#include "memory.h"
#include "launch.h"
#include "intrinsics.h"
