package json

import (
	"unicode/utf8"

	"gsql/sql/expr"
	"gsql/sql/json"
	"gsql/sql/kernel"
	"gsql/sql/like"
	"gsql/sql/sqlerr"
)

func registerModify() {
	pair := func(i int) bool { return i%2 == 1 }
	kernel.Register(
		kernel.Def{Name: "json_set", Bind: bindJSON(pair, changeJSON(json.Replace|json.Insert))},
		kernel.Def{Name: "json_insert", Bind: bindJSON(pair, changeJSON(json.Insert))},
		kernel.Def{Name: "json_replace", Bind: bindJSON(pair, changeJSON(json.Replace))},
		kernel.Def{Name: "json_array_append", Bind: bindJSON(pair, eachPair(func(v json.Value, p *json.Path, e json.Value) (json.Value, error) {
			return json.AppendAt(v, p, e), nil
		}))},
		kernel.Def{Name: "json_array_insert", Bind: bindJSON(pair, eachPair(insertCell))},
		kernel.Def{Name: "json_remove", Bind: bindJSON(func(i int) bool { return i > 0 }, jsonRemove)},
		kernel.Def{Name: "json_merge_preserve", Bind: bindJSON(nil, jsonMergePreserve)},
		kernel.Def{Name: "json_merge_patch", Bind: bindJSON(nil, jsonMergePatch)},
		kernel.Def{Name: "json_array", Bind: bindJSON(nil, jsonArray)},
		kernel.Def{Name: "json_object", Bind: bindJSON(nil, jsonObject)},
		kernel.Def{Name: expr.FuncJSONPair, Bind: bindJSON(nil, jsonObject)},
	)
}

// value decodes argument k; NULL becomes null.
func (r *jsonRow) value(k int) (json.Value, error) {
	if r.null(k) {
		return nil, nil
	}
	return r.doc(k)
}

// eachPair applies f to the document in argument 0 with each of the following pairs of a path and a
// value.
func eachPair(f func(v json.Value, p *json.Path, e json.Value) (json.Value, error)) func(*jsonRow) (string, bool, error) {
	return func(r *jsonRow) (string, bool, error) {
		if r.null(0) {
			return "", false, nil
		}
		v, err := r.doc(0)
		for k := 1; k < len(r.args) && err == nil; k += 2 {
			if r.null(k) {
				return "", false, nil
			}
			p, perr := r.place(k)
			if perr != nil {
				return "", false, perr
			}
			var e json.Value
			if e, err = r.value(k + 1); err == nil {
				v, err = f(v, p, e)
			}
		}
		if err != nil {
			return "", false, err
		}
		return r.write(v)
	}
}

func changeJSON(how json.Edit) func(*jsonRow) (string, bool, error) {
	return eachPair(func(v json.Value, p *json.Path, e json.Value) (json.Value, error) {
		return json.Change(v, p, e, how), nil
	})
}

func insertCell(v json.Value, p *json.Path, e json.Value) (json.Value, error) {
	if !p.EndsInCell() {
		return nil, sqlerr.New(sqlerr.InvalidJSONPathArrayCell, "A path expression is not a path to a cell in an array.")
	}
	return json.InsertAt(v, p, e), nil
}

func jsonRemove(r *jsonRow) (string, bool, error) {
	v, err := r.doc(0)
	for k := 1; k < len(r.args) && err == nil; k++ {
		p, perr := r.place(k)
		switch {
		case perr != nil:
			return "", false, perr
		case p.Root():
			return "", false, sqlerr.New(sqlerr.JSONVacuousPath, "The path expression '$' is not allowed in this context.")
		}
		v = json.Remove(v, p)
	}
	if err != nil {
		return "", false, err
	}
	return r.write(v)
}

func jsonMergePreserve(r *jsonRow) (string, bool, error) {
	v, err := r.doc(0)
	for k := 1; k < len(r.args) && err == nil; k++ {
		var w json.Value
		if w, err = r.doc(k); err == nil {
			v = json.MergePreserve(v, w)
		}
	}
	if err != nil {
		return "", false, err
	}
	return r.write(v)
}

// jsonMergePatch implements JSON_MERGE_PATCH. A NULL makes the result NULL until a later patch that
// is not an object replaces everything.
func jsonMergePatch(r *jsonRow) (string, bool, error) {
	null := r.null(0)
	v, err := r.value(0)
	for k := 1; k < len(r.args) && err == nil; k++ {
		if r.null(k) {
			null = true
			continue
		}
		patch, perr := r.doc(k)
		if perr != nil {
			return "", false, perr
		}
		if _, isObject := patch.(map[string]any); !isObject {
			null = false
		}
		v = json.MergePatch(v, patch)
	}
	if null || err != nil {
		return "", false, err
	}
	return r.write(v)
}

func jsonArray(r *jsonRow) (string, bool, error) {
	r.parts = r.parts[:0]
	n := 2 + 2*max(len(r.args)-1, 0)
	for k := range r.args {
		part, err := r.part(k)
		if err != nil {
			return "", false, err
		}
		r.parts = append(r.parts, part)
		n += len(part)
	}
	dst, long, err := r.rt.Allot(n)
	if long || err != nil {
		return "", false, err
	}
	dst = append(dst, '[')
	for k, part := range r.parts {
		if k > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, part...)
	}
	return r.rt.Keep(append(dst, ']')), true, nil
}

// part returns the text of argument k in normal form; NULL becomes null.
func (r *jsonRow) part(k int) (string, error) {
	if r.null(k) {
		return "null", nil
	}
	text := r.text(k)
	if json.Normal(text) {
		return text, nil
	}
	v, err := r.decode(text)
	if err != nil {
		return "", err
	}
	if n := json.Size(v); n >= kernel.LongText {
		if err := r.borrow(int64(n)); err != nil {
			return "", err
		}
	}
	return string(json.Append(nil, v)), nil
}

// jsonObject implements JSON_OBJECT. Its arguments are alternately names and values; of members
// with equal names, the last one wins.
func jsonObject(r *jsonRow) (string, bool, error) {
	r.members = r.members[:0]
	for k := 0; k < len(r.args); k += 2 {
		if r.null(k) {
			return "", false, sqlerr.New(sqlerr.JSONNullKey, "JSON documents may not contain NULL member names.")
		}
		part, err := r.part(k + 1)
		if err != nil {
			return "", false, err
		}
		r.members = append(r.members, json.Member{Name: r.text(k), Value: part})
	}
	members := json.SortMembers(r.members)
	n := 2 + 2*max(len(members)-1, 0)
	for _, m := range members {
		n += json.QuotedLen(m.Name) + 2 + len(m.Value)
	}
	dst, long, err := r.rt.Allot(n)
	if long || err != nil {
		return "", false, err
	}
	return r.rt.Keep(json.AppendSorted(dst, members)), true, nil
}

// jsonSearch implements JSON_SEARCH(doc, one or all, pattern[, escape[, path...]]).
func jsonSearch(r *jsonRow) (string, bool, error) {
	for k := range r.args {
		if k != 3 && r.null(k) {
			return "", false, nil
		}
	}
	v, err := r.doc(0)
	if err != nil {
		return "", false, err
	}
	all, err := r.all(1)
	if err != nil {
		return "", false, err
	}
	escape := '\\'
	if len(r.args) > 3 && !r.null(3) && r.text(3) != "" {
		c, n := utf8.DecodeRuneInString(r.text(3))
		if escape = c; n != len(r.text(3)) {
			return "", false, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to ESCAPE")
		}
	}
	if err := r.borrow(like.Cost(r.text(2))); err != nil {
		return "", false, err
	}
	found, err := r.searchIn(v, all, like.Compile(r.text(2), escape))
	switch {
	case err != nil || len(found) == 0:
		return "", false, err
	case len(found) == 1:
		return r.write(found[0])
	}
	return r.write(found)
}

// searchIn searches for strings below the paths from argument 4 on, or in the whole document.
func (r *jsonRow) searchIn(v json.Value, all bool, match func(string) bool) (found []any, err error) {
	within := []*json.Path{json.RootPath}
	if len(r.args) > 4 {
		within = nil
	}
	for k := 4; k < len(r.args); k++ {
		p, err := r.path(k)
		if err != nil {
			return nil, err
		}
		within = append(within, p)
	}
	known := map[string]bool{}
	for _, p := range within {
		paths, err := p.Search(v, all, match, r.borrow)
		if err != nil {
			return nil, err
		}
		for _, at := range paths {
			if len(within) == 1 || !known[at] {
				found = append(found, at)
			}
			if !all {
				return found, nil
			}
			if len(within) > 1 {
				known[at] = true
			}
		}
	}
	return found, nil
}
