package storage

import (
	"math"
	"slices"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/conform"
)

// KeepZeros sets whether later inserts store a 0 in an AUTO_INCREMENT column as it is, as with
// sql_mode NO_AUTO_VALUE_ON_ZERO.
func (tx *Tx) KeepZeros(keep bool) { tx.keepZeros = keep }

// number fills in the AUTO_INCREMENT values of a vector: NULL, and 0 unless keepZeros is set,
// become the next number, and larger numbers advance the counter. made flags the rows that
// received a number; it is nil if there are none. As in MySQL, numbers are not reused when a
// transaction fails. The error is 1467 if there is no next number.
func (t *table) number(col *catalog.Column, v *vec.Vector, keepZeros bool) (out *vec.Vector, made []bool, err error) {
	if k := col.Type.Kind(); k != types.KindI64 && k != types.KindU64 {
		return v, nil, nil
	}
	highest := highestOf(col.Type)
	out = vec.NewFlat(col.Type, v.N)
	for i := range v.N {
		if d := catalog.DatumAt(v, i); !d.Null && (d.I64 != 0 || keepZeros) {
			out.I64[i] = d.I64
			t.raiseAuto(col.Type, d.I64)
			continue
		}
		next, err := t.nextAuto(highest)
		if err != nil {
			return nil, nil, err
		}
		out.I64[i] = int64(next)
		if made == nil {
			made = make([]bool, v.N)
		}
		made[i] = true
	}
	return out, made, nil
}

// highestOf returns the highest value of an integer type.
func highestOf(t types.Type) uint64 {
	if t.Kind() == types.KindU64 {
		return math.MaxUint64 >> (64 - t.Bits())
	}
	_, hi := conform.Bounds(t)
	return uint64(hi)
}

// nextAuto advances the counter by one and returns it. As in MySQL, a counter at the maximum of a
// type narrower than BIGINT stays there, so that the next row is a duplicate of the last one's
// key.
func (t *table) nextAuto(highest uint64) (uint64, error) {
	for {
		last := t.auto.Load()
		switch {
		case last < highest:
			if t.auto.CompareAndSwap(last, last+1) {
				return last + 1, nil
			}
		case highest < math.MaxInt64:
			return highest, nil
		default:
			return 0, sqlerr.New(sqlerr.AutoIncReadFailed, "Failed to read auto-increment value from storage engine")
		}
	}
}

// raiseAuto raises the counter to x, a value of type typ. It never lowers it.
func (t *table) raiseAuto(typ types.Type, x int64) {
	if x < 0 && typ.Kind() == types.KindI64 {
		return
	}
	for last := t.auto.Load(); uint64(x) > last && !t.auto.CompareAndSwap(last, uint64(x)); last = t.auto.Load() {
	}
}

// raiseTo raises the counter to the highest value that an update writes to an AUTO_INCREMENT
// column among ordinals.
func (t *table) raiseTo(schema *catalog.Schema, ordinals []int, cols []*vec.Vector) {
	for _, o := range ordinals {
		col := &schema.Columns[o]
		if k := col.Type.Kind(); !col.AutoInc || k != types.KindI64 && k != types.KindU64 {
			continue
		}
		for _, x := range cols[o].I64 {
			t.raiseAuto(col.Type, x)
		}
	}
}

// autoColumn returns the AUTO_INCREMENT column of the rows. The table must have one.
func autoColumn(v *version, cols []*vec.Vector) *vec.Vector {
	return cols[slices.IndexFunc(v.schema.Columns, func(c catalog.Column) bool { return c.AutoInc })]
}

// firstMade returns the first generated number, or 0 if there is none.
func firstMade(v *vec.Vector, made []bool) int64 {
	for i, m := range made {
		if m {
			return v.I64[i]
		}
	}
	return 0
}

// NextAutoIncrement returns the number that the next row of a table will get, or 0 if the table
// has no AUTO_INCREMENT column.
func NextAutoIncrement(tbl catalog.Table) uint64 {
	v, ok := tbl.(*version)
	if !ok || !slices.ContainsFunc(v.schema.Columns, func(c catalog.Column) bool { return c.AutoInc }) {
		return 0
	}
	return v.auto.Load() + 1
}

// StartAutoIncrement sets the first number of a table that the transaction has created.
func (tx DDL) StartAutoIncrement(db, name string, next uint64) error {
	o, err := tx.names.lookup(tx.shadowing(tx.dbName(db), name), name)
	if err != nil {
		return err
	}
	o.table.auto.Store(max(next, 1) - 1)
	return nil
}
