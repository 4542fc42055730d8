package parquet

import (
	"context"
	"io"
	"math"
	"unsafe"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/storage/files/format"
)

// part is a Parquet file whose footer has been read.
type part struct {
	*format.File
	meta *footer
	cols []*column
	size int64 // bytes of the unpacked file

	shown  *format.Preview // set by the first call of Preview
	wanted int             // number of its rows
}

// Open opens a Parquet file by reading its footer. Columns whose type gsql does not support get
// type NULL, with the reason in the comment. Errors: 1033 for a damaged file, 1235 for an
// encrypted one, 1024 for a pipe.
func Open(ctx context.Context, f *format.File) (format.Part, error) {
	h, size, err := f.Open(ctx, f.Account)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	if err := checkMagic(f.Path, h, size); err != nil {
		return nil, err
	}
	p := &part{File: f, size: size}
	if p.meta, err = readFooter(f.Path, h, size, f.Account); err != nil {
		return nil, err
	}
	tree := schemaTree{elements: p.meta.schema}
	root, err := tree.root()
	if err != nil {
		return nil, format.Corrupt(f.Path, "%v", err)
	}
	p.cols, p.meta.schema = columnsOf(root), nil
	return p, p.checkGroups(tree.leaves)
}

// checkGroups verifies that each row group has a chunk for each leaf, and that the row groups
// together have the number of rows stated in the footer. Some writers omit that number.
func (p *part) checkGroups(leaves []*schemaNode) error {
	rows := int64(0)
	for i, g := range p.meta.groups {
		if g.rows < 0 || g.rows > math.MaxInt64-rows {
			return format.Corrupt(p.Path, "row group %d has %d rows", i+1, g.rows)
		}
		if len(g.chunks) != len(leaves) {
			return format.Corrupt(p.Path, "row group %d has %d columns instead of %d", i+1, len(g.chunks), len(leaves))
		}
		for j, c := range g.chunks {
			if !c.encrypted && c.physical != leaves[j].physical {
				return format.Corrupt(p.Path, "column '%s' of row group %d has type %s instead of %s", leaves[j].name, i+1, c.physical, leaves[j].physical)
			}
		}
		rows += g.rows
	}
	if p.meta.rows != 0 && rows != p.meta.rows {
		return format.Corrupt(p.Path, "its row groups hold %d rows and its footer says %d", rows, p.meta.rows)
	}
	p.meta.rows = rows
	return nil
}

// checkMagic distinguishes the common defects: not a Parquet file, and a file that is cut short.
func checkMagic(path string, r io.ReaderAt, size int64) error {
	var head, tail [4]byte
	if size < 12 {
		return format.Corrupt(path, "%d bytes are too few for a Parquet file", size)
	}
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return err
	}
	if _, err := r.ReadAt(tail[:], size-4); err != nil {
		return err
	}
	switch {
	case string(head[:]) == "PARE":
		return sqlerr.Unsupported(-1, "encrypted Parquet files such as %s", path).WithHint("Write it without encryption.")
	case string(head[:]) != "PAR1":
		return format.Corrupt(path, "it does not start as a Parquet file does")
	case string(tail[:]) != "PAR1":
		return format.Corrupt(path, "its end is missing")
	}
	return nil
}

// Held implements format.Part.
func (p *part) Held() int64 {
	return p.meta.held + int64(len(p.cols))*int64(unsafe.Sizeof(column{})) + p.shown.Held()
}

// Columns implements format.Part.
func (p *part) Columns() []catalog.Column {
	cols := make([]catalog.Column, len(p.cols))
	for i, c := range p.cols {
		cols[i] = c.Column
	}
	return cols
}
