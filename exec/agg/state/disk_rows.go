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
	// setRows is the least that a state holds before its rows go to disk because memory is
	// scarce, which it is when less than setLeft of what is within reach is left.
	setRows = 1 << 12
	setLeft = 1.0 / 8
	// setBlock is the most rows that are written together, blockBytes about the most bytes of
	// texts.
	setBlock   = 4 * vec.BatchSize
	blockBytes = 1 << 20
)

// Files are the files of an operator's states.
type Files struct {
	Ctx     *op.Ctx        // of the operator
	arbiter *spill.Arbiter // of the workers that run side by side; nil where there are none
	// Account is the operator's, which may have a limit of its own while rows are collected.
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

// remove closes a file before the others.
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

// diskRows are what a state and those that were merged into it have on disk: rows whose first
// column is the group.
type diskRows struct {
	files   *Files
	types   []types.Type
	disk    *spill.Partitions // its own; nil for nothing
	sources []setSource       // disk and those of the states that were merged
	held    *Held             // of the state's worker
}

// join makes what d belongs to one of those that h holds.
func (d *diskRows) joinTo(h *Held, k Keeper) {
	h.Keepers = append(h.Keepers, k)
	d.held = h
}

// file returns the state's own file, which has so many partitions.
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

// addTo runs add, which keeps rows in memory. Where that has no room, what the worker holds goes
// to disk, and add, which finds what it has done already, runs again.
func (d *diskRows) addTo(add func() error) error { return d.files.Add(d.held, add) }

// Discard removes what the state itself has on disk.
func (d *diskRows) Discard() error {
	if d.disk == nil {
		return nil
	}
	return d.files.remove(d.disk)
}

// setSource is what some state has on disk, and the groups of it as the one who reads it
// numbers them: -1 for those that are not its own, nil where the numbers are the same.
type setSource struct {
	parts *spill.Partitions
	to    []int32
}

// absorb notes that groups from of what o has on disk, a state of n groups, are groups to of d.
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

// source returns what d knows of the groups of parts, which are n at least.
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

// read returns the rows of a block that are of the reader's groups, valid until the next call.
// idx is scratch.
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

// sorted returns the rows of the first partitions in the order of their groups, then of keys:
// in batches of flat columns.
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

// diskScan returns the rows of the first partitions of what a state has on disk, as an operator.
type diskScan struct {
	rows *diskRows
	ctx  *op.Ctx
	all  []placed
	next atomic.Int64
}

// placed is a block and where it is.
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

// Close implements op.Operator; the files stay.
func (s *diskScan) Close() error { return nil }

// diskStream reads the blocks that no other stream has taken.
type diskStream struct {
	scan    *diskScan
	readers map[*setSource]*spill.Reader
	idx     []int32
	block   *vec.Batch // being returned; nil for none
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

// read reads the next block with rows, if there is one.
func (s *diskStream) read() error {
	for s.block, s.at = nil, 0; ; {
		i := s.scan.next.Add(1) - 1
		if i >= int64(len(s.scan.all)) {
			return nil
		}
		at := s.scan.all[i]
		from := s.readers[at.source]
		if from == nil {
			from = at.source.parts.NewReader()
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
func (s *diskStream) Close() error { return nil }

// Scarce reports whether less than a part of the memory within an account's reach is left.
func Scarce(a *mem.Account, part float64) bool {
	left := a.Left()
	return left < math.MaxInt64 && float64(left) < part*float64(left+a.Used())
}
