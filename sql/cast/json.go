package cast

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"gsql/sql/expr"
	"gsql/sql/json"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// castJSON converts values to JSON: text is parsed, anything else becomes the JSON value that
// represents it.
func castJSON(c *expr.Call) (kernel.Kernel, error) {
	from := c.Args[0].Type()
	switch {
	case from.ID == types.JSON:
		return kernel.Unary(kernel.Same[string]), nil
	case from.ID == types.Bytes:
		return nil, sqlerr.New(sqlerr.InvalidJSONCharset, "Cannot create a JSON value from a string with CHARACTER SET 'binary'.").At(c.Pos)
	case from.ID == types.String:
		return ParseJSON("argument 1 to function cast_as_json"), nil
	case from.IsFloat():
		return kernel.TryUnary(func(rt *kernel.Runtime, f float64) (string, bool, error) { return string(json.Double(f)), true, nil }), nil
	case from.IsNumeric():
		return castStr(from, types.T(types.String), false), nil
	}
	if from.ID != types.Date {
		from.Prec = 6
	}
	return kernel.TryUnary(func(rt *kernel.Runtime, x int64) (string, bool, error) {
		rt.Buf = append(types.AppendI64(append(rt.Buf[:0], '"'), from, x), '"')
		return rt.Text(rt.Buf), true, nil
	}), nil
}

// assignJSON converts values stored in a JSON column: text, which it parses, and JSON itself.
func assignJSON(c *expr.Call, column string) (kernel.Kernel, error) {
	where := "value for column '" + column + "'"
	switch from := c.Args[0].Type(); from.ID {
	case types.Null, types.JSON, types.Bytes:
		return bindCast(c)
	case types.String:
		return ParseJSON(where), nil
	}
	return nil, InvalidJSON(&json.SyntaxError{Msg: "not a JSON text, may need CAST"}, where).At(c.Pos)
}

// ParseJSON returns a kernel that parses texts and writes them in normal form. where describes
// the text in errors 3140 and 3141.
func ParseJSON(where string) kernel.Kernel {
	return kernel.TryUnary(func(rt *kernel.Runtime, s string) (string, bool, error) {
		b, err := json.AppendNormal(rt.Buf[:0], s, rt)
		if err != nil {
			return "", false, InvalidJSON(err, where).At(rt.Call.Pos)
		}
		return rt.Done(b)
	})
}

// InvalidJSON returns the error for a text that is not JSON.
func InvalidJSON(err error, where string) *sqlerr.Error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return sqlerr.From(err)
	}
	if strings.HasPrefix(where, "argument") {
		return sqlerr.New(sqlerr.InvalidJSONTextInParam, "Invalid JSON text in %s: \"%s\" at position %d.", where, syntax.Msg, syntax.Pos)
	}
	return sqlerr.New(sqlerr.InvalidJSONText, "Invalid JSON text: \"%s\" at position %d in %s.", syntax.Msg, syntax.Pos, where)
}

// castFromJSON converts JSON to a number or a temporal value. k converts text: strings are
// converted as text, true as 1 and false as 0.
func castFromJSON(to types.Type, k kernel.Kernel) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		a := args[0]
		plain := *a
		plain.Type, plain.Str = types.T(types.String), make([]string, len(a.Str))
		for i, s := range a.Str {
			if out.Null != nil && i < len(out.Null) && a.Form == vec.Flat && out.Null[i] {
				continue
			}
			text, err := scalarText(rt, s, to)
			if err != nil {
				return sqlerr.From(err).At(rt.Call.Pos)
			}
			plain.Str[i] = text
		}
		return k(rt, []*vec.Vector{&plain}, out)
	}
}

// scalarText returns the text of a scalar. For null and values that are not scalars it warns
// (3156); they become 0, or NULL for dates.
func scalarText(rt *kernel.Runtime, s string, to types.Type) (string, error) {
	cost := json.Cost(s)
	if err := rt.Borrow(cost); err != nil {
		return "", err
	}
	defer rt.Return(cost)
	v, err := json.Must(s)
	if err != nil {
		return "", err
	}
	switch x := v.(type) {
	case string:
		return x, nil
	case json.Number:
		f, err := strconv.ParseFloat(string(x), 64)
		if to.IsInteger() && err == nil && json.Type(x) == "DOUBLE" {
			return strconv.FormatFloat(math.RoundToEven(f), 'f', 0, 64), nil
		}
		return string(x), nil
	case bool:
		return strconv.FormatInt(kernel.Bit(x), 10), nil
	}
	rt.Warn(sqlerr.InvalidJSONValueForCast, "Invalid JSON value for CAST to %s from %s", to.Name(), rt.Call)
	if to.IsTemporal() {
		return "", nil
	}
	return "0", nil
}
