package operators

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/accum"
	"gsql/exec/op"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// fusedStream is a stream of fusedRows.
type fusedStream struct {
	*fusedRows
	ctx   *op.Ctx
	out   vec.Batch
	idx   [][]int32 // by output: codes
	nulls [][]bool  // by output
	// Buffers for one output.
	values, high, counts []int64
	places               places
}

func (f *fusedRows) stream(ctx *op.Ctx) *fusedStream {
	s := &fusedStream{fusedRows: f, ctx: ctx, idx: make([][]int32, len(f.outs)), nulls: make([][]bool, len(f.outs))}
	for i := range f.outs {
		s.out.Cols = append(s.out.Cols, &vec.Vector{Type: f.outs[i].Type})
	}
	return s
}

// Next implements op.Stream.
func (s *fusedStream) Next() (*vec.Batch, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	from := int(s.taken.Add(int64(s.batch))) - s.batch
	if from >= s.rows.Count {
		return nil, nil
	}
	s.out.N = min(s.batch, s.rows.Count-from)
	for i := range s.outs {
		if s.outs[i].Form == lower.Row {
			continue
		}
		if err := s.convert(i, from); err != nil {
			return nil, err
		}
	}
	for i := range s.reads {
		if err := s.readRows(&s.reads[i], from); err != nil {
			return nil, err
		}
	}
	return &s.out, nil
}

// Close implements op.Stream.
func (s *fusedStream) Close() error { return nil }

// convert writes the batch's rows of output i, from the given one on.
func (s *fusedStream) convert(i, from int) error {
	o, v := &s.outs[i], s.out.Cols[i]
	if o.Type.ID == types.Null {
		s.out.Cols[i] = vec.NewNull(o.Type, s.out.N)
		return nil
	}
	null := s.nullsOf(i, from)
	if o.Form == lower.Text {
		s.codes(i, null, from)
		return nil
	}
	if s.isNarrow(o) {
		*v = vec.Vector{Type: o.Type, N: s.out.N, I64: s.ints(v.I64, o.Value, from), Narrow: true, Null: null}
		return nil
	}
	v.Resize(s.out.N)
	v.Null = null
	switch values := &s.rows.Columns[o.Value]; o.Form {
	case lower.Integer:
		return s.integers(i, from)
	case lower.Real:
		values.Floats(v.F64, from)
	case lower.RealMean:
		values.Floats(v.F64, from)
		for r, count := range s.counts {
			if count > 0 {
				v.F64[r] /= float64(count)
			}
		}
	default:
		return s.sums(i, from, null)
	}
	return nil
}

// nullsOf returns which of the batch's rows of output i, from the given one on, are NULL, or nil if
// none is. For a mean, it sets s.counts to the numbers of values.
func (s *fusedStream) nullsOf(i, from int) (null []bool) {
	o := &s.outs[i]
	if o.Valid != pipeline.None {
		s.counts = s.ints(s.counts, o.Valid, from)
		null = s.zeros(i, null, s.counts)
	}
	switch o.Form {
	case lower.Mean, lower.WideMean, lower.RealMean:
		s.counts = s.ints(s.counts, o.Count, from)
		null = s.zeros(i, null, s.counts)
	}
	return null
}

// isNarrow reports whether an output's decimals are passed on in 64 bits.
func (s *fusedStream) isNarrow(o *lower.Output) bool {
	return s.narrow && o.Form == lower.Integer && o.Type.FitsInt64() && o.Scale == int(o.Type.Scale)
}

// zeros adds the rows where xs is 0 to the NULLs of output i. null is nil if there are none so far.
func (s *fusedStream) zeros(i int, null []bool, xs []int64) []bool {
	for r, x := range xs {
		if x != 0 {
			continue
		}
		if null == nil {
			if cap(s.nulls[i]) < len(xs) {
				s.nulls[i] = make([]bool, s.batch)
			}
			null = s.nulls[i][:len(xs)]
			clear(null)
		}
		null[r] = true
	}
	return null
}

// ints reads the batch's rows of a column of integers.
func (s *fusedStream) ints(buf []int64, column, from int) []int64 {
	if cap(buf) < s.out.N {
		buf = make([]int64, s.batch)
	}
	buf = buf[:s.out.N]
	s.rows.Columns[column].Ints(buf, from)
	return buf
}

// codes makes output i a view of its dictionary.
func (s *fusedStream) codes(i int, null []bool, from int) {
	idx := s.indexOf(i)
	s.rows.Columns[s.outs[i].Value].Codes(idx, from)
	for r, is := range null {
		if is {
			idx[r] = -1
		}
	}
	s.out.Cols[i] = &vec.Vector{Type: s.outs[i].Type, Form: vec.View, N: s.out.N, Base: s.texts[i], Idx: idx}
}

// indexOf returns memory for the index of output i.
func (s *fusedStream) indexOf(i int) []int32 {
	if cap(s.idx[i]) < s.out.N {
		s.idx[i] = make([]int32, s.batch)
	}
	return s.idx[i][:s.out.N]
}

// integers writes integers, dates, times, and decimals of at most 64 bits.
func (s *fusedStream) integers(i, from int) error {
	o, v := &s.outs[i], s.out.Cols[i]
	same := o.Scale == int(o.Type.Scale)
	if kind := o.Type.Kind(); (kind == types.KindI64 || kind == types.KindU64) && (same || o.Scale == 0) {
		s.rows.Columns[o.Value].Ints(v.I64, from)
		return nil
	}
	s.values = s.ints(s.values, o.Value, from)
	if same && v.Dec != nil {
		for r, x := range s.values {
			v.Dec[r] = decimal128.FromI64(x)
		}
		return nil
	}
	for r, x := range s.values {
		if sum := (accum.Exact{Lo: uint64(x), Hi: x >> 63}); !sum.Sum(v, r, o.Scale) {
			return s.outOfRange(i)
		}
	}
	return nil
}

// sums writes exact sums and means, except where they are NULL.
func (s *fusedStream) sums(i, from int, null []bool) error {
	o, v := &s.outs[i], s.out.Cols[i]
	s.values = s.ints(s.values, o.Value, from)
	wide := o.Form != lower.Mean
	if wide {
		s.high = s.ints(s.high, o.High, from)
	}
	averaging := accum.AveragingOf(o.Type, types.Dec(types.MaxPrecision, o.Scale))
	for r, x := range s.values {
		if null != nil && null[r] {
			continue
		}
		sum := accum.Exact{Lo: uint64(x), Hi: x >> 63}
		switch {
		case o.Form == lower.Long:
			sum.Add(0, s.high[r])
		case wide:
			sum.Add(uint64(s.high[r])<<32, s.high[r]>>32)
		}
		var ok bool
		if o.Form == lower.Wide || o.Form == lower.Long {
			ok = sum.Sum(v, r, o.Scale)
		} else {
			ok = sum.Mean(v, r, averaging, s.counts[r])
		}
		if !ok {
			return s.outOfRange(i)
		}
	}
	return nil
}

// outOfRange returns the error of a decimal that its type cannot hold.
func (s *fusedStream) outOfRange(i int) error {
	return sqlerr.New(sqlerr.DataOutOfRange, "DECIMAL value is out of range in '%s'", s.cols[i].Name)
}
