package sort

import (
	"cmp"
	"container/heap"
	"errors"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

const (
	// maxFanIn is the greatest number of runs merged at once.
	maxFanIn = 64
	// pastText is about the greatest number of bytes of texts in an output batch that come from
	// blocks read to their ends.
	pastText = 1 << 20
)

// cursor is a position in a run.
type cursor struct {
	rest  run
	from  *spill.Reader
	batch *vec.Batch
	text  int64 // bytes of the batch's texts
	row   int32
	at    int // the run's number
}

// advance moves to the first row of the next block. It returns false at the end.
func (c *cursor) advance() (bool, error) {
	if len(c.rest) == 0 {
		return false, nil
	}
	b, err := c.from.Read(c.rest[0])
	if err != nil {
		return false, err
	}
	c.batch, c.text, c.row, c.rest = b, c.rest[0].Text(), 0, c.rest[1:]
	return true, nil
}

// merger returns the rows of several runs in order. It is a heap of cursors.
type merger struct {
	o       *Operator
	file    *spill.File
	cursors []*cursor
	held    int64        // bytes reserved for the cursors' blocks
	long    bool         // some blocks have long texts
	from    []*vec.Batch // of the picked rows: their batches
	rows    []int32      // of the picked rows: their numbers in these batches
	out     []*vec.Vector
}

func (o *Operator) newMerger(rs *runs, some []run) (*merger, error) {
	m := &merger{o: o, file: rs.file}
	for _, t := range append(o.types[:len(o.types):len(o.types)], types.T(types.Int64)) {
		m.out = append(m.out, &vec.Vector{Type: t})
	}
	for i, r := range some {
		need, long := r.room()
		if err := o.account.Reserve(need); err != nil {
			m.free()
			return nil, err
		}
		m.held += need
		m.long = m.long || long
		c := &cursor{rest: r, at: i, from: m.file.NewReader(nil)}
		if _, err := c.advance(); err != nil {
			m.free()
			return nil, err
		}
		m.cursors = append(m.cursors, c)
	}
	heap.Init(m)
	return m, nil
}

// room returns the memory that merging a run takes, and whether it has long texts: one block of
// those at a time, or otherwise two blocks, because an output batch may have texts of the last one.
func (r run) room() (bytes int64, long bool) {
	if r[0].Text() < pastText {
		bytes = 2 * r[0].Bytes()
	}
	for _, b := range r {
		if b.Text() >= pastText {
			bytes, long = max(bytes, b.Bytes()), true
		}
	}
	return bytes, long
}

func (m *merger) free() {
	m.o.account.Discard(m.held)
	m.held, m.cursors = 0, nil
	for _, v := range m.out {
		clear(v.Str)
	}
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (m *merger) Len() int { return len(m.cursors) }

func (m *merger) Less(i, j int) bool { return m.compare(m.cursors[i], m.cursors[j]) < 0 }

func (m *merger) Swap(i, j int) { m.cursors[i], m.cursors[j] = m.cursors[j], m.cursors[i] }

func (m *merger) Push(c any) { m.cursors = append(m.cursors, c.(*cursor)) }

func (m *merger) Pop() any {
	last := m.cursors[len(m.cursors)-1]
	m.cursors[len(m.cursors)-1] = nil
	m.cursors = m.cursors[:len(m.cursors)-1]
	return last
}

// compare compares the rows at two cursors by the keys, then by their order in the input.
func (m *merger) compare(a, b *cursor) int {
	for _, k := range m.o.keys {
		if d := Compare(a.batch.Cols[k.col], a.row, b.batch.Cols[k.col], b.row); d != 0 {
			return directed(d, k.desc)
		}
	}
	morsel := len(m.o.types)
	return cmp.Or(cmp.Compare(a.batch.Cols[morsel].I64[a.row], b.batch.Cols[morsel].I64[b.row]), cmp.Compare(a.at, b.at))
}

// next returns up to limit of the next rows, valid until the next call, or nil at the end. It returns
// fewer if they would keep many texts of blocks that have been read to their ends.
func (m *merger) next(limit int) (*vec.Batch, error) {
	for _, v := range m.out {
		if v.Resize(limit); m.long {
			clear(v.Str)
		}
	}
	n, past := 0, int64(0)
	for n+len(m.rows) < limit && len(m.cursors) > 0 {
		c := m.cursors[0]
		if int(c.row) < c.batch.N {
			m.from, m.rows = append(m.from, c.batch), append(m.rows, c.row)
			if c.row++; int(c.row) < c.batch.N {
				heap.Fix(m, 0)
			}
			continue
		}
		n = m.copyPicked(n) // the next block overwrites this one
		if past += c.text; n > 0 && past >= pastText {
			break
		}
		more, err := c.advance()
		if err != nil {
			return nil, err
		}
		if more {
			heap.Fix(m, 0)
		} else {
			heap.Pop(m)
		}
	}
	if n = m.copyPicked(n); n == 0 {
		return nil, nil
	}
	return (&vec.Batch{Cols: m.out, N: limit}).Slice(0, n), nil
}

// copyPicked copies the picked rows to the output after its first n rows, and returns the number
// of rows there.
func (m *merger) copyPicked(n int) int {
	end := n + len(m.rows)
	for i, v := range m.out {
		switch v.Type.Kind() {
		case types.KindI64, types.KindU64:
			pick(m, i, v.I64[n:end], func(v *vec.Vector, row int32) int64 { return v.I64[row] })
		case types.KindF64:
			pick(m, i, v.F64[n:end], func(v *vec.Vector, row int32) float64 { return v.F64[row] })
		case types.KindDec:
			pick(m, i, v.Dec[n:end], func(v *vec.Vector, row int32) decimal128.Num { return v.Dec[row] })
		case types.KindStr:
			pick(m, i, v.Str[n:end], func(v *vec.Vector, row int32) string { return v.Str[row] })
		}
		for k, b := range m.from {
			if null := b.Cols[i].Null; null != nil && null[m.rows[k]] {
				v.SetNull(n + k)
			}
		}
	}
	m.from, m.rows = m.from[:0], m.rows[:0]
	return end
}

func pick[T any](m *merger, col int, to []T, value func(*vec.Vector, int32) T) {
	for k := range to {
		to[k] = value(m.from[k].Cols[col], m.rows[k])
	}
}

// reduce merges runs into longer ones until the blocks of those that remain fit in memory
// together. It returns the merger of the remaining runs.
func (o *Operator) reduce() (*merger, error) {
	for {
		all := o.runs.all
		if len(all) <= maxFanIn {
			m, err := o.newMerger(o.runs, all)
			if !errors.Is(err, sqlerr.OutOfMemory) || len(all) <= 2 {
				return m, err
			}
		}
		if err := o.mergePass(); err != nil {
			return nil, err
		}
	}
}

// mergePass merges adjacent runs into another file, every run once. The runs keep the order in
// which they were made.
func (o *Operator) mergePass() error {
	f, err := o.runFile()
	if err != nil {
		return err
	}
	longer := &runs{file: f}
	for rest := o.runs.all; len(rest) > 0 && err == nil; {
		var n int
		n, err = o.mergeSome(longer, rest)
		rest = rest[n:]
	}
	if err != nil {
		return errors.Join(err, longer.close())
	}
	shorter := o.runs
	o.runs = longer
	return shorter.close()
}

// mergeSome merges as many of the first runs into one as memory allows, and returns their number.
func (o *Operator) mergeSome(into *runs, some []run) (int, error) {
	fan := min(len(some), maxFanIn)
	m, err := o.newMerger(o.runs, some[:fan])
	for errors.Is(err, sqlerr.OutOfMemory) && fan > 2 {
		fan = (fan + 1) / 2
		m, err = o.newMerger(o.runs, some[:fan])
	}
	if err != nil {
		return 0, err
	}
	defer m.free()
	out, err := m.write(into.file, some[0][0].Rows)
	into.add(out)
	return fan, err
}

// write writes a run to a file, with the given number of rows per block. With a limit it stops
// once it has enough rows.
func (m *merger) write(to *spill.File, rows int) (run, error) {
	var out run
	for n := int64(0); m.o.limit < 0 || n < m.o.limit; {
		if err := m.o.ctx.Err(); err != nil {
			return nil, err
		}
		b, err := m.next(rows)
		if err != nil || b == nil {
			return out, err
		}
		blocks, err := to.WriteAll(b, rows)
		if err != nil {
			return nil, err
		}
		out, n = append(out, blocks...), n+int64(b.N)
	}
	return out, nil
}

// mergeStream returns the merged rows within offset and limit.
type mergeStream struct {
	o    *Operator
	m    *merger
	skip int64
	left int64 // negative for all
}

func (o *Operator) newMergeStream() (op.Stream, error) {
	m, err := o.reduce()
	if err != nil {
		return nil, err
	}
	s := &mergeStream{o: o, m: m, skip: o.offset, left: -1}
	if o.limit >= 0 {
		s.left = max(o.limit-o.offset, 0)
	}
	return s, nil
}

// Next implements op.Stream.
func (s *mergeStream) Next() (*vec.Batch, error) {
	for s.left != 0 {
		if err := s.o.ctx.Err(); err != nil {
			return nil, err
		}
		b, err := s.m.next(s.o.ctx.Rows())
		if err != nil || b == nil {
			return nil, err
		}
		lo := min(s.skip, int64(b.N))
		s.skip -= lo
		hi := int64(b.N)
		if s.left >= 0 {
			hi = min(hi, lo+s.left)
			s.left -= hi - lo
		}
		if hi == lo {
			continue
		}
		out := &vec.Batch{N: int(hi - lo)}
		for _, c := range b.Cols[:s.o.width] {
			out.Cols = append(out.Cols, c.Slice(int(lo), int(hi)))
		}
		return out, nil
	}
	return nil, nil
}

// Close implements op.Stream.
func (s *mergeStream) Close() error {
	s.m.free()
	return nil
}
