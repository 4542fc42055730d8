package result

import "gsql/sql/vec"

// First returns the source of the first n rows of src.
func First(src Source, n int64) Source { return &first{src, n} }

type first struct {
	Source
	left int64
}

// Next implements Source.
func (f *first) Next() (*vec.Batch, error) {
	if f.left <= 0 {
		return nil, nil
	}
	b, err := f.Source.Next()
	if b == nil || err != nil {
		return nil, err
	}
	if int64(b.N) > f.left {
		b = b.Slice(0, int(f.left))
	}
	f.left -= int64(b.N)
	return b, nil
}

// Counted delivers the rows of a source that a LIMIT selects, and counts all rows, including those
// that are not delivered.
type Counted struct {
	src        Source
	skip, left int64 // left < 0 means no limit
	count      int64
	ended      bool
}

// NewCounted returns the source of n rows of src (of all rows for n < 0) after the first
// skip rows.
func NewCounted(src Source, skip, n int64) *Counted { return &Counted{src: src, skip: skip, left: n} }

// Next implements Source.
func (c *Counted) Next() (*vec.Batch, error) {
	for !c.ended {
		b, err := c.src.Next()
		if b == nil || err != nil {
			c.ended = true
			return nil, err
		}
		n := int64(b.N)
		c.count += n
		from := min(c.skip, n)
		c.skip -= from
		to := n
		if c.left >= 0 {
			to = min(n, from+c.left)
			c.left -= to - from
		}
		if from < to {
			return b.Slice(int(from), int(to)), nil
		}
	}
	return nil, nil
}

// Close reads and counts the remaining rows, and closes the source.
func (c *Counted) Close() error {
	c.left = 0
	_, err := c.Next()
	if cerr := c.src.Close(); err == nil {
		err = cerr
	}
	return err
}

// Count returns the number of rows read so far, including those beyond the LIMIT.
func (c *Counted) Count() int64 { return c.count }
