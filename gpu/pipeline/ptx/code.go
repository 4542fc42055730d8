// Package ptx writes the kernels of a pipeline program as PTX text: one kernel for each pipeline.
package ptx

// Code is the kernels of a program.
type Code struct {
	Name     string // of the module; programs with the same text have the same name
	Text     string // PTX
	Launches []Launch
}

// Launch is the launch of one pipeline's kernel. Launches run in order on one stream. Columns of
// Program.Columns with a Size are allocated and filled with their Init before the first.
type Launch struct {
	Entry  string
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

// The entries that every module has for columns whose Init is not one byte repeated. Parameters:
// the address, the number of elements, and the value.
const (
	Fill4 = "fill4" // elements of 4 bytes
	Fill8 = "fill8" // elements of 8 bytes
	// FillThreads is the number of threads of a block of these; blocks take further elements.
	FillThreads = 256
)
