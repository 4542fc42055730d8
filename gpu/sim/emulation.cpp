//go:build sim

// The kernels themselves are compiled by the kernel_*.cpp beside this file, each a
// translation unit like under nvcc.
#include "emulation.h"
#include "../../kernels/emu/cuda.h"

#ifndef GSQL_KERNELS
#error "use make test-sim: it passes a hash of the kernels, without which go would not see that they changed"
#endif

extern "C" gsql_sim_status gsql_sim_launch(const char *kernel, const uint32_t *grid, const uint32_t *block, size_t shared,
                                           const uint64_t *args, size_t count) {
  if (emu::Entry::all().count(kernel) == 0) return GSQL_SIM_NO_KERNEL;
  bool launched = emu::launchByName(kernel, dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2]), shared,
                                    args, count);
  return launched ? GSQL_SIM_OK : GSQL_SIM_PARAMETERS;
}

extern "C" void *gsql_sim_alloc(size_t bytes) { return emu::deviceAlloc(bytes); }

extern "C" void gsql_sim_free(void *p) { emu::deviceFree(p); }

extern "C" size_t gsql_sim_shared(void) { return emu::kSharedBytes; }
