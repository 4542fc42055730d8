package state

import (
	"errors"

	"gsql/exec/agg/keytable"
	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/exec/spill"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// Sets of different values that memory has no room for go to disk, dealt out by their hashes:
// equal values meet in one part. In the end each part becomes a set again, one at a time.
const (
	setBits  = 6
	setParts = 1 << setBits
)

// find enters the rows of d.keys into the set, which goes to disk to make room, with those
// beside it where it must.
func (d *distinct) find(rows int) error {
	if d.files.Ctx.Spill != nil && d.set.Stored() >= setRows && Scarce(d.account, setLeft) {
		if err := d.Put(); err != nil {
			return err
		}
	}
	return d.addTo(func() error { return d.enter(d.keys, d.found[:rows]) })
}

// enter enters rows into the set.
func (d *distinct) enter(keys []*vec.Vector, found []int32) error {
	err := d.set.Find(keys, found)
	if err != nil && d.set.Stored() == 0 { // what it took is room for others
		d.clear()
	}
	return err
}

// Put moves the set to disk.
func (d *distinct) Put() error {
	n := d.set.Stored()
	if n == 0 {
		d.clear()
		return nil
	}
	disk, err := d.file(setParts)
	if err != nil {
		return err
	}
	all := d.set.Rows()
	hash := make([]uint64, n) // of the values: other states number the groups otherwise
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
	d.clear()
	return nil
}

// clear makes the set empty.
func (d *distinct) clear() {
	d.set.Free()
	d.set = keytable.New(d.types, d.account)
	d.byGroup.forget()
}

// mostReadBits bounds how often a part is divided.
const mostReadBits = 20

// readBack passes each part of what is on disk to the inner state: of a part that memory has no room
// for, half of the rows at a time, or fewer, by their hashes.
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

// readPart makes the set that of the rows of a part on disk whose hashes begin with these bits, or
// empty where there is no room for that.
func (d *distinct) readPart(ctx *op.Ctx, p, bits int, of uint64) (err error) {
	defer func() {
		if err != nil {
			d.clear()
		}
	}()
	for i := range d.sources {
		s := &d.sources[i]
		from := s.parts.NewReader()
		for _, block := range s.parts.Blocks(p) {
			if err := d.readBlock(ctx, s, from, block, func(h uint64) bool { return h>>(64-bits) == of }); err != nil {
				return err
			}
		}
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

// readBlock enters the rows of a block that are of d's groups and have hashes that are wanted.
func (d *distinct) readBlock(ctx *op.Ctx, s *setSource, from *spill.Reader, block spill.Block, wanted func(hash uint64) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b, err := s.read(from, block, &d.idx)
	if err != nil {
		return err
	}
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
