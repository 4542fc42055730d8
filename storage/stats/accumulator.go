package stats

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Accumulator computes the zone of rows that are added batch by batch.
type Accumulator struct {
	typ         types.Type
	rows, nulls int
	text        int64
	sketch      *Sketch // nil if values are not counted
	lent        bool    // the sketch is shared with other rows
	late        bool    // a NULL came after a value
	ints        extent[int64]
	uints       extent[uint64]
	floats      extent[float64]
	decs        extent[decimal128.Num]
	strs        extent[string]
}

// NewAccumulator returns an accumulator for values of a type, without a sketch.
func NewAccumulator(t types.Type) *Accumulator { return &Accumulator{typ: t} }

// Count enables counting of distinct values in a new sketch.
func (s *Accumulator) Count() { s.sketch, s.lent = NewSketch(), false }

// CountIn enables counting in a sketch shared with other rows, which is not included in the zone.
func (s *Accumulator) CountIn(shared *Sketch) { s.sketch, s.lent = shared, true }

// Counts reports whether the values are counted in a sketch.
func (s *Accumulator) Counts() bool { return s.sketch != nil }

// Add adds the rows of a flat vector.
func (s *Accumulator) Add(v *vec.Vector) {
	seen := s.rows > s.nulls
	s.rows += v.N
	if v.Type.ID == types.Null {
		s.nulls += v.N
		return
	}
	nulls := 0
	if v.Null != nil {
		for i, x := range v.Null[:v.N] {
			if x {
				nulls++
				s.late = s.late || seen || i >= nulls
			}
		}
	}
	s.nulls += nulls
	if nulls > 0 {
		v = present(v, nulls)
	}
	s.addPresent(v)
}

// present returns the rows of v that are not NULL.
func present(v *vec.Vector, nulls int) *vec.Vector {
	out := &vec.Vector{Type: v.Type, N: v.N - nulls}
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		out.I64 = values(v, v.I64)
	case types.KindF64:
		out.F64 = values(v, v.F64)
	case types.KindDec:
		out.Dec = values(v, v.Dec)
	case types.KindStr:
		out.Str = values(v, v.Str)
	}
	return out
}

func (s *Accumulator) addPresent(v *vec.Vector) {
	switch v.Type.Kind() {
	case types.KindI64:
		addOrdered(&s.ints, v.I64[:v.N])
	case types.KindU64:
		addOrdered(&s.uints, unsigned(v.I64[:v.N]))
	case types.KindF64:
		addFloats(&s.floats, v.F64[:v.N])
	case types.KindDec:
		addDecimals(&s.decs, v.Dec[:v.N])
	case types.KindStr:
		addStrings(&s.strs, v.Str[:v.N])
		for _, x := range v.Str[:v.N] {
			s.text += int64(len(x))
		}
	}
	if s.sketch != nil {
		s.addHashes(v)
	}
}

func (s *Accumulator) addHashes(v *vec.Vector) {
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		s.sketch.addInts(v.I64[:v.N])
	case types.KindF64:
		s.sketch.addFloats(v.F64[:v.N])
	case types.KindDec:
		addAll(s.sketch, v.Dec[:v.N], hashDecimal)
	case types.KindStr:
		addAll(s.sketch, v.Str[:v.N], hashText)
	}
}

// unsigned reinterprets signed numbers as unsigned ones.
func unsigned(xs []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs))
}

// Zone returns the summary of the rows added so far, without a shared sketch.
func (s *Accumulator) Zone() Zone {
	z := Zone{Rows: s.rows, Nulls: s.nulls, Text: s.text, Sorted: !s.late}
	if !s.lent && s.sketch != nil {
		s.sketch.recent = nil // no more values follow
		z.Sketch = s.sketch
	}
	if s.rows == s.nulls {
		return z
	}
	lo, hi := catalog.Datum{Type: s.typ}, catalog.Datum{Type: s.typ}
	falls := false
	switch s.typ.Kind() {
	case types.KindI64:
		lo.I64, hi.I64, falls = s.ints.lo, s.ints.hi, s.ints.falls
	case types.KindU64:
		lo.I64, hi.I64, falls = int64(s.uints.lo), int64(s.uints.hi), s.uints.falls
	case types.KindF64:
		lo.F64, hi.F64, falls = s.floats.lo, s.floats.hi, s.floats.falls
	case types.KindDec:
		lo.Dec, hi.Dec, falls = s.decs.lo, s.decs.hi, s.decs.falls
	case types.KindStr:
		lo.Str, hi.Str, falls = s.strs.lo, s.strs.hi, s.strs.falls
	}
	z.Min, z.Max, z.Sorted = &lo, &hi, z.Sorted && !falls
	return z
}
