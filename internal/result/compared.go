package result

import "gsql/sql/vec"

// Account is charged for memory.
type Account interface {
	Reserve(bytes int64) error
	Release(bytes int64)
}

// Compared delivers the rows of a source and compares them with those that another source had, in any
// order. Values of DOUBLE and FLOAT count as equal if they differ by at most a part of 1e-12.
type Compared struct {
	src     Source
	others  multiset
	checked func(*Difference) error
	row     comparedRow
}

// Difference is a pair of rows in which two sources differ. A row is "" if there is none.
type Difference struct {
	Missing string // a row that only the delivered source has
	Surplus string // a row that only the other source has
}

// NewCompared reads other to its end and closes it. Its rows take memory of acct until Close. At the
// end of src, or at the first row that other did not have, checked receives the difference, or nil,
// and returns the error with which the rows end.
func NewCompared(src, other Source, acct Account, checked func(*Difference) error) (*Compared, error) {
	c := &Compared{src: src, others: multiset{acct: acct, rows: map[string][][]float64{}}, checked: checked}
	err := c.others.read(other)
	if cerr := other.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		c.others.free()
		return nil, err
	}
	return c, nil
}

// Next implements Source.
func (c *Compared) Next() (*vec.Batch, error) {
	b, err := c.src.Next()
	switch {
	case err != nil:
		return nil, err
	case b == nil:
		return nil, c.checked(c.others.left())
	}
	for i := range b.N {
		if c.row.set(b, i); !c.others.take(&c.row) {
			d := &Difference{Missing: c.row.String()}
			if left := c.others.left(); left != nil {
				d.Surplus = left.Surplus
			}
			if err := c.checked(d); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// Close implements Source.
func (c *Compared) Close() error {
	c.others.free()
	return c.src.Close()
}
