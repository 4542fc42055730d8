package state

import (
	"gsql/exec/op"
	"gsql/exec/sort"
	"gsql/sql/vec"
)

// makeRoom spills the rows if memory is scarce.
func (c *concat) makeRoom() error {
	if c.store.Rows() >= setRows && c.files.Ctx.Spill != nil && Scarce(c.account, setLeft) {
		return c.Put()
	}
	return nil
}

// Rows implements Keeper.
func (c *concat) Rows() int { return c.store.Rows() }

// Join implements Keeper.
func (c *concat) Join(h *Held) { c.joinTo(h, c) }

// keep appends a batch to the rows.
func (c *concat) keep(b *vec.Batch) error {
	err := c.store.Append(b)
	if err != nil && c.store.Rows() == 0 { // release what the first columns took
		c.store.Free()
	}
	return err
}

// Put implements Keeper. It spills the rows.
func (c *concat) Put() error {
	if rows := c.store.Rows(); rows > 0 {
		if err := c.write(&vec.Batch{Cols: c.store.Columns(), N: rows}, c.store.Bytes()); err != nil {
			return err
		}
	}
	c.store.Free() // also frees what a refused Append left
	c.byGroup.forget()
	return nil
}

// write spills rows of about the given size in memory.
func (c *concat) write(all *vec.Batch, bytes int64) error {
	disk, err := c.file(1)
	if err != nil {
		return err
	}
	step := max(min(setBlock, int(int64(all.N)*blockBytes/(bytes+1))), 1)
	for lo := 0; lo < all.N; lo += step {
		if err := c.files.Ctx.Err(); err != nil {
			return err
		}
		if err := disk.Put(0, all.Slice(lo, min(lo+step, all.N))); err != nil {
			return err
		}
	}
	return nil
}

// finishOnDisk makes the missing results from the rows on disk, which it sorts.
func (c *concat) finishOnDisk(ctx *op.Ctx) error {
	j := c.newJoiner()
	defer j.free()
	var keys []sort.Column
	for i, k := range c.a.OrderBy {
		keys = append(keys, sort.Column{At: 1 + c.args + i, Desc: k.Desc})
	}
	of := int64(-1)
	err := c.sorted(ctx, keys, func(cols []*vec.Vector, rows int) error {
		for i, g := range cols[0].I64[:rows] {
			if int(g) < c.done {
				continue
			}
			if g != of {
				if err := c.endGroup(of, j); err != nil {
					return err
				}
				of = g
				j.begin(int(g))
			}
			if err := j.add(cols[1:1+c.args], i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.endGroup(of, j)
}

// endGroup makes the result of a group, if one has begun.
func (c *concat) endGroup(g int64, j *joiner) error {
	if g < 0 {
		return nil
	}
	err := j.end()
	if err == nil {
		c.done = int(g) + 1
	}
	return err
}
