package eval

import (
	"errors"

	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Divider hands out the rows of batches of which values are to be computed: all of them at once, or fewer at a
// time once the values of a batch did not fit in memory.
type Divider struct {
	Whole bool // batches are not divided, because computing rows a second time would change something
	most  int  // rows at a time; 0 for any number
	rest  *vec.Batch
}

// Add sets the rows to compute.
func (d *Divider) Add(b *vec.Batch) { d.rest = b }

// Done reports whether all rows have been computed.
func (d *Divider) Done() bool { return d.rest == nil }

// Compute calls compute for the next rows, for fewer after each refusal of memory. A call must release what the
// one before has reserved.
func (d *Divider) Compute(compute func(b *vec.Batch) error) error {
	for {
		b := d.rest
		if d.most > 0 && d.most < b.N {
			b = b.Slice(0, d.most)
		}
		err := compute(b)
		if err == nil {
			if b == d.rest {
				d.rest = nil
			} else {
				d.rest = d.rest.Slice(b.N, d.rest.N)
			}
			return nil
		}
		if b.N < 2 || d.Whole || !errors.Is(err, sqlerr.OutOfMemory) {
			return err
		}
		d.most = b.N / 2
	}
}
