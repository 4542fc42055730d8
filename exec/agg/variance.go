package agg

import (
	"math"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// moments are Welford's running mean and sum of squared differences from it (1962);
// they are merged after Chan, Golub and LeVeque (1979).
type moments struct{ n, mean, m2 float64 }

func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / m.n
	m.m2 += d * (x - m.mean)
}

func (m *moments) merge(o moments) {
	if o.n == 0 {
		return
	}
	n, d := m.n+o.n, o.mean-m.mean
	m.mean += d * o.n / n
	m.m2 += o.m2 + d*d*m.n*o.n/n
	m.n = n
}

// variance is VAR_POP, VAR_SAMP, STDDEV_POP or STDDEV_SAMP.
type variance struct {
	fn      expr.AggFn
	account *mem.Account
	kind    types.Kind
	scale   int32 // of decimals
	groups  *mem.Buffer[moments]
}

func (s *variance) grow(n int) error { return room(s.account, &s.groups, n) }

func (s *variance) update(gids []int32, n int, args []*vec.Vector) error {
	v := args[0]
	for i := range n {
		if v.Null != nil && v.Null[i] {
			continue
		}
		var x float64
		switch s.kind {
		case types.KindNull:
			return nil
		case types.KindF64:
			x = v.F64[i]
		case types.KindI64:
			x = float64(v.I64[i])
		case types.KindU64:
			x = float64(uint64(v.I64[i]))
		case types.KindDec:
			x = v.Dec[i].ToFloat64(s.scale)
		}
		s.groups.S[group(gids, i)].add(x)
	}
	return nil
}

func (s *variance) merge(src state, from, to []int32) error {
	o := src.(*variance)
	for i, g := range from {
		s.groups.S[to[i]].merge(o.groups.S[g])
	}
	return nil
}

func (s *variance) finish(*op.Ctx) error { return nil }

func (s *variance) result(lo, hi int, dst *vec.Vector) error {
	sample := s.fn == expr.VarSamp || s.fn == expr.StddevSamp
	for i, m := range s.groups.S[lo:hi] {
		n := m.n
		if sample {
			n--
		}
		if n <= 0 {
			dst.SetNull(i)
			continue
		}
		dst.F64[i] = m.m2 / n
		if s.fn == expr.StddevPop || s.fn == expr.StddevSamp {
			dst.F64[i] = math.Sqrt(dst.F64[i])
		}
	}
	return nil
}

func (s *variance) free() { s.groups.Free() }
