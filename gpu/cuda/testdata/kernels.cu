// A test kernel for a CUDA compiler: nvcc -ptx kernels.cu -o kernels.ptx
typedef unsigned long long u64;

// y[i] += a * x[i] for i < n.
extern "C" __global__ void gsql_test_axpy(const u64 *x, u64 *y, u64 n, u64 a) {
  u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
