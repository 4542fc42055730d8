package eval

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() {
	Register(Def{Name: expr.FuncAssign, Bind: bindAssign(true)}, Def{Name: expr.FuncFit, Bind: bindAssign(false)})
}

// bindAssign makes the conversion of a value to its column (see expr.Assign and
// expr.Fit): a cast whose integers never wrap around, and whose warnings are errors
// when strict, else warnings that name the column and the row.
func bindAssign(strict bool) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) {
		k, column, err := storing(c)
		if err != nil || c.T.ID == types.JSON {
			return k, err
		}
		return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
			quiet := rt.quiet
			rt.quiet, rt.tripped, rt.cut = true, false, rt.cut[:0]
			err := k(rt, args[:1], out)
			cut := len(rt.cut)
			if tripped := rt.tripped; err == nil && tripped && (strict || !quiet) {
				err = misfits(rt, k, args[0], out, column, strict)
			}
			rt.quiet = quiet
			rt.tripped = rt.tripped && quiet
			if err != nil {
				return err
			}
			for _, row := range rt.cut[:cut] {
				rt.Warn(sqlerr.WarnDataTruncated, "Data truncated for column '%s' at row %d", column, row)
			}
			return nil
		}, nil
	}
}

// storing gives the kernel that converts values to those of a column, with the
// warnings of a cast, and the column's name.
func storing(c *expr.Call) (Kernel, string, error) {
	cast := *c
	cast.Args = c.Args[:1]
	column := c.Args[1].(*expr.Const).Value.Str
	if c.T.ID == types.JSON {
		k, err := assignJSON(&cast, column)
		return k, column, err
	}
	k, err := bindCast(&cast)
	switch from := c.Args[0].Type(); {
	case from.ID == types.String && c.T.ID == types.String && c.T.Len > 0:
		k, err = storeText(int(c.T.Len)), nil
	case !c.T.IsInteger() || from.IsTemporal() || from.ID == types.Null:
	case from.ID == types.JSON:
		k, err = castFromJSON(c.T, storeInt(types.T(types.String), c.T)), nil
	default:
		k, err = storeInt(from, c.T), nil
	}
	return k, column, err
}

// storeText takes spaces off the end of text longer than n characters, which it notes in
// rt.cut, and warns where that is not enough.
func storeText(n int) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		src, dst, m := Values[string](args[0]), Values[string](out), mask(args[0])
		for i := range dst {
			if out.Null != nil && out.Null[i] {
				continue
			}
			s := src[i&m]
			if len(s) > n && utf8.RuneCountInString(s) > n {
				end := 0
				for range n {
					_, k := utf8.DecodeRuneInString(s[end:])
					end += k
				}
				if strings.Trim(s[end:], " ") == "" {
					rt.cut = append(rt.cut, i+1)
				} else {
					rt.Warn(sqlerr.DataTooLong, "too long")
				}
				s = s[:end]
			}
			dst[i] = s
		}
		return nil
	}
}

// misfits finds the rows whose conversion warns: the first one is an error when strict,
// else each leaves a warning.
func misfits(rt *Runtime, k Kernel, arg, out *vec.Vector, column string, strict bool) error {
	n := out.N
	for i := range n {
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
		if !rt.tripped {
			continue
		}
		e := strictError(d, out.Type, rt.held, column, i+1).At(rt.Call.Pos)
		if strict {
			return e
		}
		if e.Code == sqlerr.DataTooLong || e.Code == sqlerr.TruncatedWrongValue {
			e = sqlerr.New(sqlerr.WarnDataTruncated, "Data truncated for column '%s' at row %d", column, i+1)
		}
		rt.quiet = false
		rt.Warn(e.Code, "%s", e.Msg)
		rt.quiet = true
	}
	rt.N = n
	if strict {
		return sqlerr.Internal("a conversion for column %s failed in no row", column)
	}
	return nil
}

// strictError turns a cast's warning into the error that strict mode raises.
func strictError(d catalog.Datum, to types.Type, code sqlerr.Code, column string, row int) *sqlerr.Error {
	text := d.Text()
	number, _ := types.PrefixFloat(text)
	switch {
	case to.HasMembers():
		return sqlerr.New(sqlerr.WarnDataTruncated, "Data truncated for column '%s' at row %d", column, row).
			WithHint("The column is %s.", to)
	case to.IsTemporal():
		return sqlerr.New(sqlerr.TruncatedWrongValue, "Incorrect %s value: '%s' for column '%s' at row %d", strings.ToLower(to.Name()), text, column, row)
	case code == sqlerr.InvalidCharacterString:
		return types.NotText(text, column, int64(row))
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

// storeInt rounds to an integer and warns (1264) where the type does not hold it and
// the nearest one that it does is taken.
func storeInt(from, to types.Type) Kernel {
	lo, hi := expr.IntRange(to)
	nearest := func(rt *Runtime, neg bool) (int64, bool, error) {
		rt.Warn(sqlerr.WarnDataOutOfRange, "out of range")
		if neg {
			return lo, true, nil
		}
		return int64(hi), true, nil
	}
	fit := func(rt *Runtime, w wide) (int64, bool, error) {
		if to.ID == types.Year && !storedYear(&w, from.IsString()) {
			rt.Warn(sqlerr.WarnDataOutOfRange, "out of range")
		}
		if w.neg && w.mag > -uint64(lo) || !w.neg && w.mag > hi {
			return nearest(rt, w.neg)
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
		return nearest(rt, w.neg)
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
			if to.ID == types.Year && s == "0000" {
				return 0, true, nil
			}
			n, clean, ok := types.PrefixDecimal(s, 0)
			if !clean {
				rt.Truncated("INTEGER", s)
			}
			return whole(rt, n, ok)
		})
	}
	return TryUnary(func(rt *Runtime, x int64) (int64, bool, error) { return fit(rt, widen(x, from.IsUnsigned())) })
}

// storedYear makes a year of two digits one of four, as a YEAR column does: 70 to 99 belong
// to the last century, 1 to 69, and 0 as text, to this. It is false of a year that the
// type does not have.
func storedYear(w *wide, text bool) bool {
	switch {
	case w.neg:
		return false
	case w.mag == 0 && text, w.mag > 0 && w.mag < 70:
		w.mag += 2000
	case w.mag >= 70 && w.mag < 100:
		w.mag += 1900
	}
	return w.mag == 0 || w.mag > 1900
}
