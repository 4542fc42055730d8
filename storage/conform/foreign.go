package conform

import (
	"gsql/sql/cast"
	"gsql/sql/catalog"
	"gsql/sql/json"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Foreign returns the values that a column stores for those of another program, which may not be
// values of its type: JSON in normal form, and members of an ENUM or SET as declared. row0 is the
// number of v's first row, for errors. Errors: 3140 or 3157 (not JSON), 1265 (no member), 1264 (no
// year).
func Foreign(col *catalog.Column, v *vec.Vector, row0 int) (*vec.Vector, error) {
	switch t := col.Type; {
	case v.Type.ID == types.Null || v.Type.Kind() != t.Kind():
		return v, nil
	case t.ID == types.JSON:
		return replaced(v, func(row int, s string) (string, error) {
			s, err := json.Normalise(s)
			if err != nil {
				err = cast.InvalidJSON(err, "value for column '"+col.Name+"'")
			}
			return s, err
		})
	case t.HasMembers():
		m := cast.NewMembers(t)
		return replaced(v, func(row int, s string) (string, error) {
			s, ok := m.Store(s)
			if !ok {
				return "", sqlerr.New(sqlerr.WarnDataTruncated, "Data truncated for column '%s' at row %d", col.Name, row0+row+1).WithHint("The column is %s.", t)
			}
			return s, nil
		})
	case t.ID == types.Year:
		v = v.Flatten(nil)
		for i, x := range v.I64[:v.N] {
			if y, ok := types.WholeYear(x, false); (!ok || y != x) && !v.IsNull(i) {
				return nil, outOfRange(col, row0+i)
			}
		}
	}
	return v, nil
}

// replaced returns a flat copy of v whose texts f replaces.
func replaced(v *vec.Vector, f func(row int, s string) (string, error)) (_ *vec.Vector, err error) {
	out := *v.Flatten(nil)
	out.Str = append([]string(nil), out.Str[:out.N]...)
	for i := range out.Str {
		if out.IsNull(i) {
			continue
		}
		if out.Str[i], err = f(i, out.Str[i]); err != nil {
			return nil, err
		}
	}
	return &out, nil
}
