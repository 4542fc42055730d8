package json

import (
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
			r.rt.Buf = json.AppendPretty(r.rt.Buf[:0], v)
			return r.rt.Text(r.rt.Buf), true, err
		})},
		kernel.Def{Name: "json_extract", Bind: bindJSON(document, jsonExtract)},
		kernel.Def{Name: "json_value", Bind: bindJSON(document, jsonScalar)},
		kernel.Def{Name: "json_length", Bind: bindJSON(document, jsonLength)},
		kernel.Def{Name: "json_keys", Bind: bindJSON(document, jsonKeys)},
		kernel.Def{Name: "json_contains", Bind: bindJSON(func(i int) bool { return i == 2 }, jsonContains)},
		kernel.Def{Name: "json_contains_path", Bind: bindJSON(func(i int) bool { return i > 1 }, jsonContainsPath)},
		kernel.Def{Name: "json_search", Bind: bindJSON(func(i int) bool { return i > 3 }, jsonSearch)},
		kernel.Def{Name: "json_overlaps", Bind: bindJSON(nil, func(r *jsonRow) (int64, bool, error) {
			a, b, err := r.two(0, 1)
			return kernel.Bit(json.Overlaps(a, b)), true, err
		})},
		kernel.Def{Name: expr.FuncMemberOf, Bind: bindJSON(nil, func(r *jsonRow) (int64, bool, error) {
			v, list, err := r.two(0, 1)
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

	members []json.Member // reused for the members of an object
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

// decode decodes a text in normal form.
func (r *jsonRow) decode(text string) (json.Value, error) {
	if len(text) < json.LongText {
		return json.Must(text)
	}
	return (&json.Decoder{Stop: r.rt.Cancelled}).Must(text)
}

func (r *jsonRow) two(i, k int) (a, b json.Value, err error) {
	if a, err = r.doc(i); err == nil {
		b, err = r.doc(k)
	}
	return a, b, err
}

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
			v, err = json.Must(part)
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
func (r *jsonRow) write(v json.Value) string {
	r.rt.Buf = json.Append(r.rt.Buf[:0], v)
	return r.rt.Text(r.rt.Buf)
}

func quoteJSON(rt *kernel.Runtime, s string) (string, bool, error) {
	rt.Buf = json.AppendString(rt.Buf[:0], s)
	return rt.Text(rt.Buf), true, nil
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
		if len(s) < json.LongText {
			_, err := json.Parse(s)
			return kernel.Bit(err == nil), true, nil
		}
		_, err := (&json.Decoder{Stop: rt.Cancelled}).Parse(s)
		return kernel.Bit(err == nil), true, rt.Cancelled()
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
		v, err := json.Parse(s)
		if err != nil {
			return "", false, cast.InvalidJSON(err, "argument 1 to function json_unquote").At(rt.Call.Pos)
		}
		return v.(string), true, nil
	}), nil
}

func control(s string) bool { return strings.IndexFunc(s, func(c rune) bool { return c < 0x20 }) >= 0 }

func jsonKey(r *jsonRow) (string, bool, error) {
	v, err := r.doc(0)
	r.rt.Buf = json.AppendKey(r.rt.Buf[:0], v)
	return r.rt.Text(r.rt.Buf), true, err
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
		found = append(found, p.Find(v)...)
		many = many || p.Wild()
	}
	switch {
	case len(found) == 0:
		return "", false, nil
	case many:
		return r.write(found), true, nil
	}
	return r.write(found[0]), true, nil
}

// jsonScalar implements JSON_VALUE: the text of a scalar, or NULL for null and for values that are
// not scalars.
func jsonScalar(r *jsonRow) (string, bool, error) {
	v, ok, err := r.at(1)
	switch x := v.(type) {
	case string:
		return x, ok, err
	case bool, json.Number:
		return r.write(v), ok, err
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
	return r.write(names), true, nil
}

func jsonContains(r *jsonRow) (int64, bool, error) {
	target, ok, err := r.at(2)
	if !ok || err != nil {
		return 0, false, err
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
		if found := len(p.Find(v)) > 0; found != all {
			return kernel.Bit(found), true, nil
		}
	}
	return kernel.Bit(all), true, nil
}
