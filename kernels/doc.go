// Package kernels holds the CUDA C++ sources of the GPU operators, their PTX and machine code, and
// the table of entries that launches use.
//
// The sources are compiled twice: by nvcc to the PTX that is embedded here (ptx.sh; no toolkit
// is needed to build the Go program), and by g++ with emu/cuda.h, which executes them on the
// CPU in tests and in the simulated device. cubin.sh assembles the PTX for common architectures. Each .cu file is one operator; the .cuh files hold
// code that operators share.
//
// Conventions: entries are named gsql_<operator>_<phase>_<type>; every parameter has 64 bits;
// sizes, positions and row counts are 64-bit; kernels allocate nothing: results and scratch
// are the caller's. Scratch for look-back must be zeros before each launch.
package kernels
