package agg

import (
	"errors"
	"sync"

	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/exec/spill"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Sets of different values that memory has no room for go to disk, dealt out by their hashes:
// equal values meet in one part. In the end each part becomes a set again, one at a time.
const (
	setBits  = 6
	setParts = 1 << setBits
	// setRows is the least that a set holds before it goes to disk because memory is scarce,
	// which it is when less than setLeft of what is within reach is left.
	setRows = 1 << 12
	setLeft = 1.0 / 8
	// setBlock is the most rows that are written together.
	setBlock = 4 * vec.BatchSize
)

// setFiles are the files of an operator's sets.
type setFiles struct {
	ctx *op.Ctx
	mu  sync.Mutex
	all []*spill.Partitions
}

func (f *setFiles) create(ts []types.Type) (*spill.Partitions, error) {
	file, err := f.ctx.Spill.Create(ts)
	if err != nil {
		return nil, err
	}
	p := spill.NewPartitions(file, setParts)
	f.mu.Lock()
	f.all = append(f.all, p)
	f.mu.Unlock()
	return p, nil
}

func (f *setFiles) close() error {
	var err error
	for _, p := range f.all {
		err = errors.Join(err, p.Close())
	}
	f.all = nil
	return err
}

// setSource is what some set has on disk, and the groups of it as the one who reads it
// numbers them: -1 for those that are not its own, nil where the numbers are the same.
type setSource struct {
	parts *spill.Partitions
	to    []int32
}

// find enters the rows of d.keys into the set, which goes to disk to make room, with those
// beside it where it must.
func (d *distinct) find(rows int) error {
	if d.files.ctx.Spill != nil && d.set.store.Rows() >= setRows && scarce(d.set.account, setLeft) {
		if err := d.put(); err != nil {
			return err
		}
	}
	err := d.set.find(d.keys, d.found[:rows])
	if d.files.ctx.Spill == nil || !errors.Is(err, sqlerr.OutOfMemory) {
		return err
	}
	for _, x := range *d.beside {
		if err := x.put(); err != nil {
			return err
		}
	}
	return d.set.find(d.keys, d.found[:rows])
}

// put moves the set to disk.
func (d *distinct) put() error {
	n := d.set.store.Rows() // a refused find may have counted more
	if n == 0 {
		d.clear()
		return nil
	}
	if d.disk == nil {
		var err error
		if d.disk, err = d.files.create(d.types); err != nil {
			return err
		}
		d.sources = append(d.sources, setSource{parts: d.disk})
	}
	all := &vec.Batch{Cols: d.set.store.Columns(), N: n}
	hash := make([]uint64, n) // of the values: other states number the groups otherwise
	rowhash.Rows(all.Cols[1:], hash)
	var lists byGroup
	lists.build(setParts, func(yield func(row, g int32)) {
		for i, h := range hash {
			yield(int32(i), int32(h>>(64-setBits)))
		}
	})
	for p := range setParts {
		if err := d.files.ctx.Err(); err != nil {
			return err
		}
		for rows := lists.of(int32(p)); len(rows) > 0; {
			k := min(len(rows), setBlock)
			if err := d.disk.Put(p, vec.Select(all, rows[:k])); err != nil {
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
	d.set.free()
	d.set = newTable(d.types, d.set.account)
	d.rows.forget()
}

// absorb notes that groups from of what o has on disk are groups to of d.
func (d *distinct) absorb(o *distinct, from, to []int32) {
	for _, s := range o.sources {
		mine := d.source(s.parts, o.n)
		back := make(map[int32]int32, len(from))
		for i, g := range from {
			back[g] = to[i]
		}
		if s.to == nil {
			for g, t := range back {
				mine.to[g] = t
			}
			continue
		}
		for old, g := range s.to {
			if t, ok := back[g]; ok && g >= 0 {
				mine.add(old, t)
			}
		}
	}
}

// source gives what d knows of the groups of parts, which are n at least.
func (d *distinct) source(parts *spill.Partitions, n int) *setSource {
	for i := range d.sources {
		if s := &d.sources[i]; s.parts == parts {
			s.room(n)
			return s
		}
	}
	d.sources = append(d.sources, setSource{parts: parts, to: []int32{}})
	s := &d.sources[len(d.sources)-1]
	s.room(n)
	return s
}

func (s *setSource) room(n int) {
	for len(s.to) < n {
		s.to = append(s.to, -1)
	}
}

func (s *setSource) add(old int, to int32) {
	s.room(old + 1)
	s.to[old] = to
}

// readBack gives each part of what is on disk to the inner state.
func (d *distinct) readBack(ctx *op.Ctx) error {
	if err := d.put(); err != nil {
		return err
	}
	for p := range setParts {
		for _, s := range d.sources {
			from := s.parts.NewReader()
			for _, block := range s.parts.Blocks(p) {
				if err := d.readBlock(ctx, s, from, block); err != nil {
					return err
				}
			}
		}
		if err := d.feed(ctx); err != nil {
			return err
		}
		d.clear()
	}
	return nil
}

// join makes d one of the sets beside each other.
func (d *distinct) join(beside *[]*distinct) {
	*beside = append(*beside, d)
	d.beside = beside
}

// readBlock enters the rows of a block that are of d's groups.
func (d *distinct) readBlock(ctx *op.Ctx, s setSource, from *spill.Reader, block spill.Block) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b, err := from.Read(block)
	if err != nil {
		return err
	}
	if s.to != nil {
		groups, rows := b.Cols[0].I64, d.idx[:0]
		for i, g := range groups {
			if groups[i] = -1; int(g) < len(s.to) {
				groups[i] = int64(s.to[g])
			}
			if groups[i] >= 0 {
				rows = append(rows, int32(i))
			}
		}
		d.idx = rows
		b = vec.Select(b, rows)
	}
	flat := make([]*vec.Vector, len(b.Cols))
	for i, c := range b.Cols {
		flat[i] = c.Flatten(nil)
	}
	if cap(d.found) < b.N {
		d.found = make([]int32, b.N)
	}
	return d.set.find(flat, d.found[:b.N])
}
