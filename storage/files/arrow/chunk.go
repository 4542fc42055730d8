package arrow

import (
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/sql/arrowvec"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// chunk is a record batch.
type chunk struct {
	source  *source
	rec     arrow.Record
	num     int // number of the record batch, from 1
	held    format.Hold
	size    int64
	at      int // rows returned so far
	checked bool
	nested  []*nestedArray // by the request's columns; nil for columns that are not nested
	vecs    []vec.Vector
	out     vec.Batch
}

// Path implements format.Chunk.
func (c *chunk) Path() string { return c.source.Path }

// Size implements format.Chunk.
func (c *chunk) Size() int64 { return c.size }

// End implements format.Chunk.
func (c *chunk) End() { _ = c.held.Set(0) } // releasing never fails

// Read implements format.Chunk.
func (c *chunk) Read() (*vec.Batch, error) {
	req := c.source.req
	if !c.checked {
		for i, col := range req.Columns {
			arr := c.rec.Column(col)
			if err := c.check(i, arr); err != nil {
				return nil, c.wrong(col, err)
			}
			if row, value := arrowvec.CheckText(arr); row >= 0 {
				return nil, format.NotText(value, c.source.cols[col].Name, int64(row), fmt.Sprintf("batch %d of '%s'", c.num, c.Path()))
			}
		}
		if c.rec.NumRows() > max(math.MaxInt32, 8*mostUnpacked*c.source.Size) { // a row takes at least a bit, but none if all are NULL
			return nil, format.Corrupt(c.Path(), "a batch has %d rows", c.rec.NumRows())
		}
		c.checked = true
		c.vecs, c.out.Cols = make([]vec.Vector, len(req.Columns)), make([]*vec.Vector, len(req.Columns))
	}
	n := min(req.Batch, int(c.rec.NumRows())-c.at)
	if n <= 0 {
		return nil, nil
	}
	for i, col := range req.Columns {
		v := &c.vecs[i]
		var err error
		if nested := c.nested[i]; nested != nil {
			err = nested.read(c.at, c.at+n, v)
		} else {
			err = c.source.dicts[col].FromArray(c.rec.Column(col), c.source.cols[col].Type, c.at, c.at+n, v)
		}
		if err != nil {
			return nil, c.wrong(col, err)
		}
		c.out.Cols[i] = v
	}
	c.at += n
	c.out.N = n
	return &c.out, nil
}

// check verifies column i of the request, and prepares it if it is converted to JSON.
func (c *chunk) check(i int, arr arrow.Array) (err error) {
	if c.nested == nil {
		c.nested = make([]*nestedArray, len(c.source.req.Columns))
	}
	if isNested(arr.DataType()) || isInterval(arr.DataType()) {
		c.nested[i], err = newNestedArray(arr)
		return err
	}
	return checkArray(arr)
}

// wrong adds the column's name to an error about a damaged column or a value out of its type's
// range.
func (c *chunk) wrong(col int, err error) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return format.Corrupt(c.Path(), "column '%s': %v", c.source.cols[col].Name, format.Reason(err))
	}
	return sqlerr.New(sqlerr.From(err).Code, "%s, in column '%s' of file '%s'", sqlerr.From(err).Msg, c.source.cols[col].Name, c.Path()).
		WithHint("Select the other columns.")
}
