package sort

import (
	"errors"
	"slices"

	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// offerScarce is offer for rows that may spill: if memory is short, as few as possible stay in
// memory, and runs have no more rows than the limit.
func (c *collector) offerScarce(b *vec.Batch) error {
	switch rows := c.store.Rows(); {
	case !c.o.account.Crowds():
	case int64(rows) >= 2*c.o.limit:
		if err := c.shrinkOrPut(); err != nil {
			return err
		}
	case rows >= leastRun:
		if err := c.o.arbiter.Put(c); err != nil {
			return err
		}
	}
	err := c.o.arbiter.Add(c, func() error {
		err := c.append(b)
		if errors.Is(err, sqlerr.OutOfMemory) && int64(b.N) > c.o.limit {
			if b, err = c.first(b); err == nil {
				err = c.append(b)
			}
		}
		return err
	})
	if err == nil && c.isFull() {
		return c.shrinkOrPut()
	}
	return c.orPut(b, err)
}

// shrinkOrPut keeps the first rows in memory, or spills the store if they do not fit beside it.
func (c *collector) shrinkOrPut() error {
	sorted, err := c.sorted()
	if err != nil {
		return err
	}
	defer sorted.Free()
	if err = c.pick(sorted.S); errors.Is(err, sqlerr.OutOfMemory) {
		return c.o.arbiter.Put(c)
	}
	if err == nil {
		err = c.coverSort(int64(c.store.Rows()))
		c.o.arbiter.Freed()
	}
	return err
}

// first returns the first rows of a batch, up to the limit.
func (c *collector) first(b *vec.Batch) (*vec.Batch, error) {
	keys := make([]column, len(c.o.keys))
	for i, k := range c.o.keys {
		keys[i] = column{b.Cols[k.col].Flatten(nil), k.desc}
	}
	sorted, err := c.o.orderAlone(keys, b.N)
	if err != nil {
		return nil, err
	}
	defer sorted.Free()
	rows := slices.Clone(sorted.S[:c.o.limit])
	slices.Sort(rows)
	return vec.Select(b, rows), nil
}
