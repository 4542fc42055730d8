package cost

import (
	"encoding/binary"
	"math"
	"math/bits"

	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
)

// samplePredicate holds the rows of a sample for which a predicate is true.
type samplePredicate struct {
	bits  []uint64 // by row; nil if the predicate cannot be evaluated
	n     int      // rows evaluated, from the first one on
	count int      // rows for which it is true
}

// enoughTrue is the number of matching rows that suffices for an estimate: its standard error is
// then a tenth.
const enoughTrue = 100

// predicate evaluates e for the first rows of the sample and, if few of them match, for all.
func (s *sample) predicate(e expr.Expr) *samplePredicate {
	return remembered(s, s.looks.truths, 't', e, func() *samplePredicate {
		t := s.lookOn(&samplePredicate{bits: []uint64{}}, e, s.first())
		if t.count < enoughTrue {
			t = s.lookOn(t, e, s.rows.N)
		}
		return t
	})
}

// wholePredicate evaluates e for all rows of the sample.
func (s *sample) wholePredicate(e expr.Expr) *samplePredicate {
	return remembered(s, s.looks.wholes, 'w', e, func() *samplePredicate { return s.lookOn(s.predicate(e), e, s.rows.N) })
}

// lookOn evaluates e for the rows up to n that t does not cover.
func (s *sample) lookOn(t *samplePredicate, e expr.Expr, n int) *samplePredicate {
	if t.bits == nil || t.n >= n {
		return t
	}
	f, err := eval.CompileFilter([]expr.Expr{expr.Map(e, likelyConst)}, s.ids)
	if err != nil {
		return &samplePredicate{}
	}
	idx, all, err := f.NewEvaluator(kernel.Tentative(nil)).Select(s.rows.Slice(t.n, n))
	if err != nil {
		return &samplePredicate{}
	}
	out := &samplePredicate{bits: make([]uint64, (n+63)/64), n: n, count: t.count}
	copy(out.bits, t.bits)
	if all {
		idx = idx[:0]
		for i := range n - t.n {
			idx = append(idx, int32(i))
		}
	}
	for _, i := range idx {
		row := t.n + int(i)
		out.bits[row/64] |= 1 << (row % 64)
	}
	out.count += len(idx)
	return out
}

// both returns the rows for which both predicates are true, of those that both cover.
func (t *samplePredicate) both(o *samplePredicate) *samplePredicate {
	n := min(t.n, o.n)
	out := &samplePredicate{bits: make([]uint64, (n+63)/64), n: n}
	for i := range out.bits {
		out.bits[i] = t.bits[i] & o.bits[i]
	}
	if rest := n % 64; rest > 0 {
		out.bits[len(out.bits)-1] &= 1<<rest - 1
	}
	for _, w := range out.bits {
		out.count += bits.OnesCount64(w)
	}
	return out
}

// all returns the rows for which all parts are true, and how many would be expected if the parts
// were independent. ok is false if a part cannot be evaluated.
func (s *sample) all(parts []part) (all *samplePredicate, expected float64, ok bool) {
	for _, look := range []func(expr.Expr) *samplePredicate{s.predicate, s.wholePredicate} {
		all, expected, ok = allOf(parts, look)
		if !ok || all.count >= enoughTrue || all.n >= s.rows.N {
			break
		}
	}
	return all, expected, ok
}

func allOf(parts []part, look func(expr.Expr) *samplePredicate) (all *samplePredicate, expected float64, ok bool) {
	known := make([]*samplePredicate, len(parts)) // each part's
	for i := range parts {
		for k, e := range parts[i].preds {
			t := look(e)
			if t.bits == nil {
				return nil, 0, false
			}
			if k > 0 {
				t = known[i].both(t)
			}
			known[i] = t
		}
	}
	all = known[0]
	for _, t := range known[1:] {
		all = all.both(t)
	}
	expected = float64(all.n)
	for _, t := range known {
		expected *= float64(t.count) / float64(t.n)
	}
	return all, expected, true
}

// appendKey appends a key of e over a table's columns, which is the same for equal expressions in
// all statements and differs for others. ok is false if e has no such key.
func (s *sample) appendKey(key []byte, e expr.Expr) (_ []byte, ok bool) {
	switch x := e.(type) {
	case *expr.Col:
		for i, id := range s.ids {
			if id == x.ID {
				return binary.AppendVarint(append(key, 'c'), int64(s.ordinals[i])), true
			}
		}
	case *expr.Const:
		return appendValue(append(key, 'v'), &x.Value)
	case *expr.Placeholder:
		return appendValue(append(key, 'v'), &x.Value)
	case *expr.Call:
		key, ok = appendType(append(append(key, 'f'), x.Fn...), x.T)
		key = binary.AppendUvarint(append(key, 0), uint64(len(x.Args)))
		for i := 0; ok && i < len(x.Args); i++ {
			key, ok = s.appendKey(key, x.Args[i])
		}
		return key, ok
	}
	return key, false
}

func appendValue(key []byte, d *catalog.Datum) (_ []byte, ok bool) {
	key, ok = appendType(key, d.Type)
	if d.Null {
		return append(key, 1), ok
	}
	key = binary.LittleEndian.AppendUint64(append(key, 0), uint64(d.I64)^math.Float64bits(d.F64))
	key = binary.LittleEndian.AppendUint64(key, uint64(d.Dec.HighBits()))
	key = binary.LittleEndian.AppendUint64(key, d.Dec.LowBits())
	return append(binary.AppendUvarint(key, uint64(len(d.Str))), d.Str...), ok
}

func appendType(key []byte, t types.Type) (_ []byte, ok bool) {
	key = append(key, byte(t.ID), t.Prec, t.Scale, byte(t.Coll))
	return binary.AppendUvarint(key, uint64(t.Len)), !t.HasMembers()
}
