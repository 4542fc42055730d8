package segment

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/simd"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Runs is the run-length encoding of a column: rows ends[i-1] up to ends[i] have value i.
type Runs struct {
	Ends   []int32     // ascending; the last is the number of rows
	values *vec.Vector // flat, or a view of a dictionary; decimals of 64 bits are Narrow
	Bytes  int64
}

// NewRuns returns runs that end at ends and have the given values, one for each run: a flat vector,
// in which decimals of 64 bits are Narrow, or a view of a dictionary.
func NewRuns(ends []int32, values *vec.Vector, bytes int64) *Runs {
	values.Stored = values.Form == vec.Flat
	return &Runs{Ends: ends, values: values, Bytes: bytes}
}

// Values returns the values, one for each run: see NewRuns.
func (r *Runs) Values() *vec.Vector { return r.values }

// Rows returns the number of rows.
func (r *Runs) Rows() int { return int(r.Ends[len(r.Ends)-1]) }

// at returns the run that contains a row.
func (r *Runs) at(row int) int {
	i, _ := slices.BinarySearch(r.Ends, int32(row)+1)
	return i
}

// Expansion holds the buffers for expanding rows of a column of runs.
type Expansion struct {
	idx, ends []int32
	base      vec.Vector
	wide      [1]decimal128.Num
	out, flat vec.Vector
}

// fillRoom is the number of rows that simd.Repeat may write beyond the end.
const fillRoom = 7

// Read returns rows [from, to) of a column of type t. If rows is not nil, it returns only these
// rows, which are ascending and relative to from. The result is a constant vector if the rows are
// in one run, a flat one if runs are a few rows long, otherwise a view of the runs' values. Codes
// of a dictionary are always returned as a view of it. Decimals are Narrow if narrow is set. The
// vector is valid until x is used again.
func (r *Runs) Read(t types.Type, from, to int, rows []int32, narrow bool, x *Expansion) *vec.Vector {
	n, lo, hi := to-from, from, to
	if rows != nil {
		n = len(rows)
	}
	if n == 0 {
		return vec.NewFlat(t, 0)
	}
	if rows != nil {
		lo, hi = from+int(rows[0]), from+int(rows[n-1])+1
	}
	first := r.at(lo)
	var codes []int32
	if r.values.Form == vec.View {
		codes = r.values.Idx[first:]
	} else if int(r.Ends[first]) >= hi {
		return r.constant(t, first, n, x)
	}
	if x.ends = x.ends[:0]; cap(x.idx) < n+fillRoom {
		x.idx = make([]int32, n+fillRoom)
	}
	x.idx = x.idx[:n]
	last := first
	if rows == nil {
		last += x.fill(r.Ends[first:], codes, from, to)
	} else {
		last += x.pick(r.Ends[first:], codes, from, rows)
	}
	x.out = vec.Vector{Type: t, Form: vec.View, N: n, Idx: x.idx, Ends: x.ends}
	if len(x.ends)*vec.MinRun > n {
		x.out.Ends = nil
	}
	if codes != nil {
		x.out.Base = r.values.Base
		return &x.out
	}
	x.base = *r.values.Slice(first, last+1)
	x.base.Type = t
	x.out.Base = &x.base
	switch {
	case x.base.Narrow && !narrow:
		return x.out.Flatten(&x.flat)
	case x.out.Ends == nil:
		return x.out.Tighten(&x.flat)
	}
	return &x.out
}

// constant returns n rows of one run.
func (r *Runs) constant(t types.Type, run, n int, x *Expansion) *vec.Vector {
	x.out = *r.values.Slice(run, run+1)
	v := &x.out
	v.Type, v.Form, v.N = t, vec.Const, n
	if v.Null != nil && !v.Null[0] {
		v.Null = nil
	}
	if v.Narrow {
		x.wide[0] = decimal128.FromI64(v.I64[0])
		v.Narrow, v.I64, v.Dec = false, nil, x.wide[:]
	}
	return v
}

// fill writes the codes, or the run numbers if there are no codes, of rows [from, to) to x.idx.
// The first run ends at ends[0]. It returns the number of the last run.
func (x *Expansion) fill(ends, codes []int32, from, to int) (last int) {
	for int(ends[last]) < to {
		x.ends = append(x.ends, ends[last]-int32(from))
		last++
	}
	x.ends = append(x.ends, int32(to-from))
	x.number(codes)
	return last
}

// number writes the codes, or the run numbers if there are none, of the runs that end at x.ends
// to x.idx.
func (x *Expansion) number(codes []int32) {
	if codes == nil {
		codes = numbers[:]
	}
	room := x.idx[:cap(x.idx)] // memory beyond the rows may be overwritten
	done := 0
	if len(x.ends) <= len(codes) {
		done = simd.Repeat(room, codes, x.ends)
	}
	at := int32(0)
	if done > 0 {
		at = x.ends[done-1]
	}
	for i, end := range x.ends[done:] {
		value := int32(done + i)
		if value < int32(len(codes)) {
			value = codes[value]
		}
		for ; at < end; at++ {
			x.idx[at] = value
		}
	}
}

// numbers lists the run numbers of a batch.
var numbers = func() (out [vec.BatchSize]int32) {
	for i := range out {
		out[i] = int32(i)
	}
	return out
}()

// pick is like fill for the listed rows.
func (x *Expansion) pick(ends, codes []int32, from int, rows []int32) (last int) {
	start := int32(from)
	for at := 0; at < len(rows); {
		if row := start + rows[at]; ends[last] <= row {
			if last++; ends[last] <= row {
				i, _ := slices.BinarySearch(ends[last:], row+1)
				last += i
			}
		}
		value, end := int32(last), ends[last]-start
		if codes != nil {
			value = codes[last]
		}
		for at < len(rows) && rows[at] < end {
			x.idx[at] = value
			at++
		}
		x.ends = append(x.ends, int32(at))
	}
	return last
}
