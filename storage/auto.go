package storage

import (
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// number fills in the AUTO_INCREMENT values of a vector: NULL and 0 become the next
// number, and larger numbers move the counter on. first is the first number made, 0
// for none. Numbers are not given back when a transaction fails, as in MySQL.
func (t *table) number(col *catalog.Column, v *vec.Vector) (out *vec.Vector, first int64) {
	if k := col.Type.Kind(); k != types.KindI64 && k != types.KindU64 {
		return v, 0
	}
	out = vec.NewFlat(col.Type, v.N)
	for i := range v.N {
		if d := catalog.DatumAt(v, i); !d.Null && d.I64 != 0 {
			out.I64[i] = d.I64
			t.raiseAuto(d.I64)
			continue
		}
		out.I64[i] = t.auto.Add(1)
		if first == 0 {
			first = out.I64[i]
		}
	}
	return out, first
}

func (t *table) raiseAuto(x int64) {
	for last := t.auto.Load(); x > last && !t.auto.CompareAndSwap(last, x); last = t.auto.Load() {
	}
}
