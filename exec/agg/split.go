package agg

import (
	"errors"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/agg/state"
	"gsql/exec/colstore"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

const (
	// splitGroups is the number of groups with which a worker's table, with its keys and states,
	// exceeds the second-level cache.
	splitGroups = 1 << 16
	// earlySplit: with splitGroups/earlySplit groups, a table can tell whether most rows make groups.
	earlySplit = 8
	// fewRows: most rows make groups if there are fewer than this times as many rows.
	fewRows    = 2
	splitBits  = 7
	splitParts = 1 << splitBits
	// splitBytes is the greatest number of bytes in a worker's buffers.
	splitBytes = 64 << 20
)

// splitter takes the rows of a worker whose table is large, or frozen: they are dealt out to buffers
// by the top bits of their hashes (radix partitioning, as in Manegold, Boncz and Kersten, Optimizing
// Main-Memory Join on Modern Hardware, 2002). Buffers grow with the number of rows. Once they no
// longer may, each full one is aggregated at once, in a table of its own that fits in the cache. In
// the end, each partition's rows and groups of all workers are merged into one table.
type splitter struct {
	o             *Operator
	held          *state.Held         // of the worker
	parts         [splitParts]*groups // those of full buffers; nil before the first one
	cols          []splitColumn       // the keys, then the arguments of each aggregate
	hashes        *mem.Buffer[uint64]
	room          int // rows in a partition's buffer
	most          int // rows up to which room may grow
	step          int // rows dealt out at a time
	n             [splitParts]int32
	texts         [splitParts]int64   // bytes charged for texts in the buffers that are not shared
	direct        bool                // there are no buffers: rows spill at once
	busy          bool                // rows are being dealt out: the buffers stay
	kept          [][]*colstore.Store // by partition: rows that are not grouped yet; nil if there are none
	grouped, made int                 // rows that were grouped, and the groups that they made
	hash          []uint64            // scratch, by row
	part          []uint8             // scratch, by row
	flat          []*vec.Vector
}

// splitColumn holds a column's buffers of all partitions, one after another.
type splitColumn struct {
	t    types.Type
	i64  *mem.Buffer[int64]
	f64  *mem.Buffer[float64]
	dec  *mem.Buffer[decimal128.Num]
	str  []string
	null *mem.Buffer[bool] // nil until there is a NULL
	own  bool              // some texts are not shared: see vec.Vector.SharesTexts
}

func (o *Operator) newSplitter(held *state.Held) *splitter {
	s := &splitter{o: o, held: held}
	for _, t := range o.types {
		s.cols = append(s.cols, splitColumn{t: t})
	}
	for _, a := range o.aggs {
		for _, t := range a.Types {
			s.cols = append(s.cols, splitColumn{t: t})
		}
	}
	return s
}

// width returns the bytes of a row without its NULL flag.
func (c *splitColumn) width() int {
	switch c.t.Kind() {
	case types.KindDec, types.KindStr:
		return 16
	case types.KindNull:
		return 0
	}
	return 8
}

// add deals out the rows of flat columns: the keys, then the arguments.
func (s *splitter) add(cols []*vec.Vector, rows int) error {
	s.busy = true
	defer func() { s.busy = false }()
	if !s.direct {
		if err := s.flagNulls(cols); err != nil {
			return err
		}
	}
	if s.direct {
		return s.put(cols, rows)
	}
	for from, to := 0, 0; from < rows; from = to {
		to = min(from+s.step, rows) // deal may change the step
		part := cols
		if to-from < rows {
			part = s.flat[:0]
			for _, c := range cols {
				part = append(part, c.Slice(from, to))
			}
			s.flat = part
		}
		done, err := s.cover(part)
		if err == nil && !done { // the buffers are gone
			return s.put(sliced(cols, from, rows), rows-from)
		}
		if err == nil {
			err = s.deal(part, to-from)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sliced returns rows [from, to) of columns.
func sliced(cols []*vec.Vector, from, to int) []*vec.Vector {
	out := make([]*vec.Vector, len(cols))
	for i, c := range cols {
		out[i] = c.Slice(from, to)
	}
	return out
}

// flagNulls allocates NULL flags when columns have their first NULLs. If memory is refused, it
// frees the buffers.
func (s *splitter) flagNulls(cols []*vec.Vector) (err error) {
	for i := range s.cols {
		if c := &s.cols[i]; err == nil && c.null == nil && cols[i].Null != nil && c.t.Kind() != types.KindNull {
			// Rows dealt out before were not NULL: the flags start as zero.
			c.null, err = mem.Alloc[bool](s.o.account, s.room*splitParts)
		}
	}
	if s.o.ctx.Spill != nil && errors.Is(err, sqlerr.OutOfMemory) {
		return s.goDirect()
	}
	return err
}

// deal deals out at most as many rows as a buffer holds.
func (s *splitter) deal(cols []*vec.Vector, rows int) error {
	if s.hash == nil {
		s.hash, s.part = make([]uint64, minBuffer), make([]uint8, minBuffer)
	}
	hash, part := s.hash[:rows], s.part[:rows]
	rowhash.Rows(cols[:len(s.o.types)], hash)
	var count [splitParts]int32
	for i, h := range hash {
		p := uint8(h >> (64 - splitBits))
		part[i] = p
		count[p%splitParts]++
	}
	s.widen(&count)
	var at [splitParts]int32
	for p := range at {
		if int(s.n[p]+count[p]) > s.room {
			if err := s.flush(p); err != nil {
				return err
			}
		}
		at[p] = int32(p*s.room) + s.n[p]
		s.n[p] += count[p]
	}
	deal(s.hashes.S, hash, part, at)
	for i := range s.cols {
		s.cols[i].deal(cols[i], part, at)
		s.note(cols[i], part)
	}
	return nil
}

func (c *splitColumn) deal(v *vec.Vector, part []uint8, at [splitParts]int32) {
	switch c.t.Kind() {
	case types.KindI64, types.KindU64:
		deal(c.i64.S, v.I64, part, at)
	case types.KindF64:
		deal(c.f64.S, v.F64, part, at)
	case types.KindDec:
		deal(c.dec.S, v.Dec, part, at)
	case types.KindStr:
		deal(c.str, v.Str, part, at)
		c.own = c.own || !v.SharesTexts()
	default:
		return
	}
	switch {
	case v.Null != nil:
		deal(c.null.S, v.Null, part, at)
	case c.null != nil:
		for _, p := range part {
			c.null.S[at[p%splitParts]] = false
			at[p%splitParts]++
		}
	}
}

// deal writes src[i] to the next place of its partition.
func deal[T any](dst, src []T, part []uint8, at [splitParts]int32) {
	src = src[:len(part)]
	for i, p := range part {
		k := at[p%splitParts]
		dst[k] = src[i]
		at[p%splitParts] = k + 1
	}
}

// forget drops the references to texts in a partition's buffer, which would keep the memory around
// them alive.
func (s *splitter) forget(p, rows int) {
	for i := range s.cols {
		if c := &s.cols[i]; c.str != nil {
			clear(c.str[p*s.room : p*s.room+rows])
		}
	}
}

// buffered returns rows [from, to) of a partition's buffer.
func (s *splitter) buffered(p, from, to int) *vec.Batch {
	b := &vec.Batch{N: to - from}
	for i := range s.cols {
		b.Cols = append(b.Cols, s.cols[i].slice(p*s.room+from, p*s.room+to))
	}
	return b
}

// types returns the types of the buffered columns.
func (s *splitter) types() []types.Type {
	ts := make([]types.Type, len(s.cols))
	for i := range s.cols {
		ts[i] = s.cols[i].t
	}
	return ts
}

// slice returns rows [lo, hi) of the buffers.
func (c *splitColumn) slice(lo, hi int) *vec.Vector {
	v := &vec.Vector{Type: c.t, N: hi - lo, Stored: !c.own}
	switch c.t.Kind() {
	case types.KindI64, types.KindU64:
		v.I64 = c.i64.S[lo:hi]
	case types.KindF64:
		v.F64 = c.f64.S[lo:hi]
	case types.KindDec:
		v.Dec = c.dec.S[lo:hi]
	case types.KindStr:
		v.Str = c.str[lo:hi]
	}
	if c.null != nil {
		v.Null = c.null.S[lo:hi]
	}
	return v
}

// free frees the buffers and the remaining partitions.
func (s *splitter) free() {
	for p, g := range s.parts {
		g.free()
		s.parts[p] = nil
	}
	s.freeKept()
	s.freeBuffers()
}
