package partitioned

import (
	"unsafe"

	"gsql/gpu/column"
	"gsql/internal/mem"
	"gsql/internal/simd"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Writer adds rows to a Side, in one goroutine. Close writes the last of them.
type Writer struct {
	side  *Side
	rows  int        // of the next chunk, so far
	cols  []incoming // of the next chunk, in the order in which they came
	codes []uint64   // made of several keys, or of one of 4 bytes
	skip  []bool     // rows that are left out
	skips bool
	digit []uint16
	next  []int32  // by partition
	lines []uint64 // a cache line for each partition

	scratch mem.Buffers // of the fields above
	rest    []uint64    // of the last memory for chunks
	slab    int         // words of it
}

// incoming is a column of rows that are not divided yet.
type incoming struct {
	values, valid []byte
	found         column.Found
	nulls         bool // valid has been written
}

// slabBytes bounds the memory for chunks that a Writer allocates at once: huge pages, of which little is left over.
const slabBytes = 4 << 20

// NewWriter returns a Writer.
func (s *Side) NewWriter() (*Writer, error) {
	w := &Writer{side: s, next: make([]int32, s.digits.Count+1)}
	if err := w.reserve(); err != nil {
		w.scratch.Free()
		return nil, err
	}
	return w, nil
}

func (w *Writer) reserve() (err error) {
	n := w.side.most
	for _, c := range w.side.columns {
		var in incoming
		if in.values, err = scratch[byte](w, n*int(c.Format.Kind.Width())); err != nil {
			return err
		}
		if in.valid, err = scratch[byte](w, n); err != nil {
			return err
		}
		w.cols = append(w.cols, in)
	}
	if w.codes, err = scratch[uint64](w, n); err != nil {
		return err
	}
	if w.digit, err = scratch[uint16](w, n); err != nil {
		return err
	}
	if w.lines, err = scratch[uint64](w, simd.LineBytes/8*len(w.next)); err != nil {
		return err
	}
	w.skip, err = scratch[bool](w, n)
	w.reset()
	return err
}

func scratch[T any](w *Writer, n int) ([]T, error) {
	b, err := mem.Scratch[T](w.side.acct, n)
	if err != nil {
		return nil, err
	}
	w.scratch.Add(b)
	return b.S, nil
}

// reset begins a chunk.
func (w *Writer) reset() {
	w.rows, w.skips = 0, false
	for i := range w.cols {
		w.cols[i].found, w.cols[i].nulls = column.Found{Bounds: column.None}, false
	}
}

// Add adds the rows of a batch: a vector for each column. The error is column.ErrRange if a value does not fit its
// format.
func (w *Writer) Add(cols []*vec.Vector) error {
	for from, n := 0, cols[0].N; from < n; {
		rows := min(n-from, w.side.most-w.rows)
		for i, v := range cols {
			if rows < n {
				v = v.Slice(from, from+rows)
			}
			if err := w.convert(i, v); err != nil {
				return err
			}
		}
		w.rows += rows
		from += rows
		if w.rows == w.side.most {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// convert appends the rows of a vector to an incoming column.
func (w *Writer) convert(i int, v *vec.Vector) error {
	in, c := &w.cols[i], &w.side.columns[i]
	at := w.rows * int(c.Format.Kind.Width())
	valid := in.valid[w.rows : w.rows+v.N]
	var found column.Found
	var err error
	if isPlain(c, v) {
		copy(view[int64](in.values[at:], v.N), v.I64[:v.N])
		found.Bounds = column.Any(v.Type)
	} else if at%8 == 0 {
		found, err = c.Format.Write(in.values[at:], valid, v)
	} else {
		found, err = w.shifted(c.Format, in.values[at:], valid, v)
	}
	if err != nil {
		return err
	}
	if found.Nulls > 0 && !in.nulls {
		copy(in.valid[:w.rows], ones)
		in.nulls = true
	} else if found.Nulls == 0 && in.nulls {
		copy(valid, ones)
	}
	in.found.Nulls += found.Nulls
	in.found.Bounds = in.found.Bounds.With(found.Bounds)
	return nil
}

// isPlain reports whether the values of a vector are those of a column as they are, and not all of them must be looked at.
func isPlain(c *Column, v *vec.Vector) bool {
	return !c.Bounded && c.Format == column.Format{Kind: column.I64} && v.Form == vec.Flat && v.Null == nil && v.Type.Kind() == types.KindI64
}

// shifted writes values of 4 bytes to a place that is not aligned to 8.
func (w *Writer) shifted(f column.Format, dst, valid []byte, v *vec.Vector) (column.Found, error) {
	bytes := v.N * int(f.Kind.Width())
	words := make([]uint64, (bytes+7)/8)
	raw := bytesOf(words)
	found, err := f.Write(raw, valid, v)
	copy(dst, raw[:bytes])
	return found, err
}

// Close adds the last rows, unless an error of Add has made them useless, and returns the writer's own memory.
func (w *Writer) Close(failed bool) (err error) {
	if w.rows > 0 && !failed {
		err = w.flush()
	}
	w.scratch.Free()
	return err
}

// flush divides the rows of a chunk.
func (w *Writer) flush() error {
	codes, err := w.mark()
	if err != nil {
		return err
	}
	s, n := w.side, w.rows
	var skip []bool
	if w.skips {
		skip = w.skip[:n]
	}
	s.digits.Of(w.digit[:n], codes, skip)
	c := chunk{bounds: make([]int32, s.digits.Count+2), values: make([][]byte, len(w.cols)), valid: make([][]byte, len(w.cols))}
	for _, d := range w.digit[:n] {
		c.bounds[d+1]++
	}
	for p := range s.digits.Count + 1 {
		c.bounds[p+1] += c.bounds[p]
	}
	found := make([]column.Found, len(w.cols))
	for i := range w.cols {
		in := &w.cols[i]
		found[i] = in.found
		if c.values[i], err = w.scatter(&c, in.values, int(s.columns[i].Format.Kind.Width())); err != nil {
			return err
		}
		if in.nulls && !s.columns[i].Key {
			if c.valid[i], err = w.scatter(&c, in.valid, 1); err != nil {
				return err
			}
		}
	}
	s.add(c, found)
	w.reset()
	return nil
}

// mark returns codes of the keys, finds the rows that are left out, and checks the other columns for NaN.
func (w *Writer) mark() (codes []uint64, err error) {
	keys := 0
	for i := range w.cols {
		in, c := &w.cols[i], &w.side.columns[i]
		if !c.Key {
			if c.Format.Kind == column.F64 && hasNaN(in, w.rows) {
				return nil, sqlerr.New(sqlerr.UnknownError, "%s has a NaN, which is not for the device", c.Name)
			}
			continue
		}
		switch {
		case c.Format.Kind == column.I32:
			codes = encode(w.codes[:w.rows], codes, view[uint32](in.values, w.rows))
		case keys == 0:
			codes = view[uint64](in.values, w.rows)
		default:
			codes = encode(w.codes[:w.rows], codes, view[uint64](in.values, w.rows))
		}
		keys++
		if in.nulls {
			w.leaveOut(func(row int) bool { return in.valid[row] == 0 })
		}
		if c.Format.Kind == column.F64 {
			values := view[float64](in.values, w.rows)
			w.leaveOut(func(row int) bool { return values[row] != values[row] })
		}
	}
	return codes, nil
}

// encode makes codes of the first key, or combines those of earlier keys with a further one.
func encode[T uint32 | uint64](codes, earlier []uint64, values []T) []uint64 {
	const odd = 0x9e3779b97f4a7c15
	values = values[:len(codes)]
	if earlier == nil {
		for i, v := range values {
			codes[i] = uint64(v)
		}
		return codes
	}
	for i, v := range values {
		codes[i] = earlier[i]*odd + uint64(v)
	}
	return codes
}

// leaveOut leaves out the rows for which is returns true.
func (w *Writer) leaveOut(is func(row int) bool) {
	if !w.skips {
		clear(w.skip[:w.rows])
		w.skips = true
	}
	for row := range w.rows {
		w.skip[row] = w.skip[row] || is(row)
	}
}

func hasNaN(in *incoming, rows int) bool {
	for i, x := range view[float64](in.values, rows) {
		if x != x && (!in.nulls || in.valid[i] != 0) {
			return true
		}
	}
	return false
}

// scatter returns a column in the order of the partitions.
func (w *Writer) scatter(c *chunk, from []byte, width int) ([]byte, error) {
	n := w.rows
	words, err := w.room((n*width + 7) / 8)
	if err != nil {
		return nil, err
	}
	to := bytesOf(words)
	switch digits := w.digit[:n]; width {
	case 1:
		copy(w.next, c.bounds)
		deal(to, from, digits, w.next)
	case 4:
		dealWords(w, c, view[uint32](to, n), view[uint32](from, n), view[uint32](bytesOf(w.lines), 2*len(w.lines)))
	default:
		dealWords(w, c, view[uint64](to, n), view[uint64](from, n), w.lines)
	}
	return to, nil
}

// combinedRows is the least number of rows of a chunk that are written past the caches, a line at a time: they are
// next read when they are sent.
const combinedRows = 1 << 13

// dealWords moves words to their partitions.
func dealWords[T uint32 | uint64](w *Writer, c *chunk, to, from, lines []T) {
	copy(w.next, c.bounds)
	digits := w.digit[:w.rows]
	if w.rows >= combinedRows && simd.ScatterLines(from, digits, w.next, c.bounds, lines, to) {
		simd.ScatterLinesRest(w.next, c.bounds, lines, to)
		return
	}
	deal(to, from, digits, w.next)
}

// deal moves values to their partitions; next holds the place of the next value of each.
func deal[T any](to, from []T, digits []uint16, next []int32) {
	from = from[:len(digits)]
	for i, p := range digits {
		at := next[p]
		next[p] = at + 1
		to[at] = from[i]
	}
}

// room returns memory of the side, aligned to cache lines if it is large.
func (w *Writer) room(words int) ([]uint64, error) {
	words = (words + simd.LineBytes/8 - 1) / (simd.LineBytes / 8) * (simd.LineBytes / 8)
	if words > len(w.rest) {
		w.slab = min(max(2*w.slab, words*len(w.cols)), slabBytes/8)
		b, err := mem.Scratch[uint64](w.side.acct, max(words, w.slab))
		if err != nil {
			return nil, err
		}
		w.side.hold(b)
		w.rest = b.S
	}
	out := w.rest[:words:words]
	w.rest = w.rest[words:]
	return out, nil
}

// view returns bytes as n numbers.
func view[T any](b []byte, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// bytesOf returns words as bytes.
func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}
