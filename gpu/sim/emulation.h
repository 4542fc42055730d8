// What Go calls of the kernels under emulation.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gsql_sim_status { GSQL_SIM_OK, GSQL_SIM_NO_KERNEL, GSQL_SIM_PARAMETERS };

// Runs a kernel to its end. Where the status is not GSQL_SIM_OK nothing has run.
enum gsql_sim_status gsql_sim_launch(const char *kernel, const uint32_t *grid, const uint32_t *block, size_t shared,
                                     const uint64_t *args, size_t count);

// Poisoned memory between guard zones, aligned to 256 bytes; NULL where there is none.
void *gsql_sim_alloc(size_t bytes);
void gsql_sim_free(void *p);

// Most bytes of shared memory that a block may have.
size_t gsql_sim_shared(void);

#ifdef __cplusplus
}
#endif
