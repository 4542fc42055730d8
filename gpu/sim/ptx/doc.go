// Package ptx executes PTX on the CPU, so that kernels which are written at run time are tested without
// a GPU. It knows the instructions that package gpu/pipeline/ptx writes and refuses all others, and operands
// whose number, width or form an assembler would refuse.
//
// Blocks run one after the other. The lanes of a warp each have their own program counter; those with
// the least one run, which brings lanes together again where their paths meet. Reading a register or
// shared memory that was not written, reading or writing outside allocations, dividing by zero, and a
// warp whose lanes do not all reach a barrier or a shuffle are errors.
package ptx
