package cost

import (
	"encoding/binary"
	"math"
	"math/bits"

	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// truth tells for which of the first rows of a sample a predicate is true.
type truth struct {
	bits  []uint64 // by row; nil where finding out failed
	n     int      // rows looked at
	count int      // for which it is true
}

// enoughTrue is for how many rows a predicate must be true so that no more are looked at: their
// number is then off by a tenth.
const enoughTrue = 100

// truth finds for which rows e is true: of the first ones and, where these are few, of all.
func (s *sample) truth(e expr.Expr) *truth {
	return remembered(s, s.looks.truths, 't', e, func() *truth {
		t := s.lookOn(&truth{bits: []uint64{}}, e, s.first())
		if t.count < enoughTrue {
			t = s.lookOn(t, e, s.rows.N)
		}
		return t
	})
}

// wholeTruth finds for which of all rows e is true.
func (s *sample) wholeTruth(e expr.Expr) *truth {
	return remembered(s, s.looks.wholes, 'w', e, func() *truth { return s.lookOn(s.truth(e), e, s.rows.N) })
}

// lookOn looks at the rows up to n that t does not know.
func (s *sample) lookOn(t *truth, e expr.Expr, n int) *truth {
	if t.bits == nil || t.n >= n {
		return t
	}
	f, err := eval.CompileFilter([]expr.Expr{expr.Map(e, likelyConst)}, s.ids)
	if err != nil {
		return &truth{}
	}
	idx, all, err := f.NewEvaluator(eval.Ctx{}).Select(s.rows.Slice(t.n, n))
	if err != nil {
		return &truth{}
	}
	out := &truth{bits: make([]uint64, (n+63)/64), n: n, count: t.count}
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

// both gives the rows for which both are true, of those that both know.
func (t *truth) both(o *truth) *truth {
	n := min(t.n, o.n)
	out := &truth{bits: make([]uint64, (n+63)/64), n: n}
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

// all gives the rows for which all parts are true, and of how many that would be were they
// independent; ok is false where finding out fails.
func (s *sample) all(parts []part) (all *truth, expected float64, ok bool) {
	for _, look := range []func(expr.Expr) *truth{s.truth, s.wholeTruth} {
		all, expected, ok = allOf(parts, look)
		if !ok || all.count >= enoughTrue || all.n >= s.rows.N {
			break
		}
	}
	return all, expected, ok
}

func allOf(parts []part, look func(expr.Expr) *truth) (all *truth, expected float64, ok bool) {
	known := make([]*truth, len(parts)) // each part's
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

// appendKey appends what e is over a table's columns, so that it is the same for equal expressions
// of any statement and for no others; ok is false where that is not told.
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
