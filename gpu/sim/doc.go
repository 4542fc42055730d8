// Package sim is a gpu.Device that executes the kernels' own CUDA C++ sources on the CPU,
// compiled by g++ with the header kernels/emu, so that every machine can test them. It
// needs the build tag "sim", cgo and g++ ("make test-sim"); without the tag it is empty.
//
// Work waits in its stream until something requires it: a Sync, a recorded event that another
// stream waits for, or Free. A program that reads results or reuses host memory without waiting
// therefore always finds poison. Device memory is poisoned and has guard zones; an access that the
// emulation catches prints its reason and aborts the program. Emulation shows what a kernel
// computes, but not how racing threads would see memory.
package sim
