package cast

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerAssign() {
	kernel.Register(kernel.Def{Name: expr.FuncAssign, Bind: bindAssign(true)}, kernel.Def{Name: expr.FuncFit, Bind: bindAssign(false)})
}

// bindAssign binds the conversion of a value to its column (see expr.Assign and expr.Fit): a cast
// whose integers never wrap around. Its warnings are errors if strict is set; otherwise they name
// the column and the row.
func bindAssign(strict bool) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		k, column, err := storing(c)
		if err != nil || c.T.ID == types.JSON {
			return k, err
		}
		return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
			quiet := rt.Quiet
			rt.Quiet, rt.Tripped, rt.CutRows = true, false, rt.CutRows[:0]
			err := k(rt, args[:1], out)
			cut := len(rt.CutRows)
			if tripped := rt.Tripped; err == nil && tripped && (strict || !quiet) {
				err = misfits(rt, k, args[0], out, column, strict)
			}
			rt.Quiet = quiet
			rt.Tripped = rt.Tripped && quiet
			if err != nil {
				return err
			}
			for _, row := range rt.CutRows[:cut] {
				rt.Warn(sqlerr.WarnDataTruncated, "Data truncated for column '%s' at row %d", column, row)
			}
			return nil
		}, nil
	}
}

// storing returns the kernel that converts values to those of a column, with the warnings of a
// cast, and the name of the column.
func storing(c *expr.Call) (kernel.Kernel, string, error) {
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

// storeText removes trailing spaces from text longer than n characters and records the row in
// rt.CutRows. It truncates the text and warns if that is not enough.
func storeText(n int) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		src, dst, m := kernel.Values[string](args[0]), kernel.Values[string](out), kernel.Mask(args[0])
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
					rt.CutRows = append(rt.CutRows, i+1)
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

// misfits finds the rows whose conversion warns. If strict is set, the first is an error;
// otherwise each adds a warning.
func misfits(rt *kernel.Runtime, k kernel.Kernel, arg, out *vec.Vector, column string, strict bool) error {
	n := out.N
	for i := range n {
		if out.Null != nil && arg.IsNull(i) {
			continue
		}
		d := catalog.DatumAt(arg, i)
		one := vec.NewFlat(out.Type, 1)
		rt.Tripped, rt.N = false, 1
		value := d.Vector(1)
		value.Form = vec.Flat
		if err := k(rt, []*vec.Vector{value}, one); err != nil {
			return err
		}
		if !rt.Tripped {
			continue
		}
		e := strictError(d, out.Type, rt.Held, column, i+1).At(rt.Call.Pos)
		if strict {
			return e
		}
		if e.Code == sqlerr.DataTooLong || e.Code == sqlerr.TruncatedWrongValue {
			e = sqlerr.New(sqlerr.WarnDataTruncated, "Data truncated for column '%s' at row %d", column, i+1)
		}
		rt.Quiet = false
		rt.Warn(e.Code, "%s", e.Msg)
		rt.Quiet = true
	}
	rt.N = n
	if strict {
		return sqlerr.Internal("a conversion for column %s failed in no row", column)
	}
	return nil
}

// strictError converts a cast's warning to the error that strict mode returns.
func strictError(d catalog.Datum, to types.Type, code sqlerr.Code, column string, row int) *sqlerr.Error {
	text := d.Text()
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
		code = sqlerr.WarnDataOutOfRange
	default:
		code = MisfitCode(text, to)
	}
	switch code {
	case sqlerr.WarnDataOutOfRange:
		return sqlerr.New(code, "Out of range value for column '%s' at row %d", column, row).
			WithHint("%s does not fit %s.", text, to)
	case sqlerr.WarnDataTruncated:
		return sqlerr.New(code, "Data truncated for column '%s' at row %d", column, row).
			WithHint("Only the beginning of '%s' is a number.", text)
	}
	return sqlerr.New(code, "Incorrect %s value: '%s' for column '%s' at row %d", NumberName(to), text, column, row)
}

// MisfitCode returns the number of the error for a text that is no value of a numeric type: 1366 if
// it does not begin with a number, 1265 if something follows the number, and otherwise 1264.
func MisfitCode(text string, to types.Type) sqlerr.Code {
	text = strings.TrimSpace(text)
	_, _, rest := dec128.Parse(text, 0)
	switch number, _ := types.PrefixFloat(text); {
	case to.IsFloat() && math.Abs(number) == math.MaxFloat64, rest == 0 && text != "":
		return sqlerr.WarnDataOutOfRange
	case rest < len(text):
		return sqlerr.WarnDataTruncated
	}
	return sqlerr.TruncatedWrongValueForField
}

// NumberName returns the name of a numeric type in error 1366.
func NumberName(t types.Type) string {
	switch t.Kind() {
	case types.KindDec:
		return "decimal"
	case types.KindF64:
		return "double"
	}
	return "integer"
}

// storeInt rounds to an integer. If the result is out of the type's range, it warns (1264) and
// uses the nearest value in range.
func storeInt(from, to types.Type) kernel.Kernel {
	lo, hi := expr.IntRange(to)
	nearest := func(rt *kernel.Runtime, neg bool) (int64, bool, error) {
		rt.Warn(sqlerr.WarnDataOutOfRange, "out of range")
		if neg {
			return lo, true, nil
		}
		return int64(hi), true, nil
	}
	fit := func(rt *kernel.Runtime, w kernel.Wide) (int64, bool, error) {
		if to.ID == types.Year && !storedYear(&w, from.IsString()) {
			rt.Warn(sqlerr.WarnDataOutOfRange, "out of range")
		}
		if w.Neg && w.Mag > -uint64(lo) || !w.Neg && w.Mag > hi {
			return nearest(rt, w.Neg)
		}
		if w.Neg {
			return int64(-w.Mag), true, nil
		}
		return int64(w.Mag), true, nil
	}
	whole := func(rt *kernel.Runtime, n decimal128.Num, ok bool) (int64, bool, error) {
		w := kernel.Wide{Neg: n.Sign() < 0}
		if m := n.Abs(); ok && m.HighBits() == 0 {
			w.Mag = m.LowBits()
			return fit(rt, w)
		}
		return nearest(rt, w.Neg)
	}
	switch from.Kind() {
	case types.KindF64:
		return kernel.TryUnary(func(rt *kernel.Runtime, f float64) (int64, bool, error) {
			n, ok := dec128.FromFloat(math.RoundToEven(f), 0)
			return whole(rt, n, ok)
		})
	case types.KindDec:
		scale := int(from.Scale)
		return kernel.TryUnary(func(rt *kernel.Runtime, n decimal128.Num) (int64, bool, error) {
			return whole(rt, dec128.Down(n, scale), true)
		})
	case types.KindStr:
		return kernel.TryUnary(func(rt *kernel.Runtime, s string) (int64, bool, error) {
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
	return kernel.TryUnary(func(rt *kernel.Runtime, x int64) (int64, bool, error) {
		return fit(rt, kernel.Widen(x, from.IsUnsigned()))
	})
}

// storedYear expands a two-digit year to four digits as a YEAR column does: 70 to 99 belong to
// the last century, 1 to 69 (and, for text, 0) to this century. It returns false for a year out
// of the type's range.
func storedYear(w *kernel.Wide, text bool) bool {
	switch {
	case w.Neg:
		return false
	case w.Mag == 0 && text, w.Mag > 0 && w.Mag < 70:
		w.Mag += 2000
	case w.Mag >= 70 && w.Mag < 100:
		w.Mag += 1900
	}
	return w.Mag == 0 || w.Mag > 1900
}
