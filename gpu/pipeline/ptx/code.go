// Package ptx writes the kernels of a pipeline program as PTX text: one kernel for each pipeline.
//
// A thread takes a few neighbouring rows at a time, so that it loads a column's values with one
// instruction and has several reads of memory in flight. Every value is as many registers as it has
// rows, and a predicate for each row tells whether it is still alive. Columns are loaded where they are
// first used, which threads without a row that is alive do not reach.
package ptx

import "gsql/gpu/pipeline"

// Code is the kernels of a program. Each is a module of its own, so that a driver can compile them
// at the same time and keeps those that programs share.
type Code struct {
	Launches []Launch
	// Extra are columns with a Size that the kernels need besides the program's; they are numbered on
	// from these.
	Extra []pipeline.Column
	// Status is the one of Extra with two elements of 4 bytes. Bit i of the first is set if hash index
	// i had too few slots: the program's results are then incomplete. The second is 1 if a key was
	// inserted twice into an index of unique keys.
	Status int
}

// Launch is the launch of one pipeline's kernel. Launches run in order on one stream. Columns with a
// Size are allocated and filled with their Init before the first.
type Launch struct {
	Entry  string  // of the kernel, and name of the module: no other text has it
	Text   string  // PTX of the module
	Params []Param // the kernel's parameters, of 64 bits each
	// Rows is the number of rows of the source, at most. A block takes Tile rows at a time; more
	// blocks than Rows/Tile, rounded up, have nothing to do, and blocks take further tiles if there
	// are fewer.
	Rows    int64
	Tile    int
	Threads int // of a block
	Shared  int // bytes of dynamic shared memory of a block
}

// Param is what a parameter passes: the number of rows of the source, or the address of a column's
// values, or of the bits that tell which of its rows are not NULL.
type Param struct {
	Of     ParamKind
	Column int
}

// ParamKind is a kind of parameter.
type ParamKind uint8

// The kinds of parameters.
const (
	Rows ParamKind = iota
	Values
	Valid
)

// The entries of the module Fills, for columns whose Init is not one byte repeated. Parameters:
// the address, the number of elements, and the value.
const (
	Fill4 = "fill4" // elements of 4 bytes
	Fill8 = "fill8" // elements of 8 bytes
	// FillThreads is the number of threads of a block of these; blocks take further elements.
	FillThreads = 256
)
