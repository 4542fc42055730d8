/* Opening the CUDA driver at run time; trampolines.sh writes the code. */
#ifndef GSQL_CUDA_OPEN_H
#define GSQL_CUDA_OPEN_H

/* Loads libcuda.so.1, points every function of cuda.h at it and calls cuInit. Gives 0, or -1
 * where the library cannot be loaded, or cuInit's error; text, never NULL afterwards, then
 * says what failed. Until it has given 0, cuInit succeeds without doing anything,
 * cuDeviceGetCount counts none and all else answers CUDA_ERROR_NO_DEVICE. Call it once. */
int gsql_cuda_open(const char **text);

#endif
