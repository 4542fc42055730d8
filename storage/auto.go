package storage

import (
	"math"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// number fills in the AUTO_INCREMENT values of a vector: NULL and 0 become the next
// number, and larger numbers move the counter on. first is the first number made, 0
// for none. Numbers are not given back when a transaction fails, as in MySQL. The error
// is 1467 when there is no next number.
func (t *table) number(col *catalog.Column, v *vec.Vector) (out *vec.Vector, first int64, err error) {
	if k := col.Type.Kind(); k != types.KindI64 && k != types.KindU64 {
		return v, 0, nil
	}
	out = vec.NewFlat(col.Type, v.N)
	for i := range v.N {
		if d := catalog.DatumAt(v, i); !d.Null && d.I64 != 0 {
			out.I64[i] = d.I64
			t.raiseAuto(d.I64)
			continue
		}
		if out.I64[i], err = t.nextAuto(); err != nil {
			return nil, 0, err
		}
		if first == 0 {
			first = out.I64[i]
		}
	}
	return out, first, nil
}

// nextAuto moves the counter on by one. Types narrower than BIGINT refuse what does not
// fit them when the value is stored.
func (t *table) nextAuto() (int64, error) {
	for last := t.auto.Load(); last < math.MaxInt64; last = t.auto.Load() {
		if t.auto.CompareAndSwap(last, last+1) {
			return last + 1, nil
		}
	}
	return 0, sqlerr.New(sqlerr.AutoIncReadFailed, "Failed to read auto-increment value from storage engine")
}

func (t *table) raiseAuto(x int64) {
	for last := t.auto.Load(); x > last && !t.auto.CompareAndSwap(last, x); last = t.auto.Load() {
	}
}
