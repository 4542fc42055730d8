package json

import (
	"iter"
	"strings"
	"unicode/utf8"

	"gsql/sql/cast"
	"gsql/sql/expr"
	"gsql/sql/json"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerJson() {
	document := func(i int) bool { return i > 0 }
	kernel.Register(
		kernel.Def{Name: expr.FuncJSONDoc, Bind: func(c *expr.Call) (kernel.Kernel, error) {
			return cast.ParseJSON(c.Args[1].(*expr.Const).Value.Str), nil
		}},
		kernel.Def{Name: expr.FuncJSONString, Bind: kernel.Fn(kernel.TryUnary(quoteJSON)), Total: kernel.Always},
		kernel.Def{Name: "json_quote", Bind: kernel.Fn(kernel.TryUnary(quoteJSON)), Total: kernel.Always},
		kernel.Def{Name: expr.FuncJSONBool, Bind: kernel.Fn(kernel.Unary(boolJSON)), Total: kernel.Always},
		kernel.Def{Name: "json_valid", Bind: bindJSONValid, Total: kernel.Always},
		kernel.Def{Name: "json_unquote", Bind: bindUnquote},
		kernel.Def{Name: expr.FuncJSONKey, Bind: bindJSON(nil, jsonKey)},
		kernel.Def{Name: "json_type", Bind: bindJSON(nil, func(r *jsonRow) (string, bool, error) {
			v, err := r.doc(0)
			return json.Type(v), true, err
		})},
		kernel.Def{Name: "json_depth", Bind: bindJSON(nil, func(r *jsonRow) (int64, bool, error) {
			v, err := r.doc(0)
			return int64(json.Depth(v)), true, err
		})},
		kernel.Def{Name: "json_pretty", Bind: bindJSON(nil, func(r *jsonRow) (string, bool, error) {
			v, err := r.doc(0)
			if err != nil {
				return "", false, err
			}
			return r.made(v, json.PrettySize, json.AppendPretty)
		})},
		kernel.Def{Name: "json_extract", Bind: bindJSON(document, jsonExtract)},
		kernel.Def{Name: "json_value", Bind: bindJSON(document, jsonScalar)},
		kernel.Def{Name: "json_length", Bind: bindJSON(document, jsonLength)},
		kernel.Def{Name: "json_keys", Bind: bindJSON(document, jsonKeys)},
		kernel.Def{Name: "json_contains", Bind: bindJSON(func(i int) bool { return i == 2 }, jsonContains)},
		kernel.Def{Name: "json_contains_path", Bind: bindJSON(func(i int) bool { return i > 1 }, jsonContainsPath)},
		kernel.Def{Name: "json_search", Bind: bindJSON(func(i int) bool { return i > 3 }, jsonSearch)},
		kernel.Def{Name: "json_overlaps", Bind: bindJSON(nil, func(r *jsonRow) (int64, bool, error) {
			a, b, err := r.compared(0, 1)
			return kernel.Bit(json.Overlaps(a, b)), true, err
		})},
		kernel.Def{Name: expr.FuncMemberOf, Bind: bindJSON(nil, func(r *jsonRow) (int64, bool, error) {
			v, list, err := r.compared(0, 1)
			return kernel.Bit(json.MemberOf(v, list)), true, err
		})},
	)
}

// jsonRow is one row of a JSON function's arguments.
type jsonRow struct {
	rt    *kernel.Runtime
	args  []*vec.Vector
	i     int
	paths []*json.Path // of arguments that are constant paths

	members  []json.Member // reused for the members of an object
	parts    []string      // reused for the elements of an array
	borrowed int64         // for decoded values
}

// bindJSON returns a kernel that computes row by row. isPath reports which arguments are paths;
// constant ones are parsed once. f is not called for NULL rows.
func bindJSON[R kernel.Value](isPath func(i int) bool, f func(r *jsonRow) (value R, ok bool, err error)) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		paths := make([]*json.Path, len(c.Args))
		for i, a := range c.Args {
			text, ok := expr.ConstText(a)
			if !ok || isPath == nil || !isPath(i) {
				continue
			}
			p, err := json.ParsePath(text)
			if err != nil {
				return nil, sqlerr.From(err).At(c.Pos)
			}
			paths[i] = p
		}
		return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
			r := jsonRow{rt: rt, args: args, paths: paths}
			values := kernel.Values[R](out)
			for i := range values {
				if rt.IsNull(out, i) {
					continue
				}
				r.i = i
				v, ok, err := f(&r)
				if r.borrowed > 0 {
					rt.Return(r.borrowed)
					r.borrowed = 0
				}
				if err != nil {
					return sqlerr.From(err).At(rt.Call.Pos)
				}
				if values[i] = v; !ok {
					out.SetNull(i)
				}
			}
			return nil
		}, nil
	}
}

func (r *jsonRow) null(k int) bool { return kernel.NullAt(r.args[k], r.i) }

func (r *jsonRow) text(k int) string { return r.args[k].Str[r.i&kernel.Mask(r.args[k])] }

// doc decodes argument k.
func (r *jsonRow) doc(k int) (json.Value, error) { return r.decode(r.text(k)) }

// decode decodes a text. It charges for the value until the row is done.
func (r *jsonRow) decode(text string) (json.Value, error) {
	if len(text) < kernel.LongText {
		return json.Must(text)
	}
	if err := r.borrow(json.Cost(text)); err != nil {
		return nil, err
	}
	return (&json.Decoder{Stop: r.rt.Cancelled}).Must(text)
}

func (r *jsonRow) borrow(n int64) error {
	err := r.rt.Borrow(n)
	if err == nil {
		r.borrowed += n
	}
	return err
}

// compared decodes two arguments, and borrows memory for the keys that comparisons make of them.
func (r *jsonRow) compared(i, k int) (a, b json.Value, err error) {
	if a, err = r.doc(i); err == nil {
		b, err = r.doc(k)
	}
	if n := len(r.text(i)) + len(r.text(k)); err == nil && n >= kernel.LongText {
		err = r.borrow(keyBytes * int64(n))
	}
	return a, b, err
}

// keyBytes is the number of bytes that the key of a value takes for each byte of its text, and while
// it grows.
const keyBytes = 8

// path returns argument k as a path.
func (r *jsonRow) path(k int) (*json.Path, error) {
	if r.paths[k] != nil {
		return r.paths[k], nil
	}
	return json.ParsePath(r.text(k))
}

// place returns argument k as a path that selects one value, or error 3149.
func (r *jsonRow) place(k int) (*json.Path, error) {
	p, err := r.path(k)
	if err == nil && p.Wild() {
		err = sqlerr.New(sqlerr.InvalidJSONPathWildcard, "In this situation, path expressions may not contain the * and ** tokens or an array range.")
	}
	return p, err
}

// at returns the value of argument 0, or the part of it that path argument k selects, if there is
// one.
func (r *jsonRow) at(k int) (v json.Value, ok bool, err error) {
	if k >= len(r.args) {
		v, err = r.doc(0)
		return v, err == nil, err
	}
	p, perr := r.place(k)
	if perr == nil {
		if part, found, normal := p.Cut(r.text(0)); normal && !found {
			return nil, false, nil
		} else if normal {
			v, err = r.decode(part)
			return v, err == nil, err
		}
	}
	if v, err = r.doc(0); err != nil {
		return nil, false, err
	}
	if perr != nil {
		return nil, false, perr
	}
	found := p.Find(v)
	if len(found) == 0 {
		return nil, false, nil
	}
	return found[0], true, nil
}

// write returns the text of a value.
func (r *jsonRow) write(v json.Value) (text string, ok bool, err error) {
	return r.made(v, json.Size, json.Append)
}

// made returns the text that a function makes of a value, whose size is computed first if it may be
// long.
func (r *jsonRow) made(v json.Value, size func(json.Value) int, write func([]byte, json.Value) []byte) (text string, ok bool, err error) {
	long := false
	for _, a := range r.args {
		long = long || a.Type.Kind() == types.KindStr && len(a.Str[r.i&kernel.Mask(a)]) >= kernel.LongText/8
	}
	if !long {
		return r.rt.Done(write(r.rt.Buf[:0], v))
	}
	b, too, err := r.rt.Allot(size(v))
	if too || err != nil {
		return "", false, err
	}
	return r.rt.Keep(write(b, v)), true, nil
}

// quoteJSON quotes a text in pieces.
func quoteJSON(rt *kernel.Runtime, s string) (string, bool, error) {
	n := len(`""`)
	for part := range pieces(s) {
		if err := rt.Cancelled(); err != nil {
			return "", false, err
		}
		n += json.QuotedLen(part) - len(`""`)
	}
	b, long, err := rt.Allot(n)
	if long || err != nil {
		return "", false, err
	}
	b = append(b, '"')
	for part := range pieces(s) {
		if err := rt.Cancelled(); err != nil {
			return "", false, err
		}
		b = json.AppendEscaped(b, part)
	}
	return rt.Keep(append(b, '"')), true, nil
}

// pieces yields the parts of a text of kernel.PieceBytes.
func pieces(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s != "" {
			n := min(len(s), kernel.PieceBytes)
			if !yield(s[:n]) {
				return
			}
			s = s[n:]
		}
	}
}

func boolJSON(x int64) string {
	if x != 0 {
		return "true"
	}
	return "false"
}

// bindJSONValid binds JSON_VALID: numbers and dates are not JSON, a JSON value always is.
func bindJSONValid(c *expr.Call) (kernel.Kernel, error) {
	if t := c.Args[0].Type(); t.ID != types.String {
		valid := kernel.Bit(t.ID == types.JSON)
		return func(_ *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
			for i := range out.I64 {
				out.I64[i] = valid
			}
			return nil
		}, nil
	}
	return kernel.TryUnary(func(rt *kernel.Runtime, s string) (int64, bool, error) {
		d := json.Decoder{}
		if len(s) >= kernel.LongText {
			d.Stop = rt.Cancelled
		}
		valid, err := d.Valid(s)
		return kernel.Bit(valid), true, err
	}), nil
}

// bindUnquote returns the content of a JSON string and the text of any other value. Text is a JSON
// string only if it is quoted.
func bindUnquote(c *expr.Call) (kernel.Kernel, error) {
	return kernel.TryUnary(func(rt *kernel.Runtime, s string) (string, bool, error) {
		if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
			return s, true, nil
		}
		if inner := s[1 : len(s)-1]; !strings.ContainsAny(inner, `"\`) && utf8.ValidString(inner) && !control(inner) {
			return inner, true, nil
		}
		cost := json.Cost(s)
		if err := rt.Borrow(cost); err != nil {
			return "", false, err
		}
		defer rt.Return(cost)
		v, err := json.Parse(s)
		if err != nil {
			return "", false, cast.InvalidJSON(err, "argument 1 to function json_unquote").At(rt.Call.Pos)
		}
		text := v.(string)
		_, err = rt.TooLong(len(text))
		return text, err == nil, err
	}), nil
}

func control(s string) bool { return strings.IndexFunc(s, func(c rune) bool { return c < 0x20 }) >= 0 }

func jsonKey(r *jsonRow) (string, bool, error) {
	v, err := r.doc(0)
	if err != nil {
		return "", false, err
	}
	if n := len(r.text(0)); n >= kernel.LongText {
		if err := r.borrow(keyBytes * int64(n)); err != nil {
			return "", false, err
		}
	}
	return r.rt.Done(json.AppendKey(r.rt.Buf[:0], v))
}

// jsonExtract returns the value at a path. For several paths, or a path with wildcards, it returns
// an array of all values found.
func jsonExtract(r *jsonRow) (string, bool, error) {
	if len(r.args) == 2 && r.paths[1] != nil {
		if part, found, normal := r.paths[1].Cut(r.text(0)); normal {
			return part, found, nil
		}
	}
	v, err := r.doc(0)
	if err != nil {
		return "", false, err
	}
	var found []any
	many := len(r.args) > 2
	for k := 1; k < len(r.args); k++ {
		p, err := r.path(k)
		if err != nil {
			return "", false, err
		}
		part, err := p.FindAll(v, r.borrow)
		if err != nil {
			return "", false, err
		}
		found = append(found, part...)
		many = many || p.Wild()
	}
	switch {
	case len(found) == 0:
		return "", false, nil
	case many:
		return r.write(found)
	}
	return r.write(found[0])
}

// jsonScalar implements JSON_VALUE: the text of a scalar, or NULL for null and for values that are
// not scalars.
func jsonScalar(r *jsonRow) (string, bool, error) {
	v, ok, err := r.at(1)
	switch x := v.(type) {
	case string:
		return x, ok, err
	case bool, json.Number:
		if ok && err == nil {
			return r.write(v)
		}
	}
	return "", false, err
}

func jsonLength(r *jsonRow) (int64, bool, error) {
	v, ok, err := r.at(1)
	return int64(json.Length(v)), ok, err
}

// jsonKeys returns the names of an object's members.
func jsonKeys(r *jsonRow) (string, bool, error) {
	v, ok, err := r.at(1)
	m, isObject := v.(map[string]any)
	if !ok || !isObject {
		return "", false, err
	}
	names := []any{}
	for _, k := range json.Keys(m) {
		names = append(names, k)
	}
	return r.write(names)
}

func jsonContains(r *jsonRow) (int64, bool, error) {
	target, ok, err := r.at(2)
	if !ok || err != nil {
		return 0, false, err
	}
	if n := len(r.text(0)) + len(r.text(1)); n >= kernel.LongText {
		if err := r.borrow(keyBytes * int64(n)); err != nil {
			return 0, false, err
		}
	}
	candidate, err := r.doc(1)
	return kernel.Bit(json.Contains(target, candidate)), true, err
}

// all parses the argument that is 'one' or 'all'.
func (r *jsonRow) all(k int) (bool, error) {
	switch s := strings.ToLower(r.text(k)); s {
	case "one", "all":
		return s == "all", nil
	}
	return false, sqlerr.New(sqlerr.JSONBadOneOrAll, "The oneOrAll argument to %s may take these values: 'one' or 'all'.", r.rt.Call.Fn)
}

func jsonContainsPath(r *jsonRow) (int64, bool, error) {
	v, err := r.doc(0)
	if err != nil {
		return 0, false, err
	}
	all, err := r.all(1)
	if err != nil {
		return 0, false, err
	}
	for k := 2; k < len(r.args); k++ {
		p, err := r.path(k)
		if err != nil {
			return 0, false, err
		}
		part, err := p.FindAll(v, r.borrow)
		if err != nil {
			return 0, false, err
		}
		if found := len(part) > 0; found != all {
			return kernel.Bit(found), true, nil
		}
	}
	return kernel.Bit(all), true, nil
}
