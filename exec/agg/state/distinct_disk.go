package state

import (
	"errors"

	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/exec/spill"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Sets of distinct values that do not fit in memory spill by their hashes: equal values are in
// the same part. At the end each part becomes a set again, one at a time.
const (
	setBits  = 6
	setParts = 1 << setBits
)

// find adds the rows of d.keys to the set. To free memory it spills the set and, if necessary,
// what else the worker holds. Rows for which not even an empty set has room spill as they are.
func (d *distinct) find(rows int) error {
	if d.files.Ctx.Spill != nil && d.set.Stored() >= setRows && Scarce(d.account, setLeft) {
		if err := d.Put(); err != nil {
			return err
		}
	}
	err := d.addTo(func() error { return d.enter(d.keys, d.found[:rows]) })
	if errors.Is(err, sqlerr.OutOfMemory) && d.files.Ctx.Spill != nil {
		return d.write(&vec.Batch{Cols: d.keys, N: rows})
	}
	return err
}

// enter adds rows to the set.
func (d *distinct) enter(keys []*vec.Vector, found []int32) error {
	err := d.set.Find(keys, found)
	if err != nil && d.set.Stored() == 0 { // release what the first columns took
		d.clear()
	}
	return err
}

// Put spills the set.
func (d *distinct) Put() error {
	if d.set.Stored() > 0 {
		if err := d.write(d.set.Rows()); err != nil {
			return err
		}
	}
	d.clear()
	return nil
}

// write spills flat rows, among which may be duplicates.
func (d *distinct) write(all *vec.Batch) error {
	disk, err := d.file(setParts)
	if err != nil {
		return err
	}
	hash := make([]uint64, all.N) // of the values only: other states number the groups differently
	rowhash.Rows(all.Cols[1:], hash)
	var lists ByGroup
	lists.Build(setParts, func(yield func(row, g int32)) {
		for i, h := range hash {
			yield(int32(i), int32(h>>(64-setBits)))
		}
	})
	for p := range setParts {
		if err := d.files.Ctx.Err(); err != nil {
			return err
		}
		for rows := lists.Of(int32(p)); len(rows) > 0; {
			k := min(len(rows), setBlock)
			if err := disk.Put(p, vec.Select(all, rows[:k])); err != nil {
				return err
			}
			rows = rows[k:]
		}
	}
	return nil
}

// clear makes the set empty.
func (d *distinct) clear() {
	d.set.Free()
	d.set = d.newSet()
	d.byGroup.forget()
}

// mostReadBits is the greatest number of times that a part is halved.
const mostReadBits = 20

// readBack passes each spilled part to the inner state. If a part does not fit in memory, it
// reads half of the rows at a time, or fewer, selected by their hashes.
func (d *distinct) readBack(ctx *op.Ctx) error {
	if err := d.Put(); err != nil {
		return err
	}
	for p := range setParts {
		bits := 0
		for of := uint64(0); of>>bits == 0; {
			err := d.addTo(func() error { return d.readPart(ctx, p, bits, of) })
			if errors.Is(err, sqlerr.OutOfMemory) && bits < mostReadBits {
				bits, of = bits+1, 2*of
				continue
			}
			if err == nil {
				err = d.feed(ctx)
			}
			if err != nil {
				return err
			}
			d.clear()
			of++
		}
	}
	return nil
}

// readPart fills the set with the rows of a part on disk whose hashes begin with the given bits.
// On error the set is empty.
func (d *distinct) readPart(ctx *op.Ctx, p, bits int, of uint64) (err error) {
	defer func() {
		if err != nil {
			d.clear()
		}
	}()
	for i := range d.sources {
		s := &d.sources[i]
		from := s.parts.NewReader(d.account)
		for _, block := range s.parts.Blocks(p) {
			if err := d.readBlock(ctx, s, from, block, func(h uint64) bool { return h>>(64-bits) == of }); err != nil {
				from.Free()
				return err
			}
		}
		from.Free()
	}
	return nil
}

// Rows implements Keeper.
func (d *distinct) Rows() int { return d.set.Stored() }

// Discard implements Keeper.
func (d *distinct) Discard() error {
	err := d.diskRows.Discard()
	if k, ok := d.inner.(Keeper); ok {
		err = errors.Join(err, k.Discard())
	}
	return err
}

// Join implements Keeper.
func (d *distinct) Join(h *Held) { d.joinTo(h, d) }

// readBlock adds the rows of a block that belong to d's groups and whose hashes are wanted.
func (d *distinct) readBlock(ctx *op.Ctx, s *setSource, from *spill.Reader, block spill.Block, wanted func(hash uint64) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b, err := s.read(from, block, &d.idx)
	if err != nil {
		return err
	}
	from.Forgo()
	flat := make([]*vec.Vector, len(b.Cols))
	for i, c := range b.Cols {
		flat[i] = c.Flatten(nil)
	}
	hash, rows := make([]uint64, b.N), make([]int32, 0, b.N)
	rowhash.Rows(flat, hash)
	for i, h := range hash {
		if wanted(h) {
			hash[len(rows)] = h
			rows = append(rows, int32(i))
		}
	}
	if len(rows) < b.N {
		for i, c := range vec.Select(&vec.Batch{Cols: flat, N: b.N}, rows).Cols {
			flat[i] = c.Flatten(nil)
		}
	}
	if cap(d.found) < b.N {
		d.found = make([]int32, b.N)
	}
	return d.set.FindHashed(flat, hash[:len(rows)], d.found[:len(rows)])
}
