// Package ptx executes PTX on the CPU, so that kernels generated at run time can be tested without
// a GPU. It supports the instructions that package gpu/pipeline/ptx emits. It rejects all others,
// and operands whose number, width or form an assembler would reject.
//
// Blocks run one after another. Each lane of a warp has its own program counter. The lanes with the
// lowest one execute, so that lanes converge where their paths meet. It is an error to read a
// register or shared memory that was not written, to access memory outside allocations, to divide
// by zero, or if not all lanes of a warp reach a barrier or a shuffle.
package ptx
