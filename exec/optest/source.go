package optest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"gsql/exec/op"
	"gsql/internal/dec128"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// failOpen makes a source fail in Open.
const failOpen = -2

// ErrInput is the error of a failing source.
var ErrInput = errors.New("input failed")

// source is an operator over a relation. Streams share its batches. Each batch is overwritten
// when the stream's next one is requested, so that operators that keep memory they do not own
// return wrong results.
type source struct {
	rel   *Relation
	size  int
	forms bool // varies the forms of vectors
	low   bool // decimals may be Narrow
	alone bool // one goroutine has all streams, so none waits for another

	mu       sync.Mutex
	next     int
	failAt   int   // batch at which to fail; failOpen to fail in Open; other negative numbers never fail
	failure  error // the error with which it fails
	cancelAt int   // batch at which to cancel; negative for none
	cancel   context.CancelFunc
	dicts    []*vec.Vector
	codes    []map[string]int32
	open     int
	closed   int             // how many times
	streams  []*sourceStream // the open ones
}

func newSource(rel *Relation, size int, forms bool) *source {
	return &source{rel: rel, size: size, forms: forms, failAt: -1, failure: ErrInput, cancelAt: -1}
}

// Open implements op.Operator.
func (s *source) Open(*op.Ctx) error {
	s.open++
	s.next = 0
	if s.failAt == failOpen {
		return s.failure
	}
	if s.forms {
		s.makeDicts()
	}
	return nil
}

// AllowNarrow implements op.Narrowing.
func (s *source) AllowNarrow() { s.low = s.forms }

// Ordered implements op.Operator.
func (s *source) Ordered() bool { return false }

// Close implements op.Operator.
func (s *source) Close() error {
	s.open--
	s.closed++
	return nil
}

// Stream implements op.Operator.
func (s *source) Stream() (op.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &sourceStream{s: s}
	s.streams = append(s.streams, x)
	return x, nil
}

// makeDicts makes a dictionary of each column's values, which views share.
func (s *source) makeDicts() {
	s.dicts, s.codes = nil, nil
	for c, col := range s.rel.Cols {
		codes := map[string]int32{}
		var rows [][]catalog.Datum
		for _, row := range s.rel.Rows {
			if row[c].Null {
				continue
			}
			text := row[c].SQL()
			if _, ok := codes[text]; !ok {
				codes[text] = int32(len(rows))
				rows = append(rows, []catalog.Datum{row[c]})
			}
		}
		d := flat(col.T, rows, 0)
		d.Dict = true
		s.dicts, s.codes = append(s.dicts, d), append(s.codes, codes)
	}
}

type sourceStream struct {
	s     *source
	last  *vec.Batch
	taken int // batches so far
}

// Limits of how long a stream waits for others that have taken fewer batches.
const (
	turnTries = 20
	turnWait  = 50 * time.Microsecond
)

// await lets streams that have taken fewer batches run first, so that workers share the rows
// evenly regardless of the number and load of CPUs: together they then need about the same memory
// in every run. It waits only for a short time, because the others may be waiting for this
// stream.
func (x *sourceStream) await() {
	runtime.Gosched()
	for range turnTries {
		if x.s.alone || !x.ahead() {
			return
		}
		time.Sleep(turnWait)
	}
}

func (x *sourceStream) ahead() bool {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	return slices.ContainsFunc(x.s.streams, func(other *sourceStream) bool { return other.taken < x.taken })
}

// Next implements op.Stream.
func (x *sourceStream) Next() (*vec.Batch, error) {
	ruin(x.last)
	x.await()
	s := x.s
	s.mu.Lock()
	at := s.next
	s.next++
	x.taken++
	s.mu.Unlock()
	if at == s.failAt {
		return nil, s.failure
	}
	if at == s.cancelAt {
		s.cancel()
	}
	from := at * s.size
	if from >= len(s.rel.Rows) {
		return nil, nil
	}
	rows := s.rel.Rows[from:min(from+s.size, len(s.rel.Rows))]
	b := &vec.Batch{N: len(rows), Morsel: int64(at)}
	for c := range s.rel.Cols {
		b.Cols = append(b.Cols, s.column(rows, c, at))
	}
	x.last = b
	return b, nil
}

// Close implements op.Stream.
func (x *sourceStream) Close() error {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.s.streams = slices.DeleteFunc(x.s.streams, func(other *sourceStream) bool { return other == x })
	ruin(x.last)
	return nil
}

// column returns a vector of column c in a form that depends on the batch.
func (s *source) column(rows [][]catalog.Datum, c, at int) *vec.Vector {
	t := s.rel.Cols[c].T
	v := flat(t, rows, c)
	if !s.forms {
		return v
	}
	if s.low && at%3 > 0 {
		narrow(v)
	}
	switch (at + c) % 5 {
	case 0:
		idx := make([]int32, len(rows))
		for i, row := range rows {
			idx[i] = -1
			if !row[c].Null {
				idx[i] = s.codes[c][row[c].SQL()]
			}
		}
		return &vec.Vector{Type: t, Form: vec.View, N: len(rows), Base: s.dicts[c], Idx: idx}
	case 1:
		return reversed(v)
	case 2:
		if same(rows, c) {
			return rows[0][c].Vector(len(rows))
		}
	case 3:
		return inRuns(v, rows, c)
	}
	return v
}

// inRuns returns the rows of v as a view that records where runs of equal rows end. Every other
// time NULLs are negative indexes.
func inRuns(v *vec.Vector, rows [][]catalog.Datum, c int) *vec.Vector {
	out := &vec.Vector{Type: v.Type, Form: vec.View, N: v.N, Idx: make([]int32, v.N)}
	var heads []int32
	for i := range rows {
		if i == 0 || rows[i][c].SQL() != rows[i-1][c].SQL() {
			heads = append(heads, int32(i))
			out.Ends = append(out.Ends, int32(i))
		}
		out.Ends[len(heads)-1] = int32(i) + 1
		out.Idx[i] = int32(len(heads)) - 1
		if len(heads)%2 == 0 && v.IsNull(i) {
			out.Idx[i] = -1
		}
	}
	out.Base = (&vec.Vector{Type: v.Type, Form: vec.View, N: len(heads), Base: v, Idx: heads}).Tighten(nil)
	return out
}

// reversed returns the rows of v as a view of a vector that has them in reverse order. Every
// other time NULLs are negative indexes.
func reversed(v *vec.Vector) *vec.Vector {
	idx := make([]int32, v.N)
	for i := range idx {
		idx[i] = int32(v.N - 1 - i)
	}
	base := (&vec.Vector{Type: v.Type, Form: vec.View, N: v.N, Base: v, Idx: idx}).Tighten(nil)
	idx = append([]int32(nil), idx...)
	for i := range idx {
		if i%2 == 0 && v.IsNull(i) {
			idx[i] = -1
		}
	}
	return &vec.Vector{Type: v.Type, Form: vec.View, N: v.N, Base: base, Idx: idx}
}

// narrow makes a flat vector of decimals Narrow if all values fit.
func narrow(v *vec.Vector) {
	xs := make([]int64, 0, v.N)
	for _, x := range v.Dec {
		if !dec128.IsInt64(x) {
			return
		}
		xs = append(xs, int64(x.LowBits()))
	}
	if v.Type.ID == types.Decimal {
		v.I64, v.Dec, v.Narrow = xs, nil, true
	}
}

func same(rows [][]catalog.Datum, c int) bool {
	for _, row := range rows {
		if row[c].SQL() != rows[0][c].SQL() {
			return false
		}
	}
	return true
}

// flat returns a flat vector of column c. The slots of NULLs hold junk.
func flat(t types.Type, rows [][]catalog.Datum, c int) *vec.Vector {
	v := vec.NewFlat(t, len(rows))
	for i, row := range rows {
		d := row[c]
		if d.Null {
			v.SetNull(i)
			d = Value(t, 1000+i%7)
		}
		d.Put(v, i)
	}
	return v
}

// ruin overwrites a batch that is no longer valid.
func ruin(b *vec.Batch) {
	if b == nil {
		return
	}
	for _, c := range b.Cols {
		if c.Form == vec.View {
			clear(c.Idx)
			clear(c.Ends)
			if c.Base.Dict {
				continue
			}
			c = c.Base
		}
		for i := range c.Null {
			c.Null[i] = !c.Null[i]
		}
		clear(c.I64)
		clear(c.F64)
		clear(c.Dec)
		for i := range c.Str {
			c.Str[i] = "ruined"
		}
	}
}
