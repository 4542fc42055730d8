package json

import (
	"maps"
	"slices"
)

// Edit specifies what Change does at a path.
type Edit uint8

// The edits. They can be combined.
const (
	Replace Edit = 1 << iota // replace an existing value
	Insert                   // insert a missing member, or a cell after the end of an array
)

// Change returns v with the value at the path replaced or inserted. If the parent of that value
// does not exist, v is unchanged. The path has no wildcards.
func Change(v Value, p *Path, to Value, how Edit) Value { return change(v, p.legs, to, how) }

func change(v Value, legs []leg, to Value, how Edit) Value {
	if len(legs) == 0 {
		if how&Replace != 0 {
			return to
		}
		return v
	}
	l, rest := legs[0], legs[1:]
	add := len(rest) == 0 && how&Insert != 0
	if l.kind == member {
		m, ok := v.(map[string]any)
		if !ok {
			return v
		}
		if e, ok := m[l.key]; ok {
			m[l.key] = change(e, rest, to, how)
		} else if add {
			m[l.key] = to
		}
		return v
	}
	a, ok := v.([]any)
	if !ok {
		if i := l.from.of(1); i == 0 {
			return change(v, rest, to, how)
		} else if add {
			return slices.Insert([]any{v}, max(min(i, 1), 0), to)
		}
		return v
	}
	switch i := l.from.of(len(a)); {
	case i >= 0 && i < len(a):
		a[i] = change(a[i], rest, to, how)
	case add:
		return slices.Insert(a, max(min(i, len(a)), 0), to)
	}
	return a
}

// Remove returns v without the value at the path, which has no wildcards and is not $.
func Remove(v Value, p *Path) Value { return remove(v, p.legs) }

func remove(v Value, legs []leg) Value {
	l, rest := legs[0], legs[1:]
	if l.kind == member {
		m, ok := v.(map[string]any)
		if e, has := m[l.key]; !ok || !has {
			return v
		} else if len(rest) > 0 {
			m[l.key] = remove(e, rest)
			return v
		}
		delete(m, l.key)
		return v
	}
	a, ok := v.([]any)
	if !ok {
		if len(rest) > 0 && l.from.of(1) == 0 {
			return remove(v, rest)
		}
		return v
	}
	i := l.from.of(len(a))
	switch {
	case i < 0 || i >= len(a):
		return v
	case len(rest) > 0:
		a[i] = remove(a[i], rest)
		return v
	}
	return slices.Delete(a, i, i+1)
}

// AppendAt returns v with e appended to the array at the path; any other value there becomes the
// first element of a new array.
func AppendAt(v Value, p *Path, e Value) Value {
	found := p.Find(v)
	if len(found) == 0 {
		return v
	}
	if a, ok := found[0].([]any); ok {
		return Change(v, p, append(a, e), Replace)
	}
	return Change(v, p, []any{found[0], e}, Replace)
}

// EndsInCell reports whether the path's last leg is an array cell.
func (p *Path) EndsInCell() bool {
	return len(p.legs) > 0 && p.legs[len(p.legs)-1].kind == cell
}

// InsertAt returns v with e inserted before the cell that the path ends in.
func InsertAt(v Value, p *Path, e Value) Value {
	n := len(p.legs) - 1
	parent := &Path{legs: p.legs[:n]}
	found := parent.Find(v)
	if len(found) == 0 {
		return v
	}
	a, ok := found[0].([]any)
	if !ok {
		return v
	}
	i := max(min(p.legs[n].from.of(len(a)), len(a)), 0)
	return Change(v, parent, slices.Insert(a, i, e), Replace)
}

// MergePatch applies a patch to v according to RFC 7396.
func MergePatch(v, patch Value) Value {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	m, ok := v.(map[string]any)
	if !ok {
		m = map[string]any{}
	}
	for k, e := range changes {
		if e == nil {
			delete(m, k)
		} else {
			m[k] = MergePatch(m[k], e)
		}
	}
	return m
}

// MergePreserve merges two values without losing parts of either: objects member by member, other
// values as arrays.
func MergePreserve(a, b Value) Value {
	x, isObject := a.(map[string]any)
	if y, ok := b.(map[string]any); ok && isObject {
		for k, e := range y {
			if old, ok := x[k]; ok {
				e = MergePreserve(old, e)
			}
			x[k] = e
		}
		return x
	}
	return append(asArray(a), asArray(b)...)
}

func asArray(v Value) []any {
	if a, ok := v.([]any); ok {
		return a
	}
	return []any{v}
}

// Join merges an array of objects, given as text, into one object; of members with equal names,
// the last one wins. The error may be that of stop, which is called again and again.
func Join(list string, stop func() error) (string, error) {
	v, err := (&Decoder{Stop: stop}).Must(list)
	if err != nil {
		return "", err
	}
	all := map[string]any{}
	for _, m := range v.([]any) {
		maps.Copy(all, m.(map[string]any))
	}
	if err := stop(); err != nil {
		return "", err
	}
	dst := append(make([]byte, 0, Size(all)), '{')
	for i, k := range Keys(all) {
		if err := stop(); err != nil {
			return "", err
		}
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = Append(append(AppendString(dst, k), ": "...), all[k])
	}
	return string(append(dst, '}')), nil
}
