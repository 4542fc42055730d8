package jsonfile

import (
	"encoding/base64"
	"fmt"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/dynamic"
	"gsql/storage/files/format"
)

// chunk is a run of whole values.
type chunk struct {
	scan   *scan
	number int
	data   []byte
	at     int64 // offset in the file
	line   int64 // of the first byte
	after  bool  // the array has ended before the chunk
	last   bool  // of the file
	lent   format.Buffers
	held   format.Hold // charge for data beyond format.FreeChunk
	*reader
}

// reader is the state of reading a chunk.
type reader struct {
	walk  *walker
	slots []slot          // by member of the rows
	cols  []int           // by output: the column
	row   []dynamic.Value // by output: the value of the current row
	vecs  []vec.Vector
	null  [][]bool
	out   vec.Batch
}

// Path implements format.Chunk.
func (c *chunk) Path() string { return c.scan.Path }

// Size implements format.Chunk.
func (c *chunk) Size() int64 { return int64(len(c.data)) }

// End implements format.Chunk.
func (c *chunk) End() {
	c.lent.Free()
	_ = c.held.Set(0) // releasing never fails
}

func (c *chunk) open() (err error) {
	r := &reader{}
	if r.walk, err = newWalker(c); err != nil {
		return err
	}
	outputs := make([]int, len(c.scan.cols)) // by column of the file: its output, or -1
	for i := range outputs {
		outputs[i] = -1
	}
	for _, o := range c.scan.req.Columns {
		if outputs[o] < 0 {
			outputs[o] = len(r.cols)
			r.cols = append(r.cols, o)
		}
	}
	r.slots, _ = slotsOf(c.scan.fields, outputs)
	n := len(r.cols)
	r.row, r.vecs, r.null = make([]dynamic.Value, n), make([]vec.Vector, n), make([][]bool, n)
	for _, o := range c.scan.req.Columns {
		r.out.Cols = append(r.out.Cols, &r.vecs[outputs[o]])
	}
	c.reader = r
	return nil
}

// Read implements format.Chunk.
func (c *chunk) Read() (*vec.Batch, error) {
	if c.reader == nil {
		if err := c.open(); err != nil {
			return nil, err
		}
	}
	batch := c.scan.req.Batch
	for i, o := range c.cols {
		c.vecs[i].Type = c.scan.cols[o].Type
		c.vecs[i].Resize(batch)
		c.null[i] = format.Sized(c.null[i], batch)
		clear(c.null[i])
	}
	n := 0
	for ; n < batch; n++ {
		more, err := c.walk.more()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if err := c.values(); err != nil {
			return nil, err
		}
		if err := c.put(n); err != nil {
			return nil, err
		}
	}
	if n == 0 {
		return nil, nil
	}
	for i := range c.vecs {
		some := c.vecs[i].Null != nil
		if c.vecs[i].Resize(n); some {
			c.vecs[i].Null = c.null[i][:n]
		}
	}
	c.out.N = n
	return &c.out, nil
}

// values reads the next row.
func (c *chunk) values() error {
	clear(c.row)
	w, known := c.walk, c.scan.known
	if c.scan.values || w.Peek() != '{' {
		v, err := w.value(0)
		if err == nil && c.scan.values && len(c.row) > 0 {
			c.row[0] = v
		} else if err == nil && !c.scan.values && v.Kind != dynamic.Null {
			err = c.unexpected("a value that is no object")
		}
		return err
	}
	return w.members(func(order int, name string) error {
		i, ok := known.at(name, order)
		if !ok {
			return c.unexpected(fmt.Sprintf("the member '%s'", name))
		}
		return c.value(&c.slots[i], known.list[i], 1)
	})
}

// unexpected returns the error for what opening the file has not found: the file has changed, or it
// is a pipe, of which opening reads only the beginning.
func (c *chunk) unexpected(what string) error {
	return sqlerr.New(sqlerr.TruncatedWrongValueForField, "file '%s', line %d: %s occurs for the first time, after the columns were decided",
		c.Path(), c.walk.lineAt(c.walk.Pos()), what).
		WithHint("The columns of a pipe are those of its first megabyte. Write it to a file, and read that.")
}

// bytesOf returns the value of a column of bytes, which are in base64 in JSON.
func bytesOf(v dynamic.Value) (string, bool) {
	b, err := base64.StdEncoding.DecodeString(v.Text)
	return string(b), err == nil && v.Kind == dynamic.Text
}

// put stores the row at row n of the vectors.
func (c *chunk) put(n int) error {
	for i, o := range c.cols {
		v, col, dst := c.row[i], &c.scan.cols[o], &c.vecs[i]
		if v.Kind == dynamic.Null {
			c.null[i][n], dst.Null = true, c.null[i]
			col.Zero(dst, n)
			continue
		}
		ok := true
		if text := v; col.Type.ID == types.Bytes {
			if v.Text, ok = bytesOf(v); !ok {
				v = text
			}
		}
		if !ok || !col.Put(v, dst, n) {
			return col.Misfit(c.Path(), fmt.Sprint("line ", c.walk.lineAt(c.walk.Pos()-1)), v)
		}
	}
	return nil
}
