package engine

import "gsql/gpu"

// Block is a block in pinned host memory that one goroutine fills. Its parts have space for Rows rows of the
// Stream, in the order of its columns; the lengths are multiples of gpu.Alignment.
type Block struct {
	Values, Valid [][]byte // Valid is nil for columns without NULLs
	staging       *gpu.Staging
}

// blockForm is the layout of blocks: where the parts of each column begin.
type blockForm struct {
	values []int64 // offsets, by column
	valid  []int64 // offsets, where the column's values end
	bytes  int64   // of a block
}

// formOf lays out blocks of a number of rows, a multiple of streamRows.
func formOf(columns []StreamColumn, rows int64) (f blockForm) {
	for _, c := range columns {
		f.values = append(f.values, f.bytes)
		f.bytes += rows * int64(c.Width)
		f.valid = append(f.valid, f.bytes)
		if c.Nullable {
			f.bytes += rows / 8
		}
	}
	return f
}

// block cuts a buffer into the parts of the columns.
func (f *blockForm) block(staging *gpu.Staging) *Block {
	b := &Block{staging: staging, Values: make([][]byte, len(f.values)), Valid: make([][]byte, len(f.values))}
	for i, from := range f.values {
		end := f.bytes
		if i+1 < len(f.values) {
			end = f.values[i+1]
		}
		b.Values[i] = staging.Bytes[from:f.valid[i]]
		if end > f.valid[i] {
			b.Valid[i] = staging.Bytes[f.valid[i]:end]
		}
	}
	return b
}

// rowBits returns the bits of a row.
func rowBits(columns []StreamColumn) (n int64) {
	for _, c := range columns {
		n += 8 * int64(c.Width)
		if c.Nullable {
			n++
		}
	}
	return n
}
