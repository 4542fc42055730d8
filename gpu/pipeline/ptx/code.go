// Package ptx generates the kernels of a pipeline program as PTX text: one kernel for each
// pipeline.
//
// A thread processes a few neighbouring rows at a time, so that it loads a column's values with one
// instruction and has several memory reads in flight. Every value takes one register per row, and a
// predicate for each row records whether it is still alive. Columns are loaded at their first use,
// which threads without a live row do not reach.
package ptx

import "gsql/gpu/pipeline"

// Code holds the kernels of a program. Each is a separate module, so that a driver can compile them
// concurrently and reuse those that programs share.
type Code struct {
	Launches []Launch
	// Extra holds further columns with a Size that the kernels need. Their numbers follow those of
	// the program's columns.
	Extra []pipeline.Column
	// Status is the column of Extra with four elements of 4 bytes. Bit i of the first is set if hash
	// index i had too few slots: the program's results are then incomplete. The second is 1 if a
	// key was inserted twice into an index of unique keys, and the third if an operation failed: the
	// results are then invalid. The fourth is the number of divisions by 0.
	Status int
}

// Launch is the launch of one pipeline's kernel. Launches run in order on one stream. Columns with a
// Size are allocated and filled with their Init before the first.
type Launch struct {
	Entry  string  // of the kernel and of the module; unique to the text
	Text   string  // PTX of the module
	Params []Param // the kernel's parameters, of 64 bits each
	// Rows is the maximum number of rows of the source. A block processes Tile rows at a time. With
	// more than Rows/Tile blocks, rounded up, some are idle; with fewer, blocks process several
	// tiles. If First is a parameter, a launch may process a part of the source alone: the rows from
	// First, a multiple of PieceRows, up to Rows. The addresses of its columns are those at which row 0
	// would be.
	Rows    int64
	Tile    int
	Threads int // of a block
	Shared  int // bytes of dynamic shared memory of a block
	// Prebuilt is the step that prebuilt kernels take instead of one with a text, or nil.
	Prebuilt *pipeline.Pipeline
}

// Param specifies what a parameter passes: the number of rows of the source, the first of them, the
// address of a column's values, or the address of its validity bits.
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
	First
)

// PieceRows is a number of rows of which the first row of every piece of a source is a multiple.
const PieceRows = 1024

// The entries of the module Fills, for columns whose Init is not a repeated byte. Parameters: the
// address, the number of elements, and the value.
const (
	Fill4 = "fill4" // elements of 4 bytes
	Fill8 = "fill8" // elements of 8 bytes
	// FillThreads is the number of threads of a block of these kernels; each block loops over
	// further elements.
	FillThreads = 256
)
