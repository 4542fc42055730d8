package eval

import (
	"math"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() { Register(Def{Name: "assign", Bind: bindAssign}) }

// bindAssign makes the strict conversion of a value to its column (see expr.Assign):
// a cast whose warnings are errors, and whose integers never wrap around.
func bindAssign(c *expr.Call) (Kernel, error) {
	cast := *c
	cast.Args = c.Args[:1]
	column := c.Args[1].(*expr.Const).Value.Str
	if c.T.ID == types.JSON {
		return assignJSON(&cast, column)
	}
	k, err := bindCast(&cast)
	switch from := c.Args[0].Type(); {
	case !c.T.IsInteger() || from.IsTemporal() || from.ID == types.Null:
	case from.ID == types.JSON:
		k, err = castFromJSON(c.T, storeInt(types.T(types.String), c.T)), nil
	default:
		k, err = storeInt(from, c.T), nil
	}
	if err != nil {
		return nil, err
	}
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		quiet := rt.quiet
		rt.quiet, rt.tripped = true, false
		err := k(rt, args[:1], out)
		if tripped := rt.tripped; err == nil && tripped {
			err = assignmentError(rt, k, args[0], out, column)
		}
		rt.quiet, rt.tripped = quiet, false
		return err
	}, nil
}

// assignmentError finds the first row whose conversion warns.
func assignmentError(rt *Runtime, k Kernel, arg, out *vec.Vector, column string) error {
	for i := range out.N {
		if out.Null != nil && arg.IsNull(i) {
			continue
		}
		d := catalog.DatumAt(arg, i)
		one := vec.NewFlat(out.Type, 1)
		rt.tripped, rt.N = false, 1
		value := d.Vector(1)
		value.Form = vec.Flat
		if err := k(rt, []*vec.Vector{value}, one); err != nil {
			return err
		}
		if rt.tripped {
			return strictError(d, out.Type, rt.held, column, i+1).At(rt.Call.Pos)
		}
	}
	return sqlerr.Internal("a conversion for column %s failed in no row", column)
}

// strictError turns a cast's warning into the error that strict mode raises.
func strictError(d catalog.Datum, to types.Type, code sqlerr.Code, column string, row int) *sqlerr.Error {
	text := d.Text()
	number, _ := types.PrefixFloat(text)
	switch {
	case to.IsTemporal():
		return sqlerr.New(sqlerr.TruncatedWrongValue, "Incorrect %s value: '%s' for column '%s' at row %d", strings.ToLower(to.Name()), text, column, row)
	case to.IsString():
		return sqlerr.New(sqlerr.DataTooLong, "Data too long for column '%s' at row %d", column, row).
			WithHint("The column takes %d characters.", to.Len)
	case code == sqlerr.WarnDataOutOfRange || !d.Type.IsString():
		return sqlerr.New(sqlerr.WarnDataOutOfRange, "Out of range value for column '%s' at row %d", column, row).
			WithHint("%s does not fit %s.", text, to)
	case number != 0:
		return sqlerr.New(sqlerr.WarnDataTruncated, "Data truncated for column '%s' at row %d", column, row).
			WithHint("'%s' is a number only in part.", text)
	}
	name := "integer"
	switch to.Kind() {
	case types.KindDec:
		name = "decimal"
	case types.KindF64:
		name = "double"
	}
	return sqlerr.New(sqlerr.TruncatedWrongValueForField, "Incorrect %s value: '%s' for column '%s' at row %d", name, text, column, row)
}

// storeInt rounds to an integer and warns (1264) where the type does not hold it.
func storeInt(from, to types.Type) Kernel {
	lo, hi := expr.IntRange(to)
	fit := func(rt *Runtime, w wide) (int64, bool, error) {
		if w.neg && w.mag > -uint64(lo) || !w.neg && w.mag > hi {
			rt.Warn(sqlerr.WarnDataOutOfRange, "out of range")
		}
		if w.neg {
			return int64(-w.mag), true, nil
		}
		return int64(w.mag), true, nil
	}
	whole := func(rt *Runtime, n decimal128.Num, ok bool) (int64, bool, error) {
		w := wide{neg: n.Sign() < 0}
		if m := n.Abs(); ok && m.HighBits() == 0 {
			w.mag = m.LowBits()
			return fit(rt, w)
		}
		rt.Warn(sqlerr.WarnDataOutOfRange, "out of range")
		return 0, true, nil
	}
	switch from.Kind() {
	case types.KindF64:
		return TryUnary(func(rt *Runtime, f float64) (int64, bool, error) {
			n, ok := dec128.FromFloat(math.RoundToEven(f), 0)
			return whole(rt, n, ok)
		})
	case types.KindDec:
		scale := int(from.Scale)
		return TryUnary(func(rt *Runtime, n decimal128.Num) (int64, bool, error) {
			return whole(rt, dec128.Down(n, scale), true)
		})
	case types.KindStr:
		return TryUnary(func(rt *Runtime, s string) (int64, bool, error) {
			n, clean, ok := types.PrefixDecimal(s, 0)
			if !clean {
				rt.Truncated("INTEGER", s)
				return 0, true, nil
			}
			return whole(rt, n, ok)
		})
	}
	return TryUnary(func(rt *Runtime, x int64) (int64, bool, error) { return fit(rt, widen(x, from.IsUnsigned())) })
}
