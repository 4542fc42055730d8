package state

import (
	"gsql/exec/accum"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// variance is VAR_POP, VAR_SAMP, STDDEV_POP or STDDEV_SAMP.
type variance struct {
	fn      expr.AggFn
	account *mem.Account
	kind    types.Kind
	scale   int32 // of decimals
	groups  *mem.Buffer[accum.Moments]
}

func (s *variance) Grow(n int) error { return mem.Room(s.account, &s.groups, n) }

func (s *variance) Update(gids []int32, n int, args []*vec.Vector) error {
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
		s.groups.S[group(gids, i)].Add(x)
	}
	return nil
}

func (s *variance) Merge(src State, from, to []int32) error {
	o := src.(*variance)
	for i, g := range from {
		s.groups.S[to[i]].Merge(o.groups.S[g])
	}
	return nil
}

func (s *variance) Finish(*op.Ctx) error { return nil }

func (s *variance) Result(lo, hi int, dst *vec.Vector) error {
	for i, m := range s.groups.S[lo:hi] {
		var ok bool
		if dst.F64[i], ok = m.Result(s.fn); !ok {
			dst.SetNull(i)
		}
	}
	return nil
}

func (s *variance) Free() { s.groups.Free() }
