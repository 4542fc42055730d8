package state

import (
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"gsql/exec/op"
	"gsql/exec/sort"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

const (
	// setRows is the least number of rows that a state spills because memory is scarce, which it
	// is if less than setLeft of the available memory is free.
	setRows = 1 << 12
	setLeft = 1.0 / 8
	// setBlock is the greatest number of rows in a block, blockBytes about the greatest number of
	// bytes of texts in it.
	setBlock   = 4 * vec.BatchSize
	blockBytes = 1 << 20
)

// Files holds the files of an operator's states.
type Files struct {
	Ctx     *op.Ctx        // of the operator
	arbiter *spill.Arbiter // of concurrent workers; nil if there are none
	// Account is the operator's account, which may have its own limit while rows are collected.
	Account *mem.Account
	mu      sync.Mutex
	all     []*spill.Partitions
}

func (f *Files) create(ts []types.Type, parts int) (*spill.Partitions, error) {
	file, err := f.Ctx.Spill.Create(ts)
	if err != nil {
		return nil, err
	}
	p := spill.NewPartitions(file, parts)
	f.mu.Lock()
	f.all = append(f.all, p)
	f.mu.Unlock()
	return p, nil
}

// remove closes a single file.
func (f *Files) remove(p *spill.Partitions) error {
	f.mu.Lock()
	f.all = slices.DeleteFunc(f.all, func(x *spill.Partitions) bool { return x == p })
	f.mu.Unlock()
	return p.Close()
}

// Close removes all files.
func (f *Files) Close() error {
	var err error
	for _, p := range f.all {
		err = errors.Join(err, p.Close())
	}
	f.all = nil
	return err
}

// diskRows is what a state, and those merged into it, have on disk: rows whose first column is
// the group.
type diskRows struct {
	files   *Files
	types   []types.Type
	disk    *spill.Partitions // its own; nil if nothing has spilled
	sources []setSource       // disk and those of the merged states
	held    *Held             // of the state's worker
}

// joinTo adds k, whose rows d spills, to the states of h.
func (d *diskRows) joinTo(h *Held, k Keeper) {
	h.Keepers = append(h.Keepers, k)
	d.held = h
}

// file returns the state's own file, which it creates with the given number of partitions.
func (d *diskRows) file(parts int) (*spill.Partitions, error) {
	if d.disk == nil {
		p, err := d.files.create(d.types, parts)
		if err != nil {
			return nil, err
		}
		d.disk = p
		d.sources = append(d.sources, setSource{parts: p})
	}
	return d.disk, nil
}

// addTo runs add, which keeps rows in memory. If they do not fit, it spills what the worker holds
// and runs add again; add must recognise what it has done already.
func (d *diskRows) addTo(add func() error) error { return d.files.Add(d.held, add) }

// Discard removes the state's own file.
func (d *diskRows) Discard() error {
	if d.disk == nil {
		return nil
	}
	return d.files.remove(d.disk)
}

// setSource is the file of some state, and the numbers that its groups have for the reader: -1
// for those that the reader does not have, nil if the numbers are the same.
type setSource struct {
	parts *spill.Partitions
	to    []int32
}

// absorb records that the groups from of o's rows on disk are groups to of d. o is a state of n
// groups.
func (d *diskRows) absorb(o *diskRows, n int, from, to []int32) {
	for _, s := range o.sources {
		mine := d.source(s.parts, n)
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

// source returns d's record of the groups of parts, of which there are at least n.
func (d *diskRows) source(parts *spill.Partitions, n int) *setSource {
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

// read returns the rows of a block that belong to the reader's groups, valid until the next call.
// idx is scratch space.
func (s *setSource) read(from *spill.Reader, block spill.Block, idx *[]int32) (*vec.Batch, error) {
	b, err := from.Read(block)
	if err != nil || s.to == nil {
		return b, err
	}
	groups, rows := b.Cols[0].I64, (*idx)[:0]
	for i, g := range groups {
		if groups[i] = -1; int(g) < len(s.to) {
			groups[i] = int64(s.to[g])
		}
		if groups[i] >= 0 {
			rows = append(rows, int32(i))
		}
	}
	*idx = rows
	return vec.Select(b, rows), nil
}

// sorted calls each with the rows of the first partitions, sorted by group and then by keys, in
// batches of flat columns.
func (d *diskRows) sorted(ctx *op.Ctx, keys []sort.Column, each func(cols []*vec.Vector, rows int) error) (err error) {
	var s *sort.Operator
	var stream op.Stream
	err = d.addTo(func() (err error) {
		s = sort.Over(&diskScan{rows: d, ctx: ctx}, "HashAggregate", d.types, append([]sort.Column{{At: 0}}, keys...), 0)
		if err = s.Open(ctx.Within(d.files.Account, nil)); err == nil {
			stream, err = s.Stream()
		}
		if err != nil {
			err = errors.Join(err, s.Close())
		}
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stream.Close(), s.Close()) }()
	flat := make([]*vec.Vector, len(d.types))
	for i, t := range d.types {
		flat[i] = &vec.Vector{Type: t}
	}
	cols := make([]*vec.Vector, len(flat))
	for {
		b, err := stream.Next()
		if b == nil || err != nil {
			return err
		}
		for i, c := range b.Cols {
			cols[i] = c.Flatten(flat[i])
		}
		if err := each(cols, b.N); err != nil {
			return err
		}
	}
}

// diskScan is an operator that returns the rows of the first partitions of a state on disk.
type diskScan struct {
	rows *diskRows
	ctx  *op.Ctx
	all  []placed
	next atomic.Int64
}

// placed is a block and its file.
type placed struct {
	source *setSource
	block  spill.Block
}

// Open implements op.Operator.
func (s *diskScan) Open(*op.Ctx) error {
	for i := range s.rows.sources {
		from := &s.rows.sources[i]
		for _, b := range from.parts.Blocks(0) {
			s.all = append(s.all, placed{from, b})
		}
	}
	return nil
}

// Stream implements op.Operator.
func (s *diskScan) Stream() (op.Stream, error) {
	return &diskStream{scan: s, readers: map[*setSource]*spill.Reader{}}, nil
}

// Ordered implements op.Operator.
func (s *diskScan) Ordered() bool { return false }

// Close implements op.Operator. It does not remove the files.
func (s *diskScan) Close() error { return nil }

// diskStream reads blocks that no other stream has taken.
type diskStream struct {
	scan    *diskScan
	readers map[*setSource]*spill.Reader
	idx     []int32
	block   *vec.Batch // the block being returned, or nil
	at      int
}

// Next implements op.Stream.
func (s *diskStream) Next() (*vec.Batch, error) {
	if err := s.scan.ctx.Err(); err != nil {
		return nil, err
	}
	if s.block == nil || s.at == s.block.N {
		if err := s.read(); err != nil || s.block == nil {
			return nil, err
		}
	}
	lo, hi := s.at, min(s.at+s.scan.ctx.Rows(), s.block.N)
	s.at = hi
	b := &vec.Batch{N: hi - lo, Morsel: s.block.Morsel}
	for _, c := range s.block.Cols {
		b.Cols = append(b.Cols, c.Slice(lo, hi))
	}
	return b, nil
}

// read reads the next block that has rows.
func (s *diskStream) read() error {
	for s.block, s.at = nil, 0; ; {
		i := s.scan.next.Add(1) - 1
		if i >= int64(len(s.scan.all)) {
			return s.Close()
		}
		at := s.scan.all[i]
		from := s.readers[at.source]
		for other, r := range s.readers {
			if other != at.source {
				r.Free()
			}
		}
		if from == nil {
			from = at.source.parts.NewReader(s.scan.rows.files.Account)
			s.readers[at.source] = from
		}
		b, err := at.source.read(from, at.block, &s.idx)
		if err != nil {
			return err
		}
		if b.N > 0 {
			b.Morsel, s.block = i, b
			return nil
		}
	}
}

// Close implements op.Stream.
func (s *diskStream) Close() error {
	for _, from := range s.readers {
		from.Free()
	}
	return nil
}

// Scarce reports whether less than the given part of the memory available to an account is free.
func Scarce(a *mem.Account, part float64) bool {
	left := a.Left()
	return left < math.MaxInt64 && float64(left) < part*float64(left+a.Used())
}
