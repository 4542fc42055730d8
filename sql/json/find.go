package json

import (
	"slices"
	"strconv"
)

// Find returns the value of v that a path without wildcards selects, in a slice of one or none.
func (p *Path) Find(v Value) []Value {
	for _, l := range p.legs {
		var ok bool
		if v, ok = l.one(v); !ok {
			return nil
		}
	}
	return []Value{v}
}

// FindAll returns the values of v that the path selects, in document order. It calls reserve, which
// may refuse, for the memory that the search takes if it is much.
func (p *Path) FindAll(v Value, reserve func(bytes int64) error) (found []Value, err error) {
	if !p.wildcard {
		return p.Find(v), nil
	}
	recursion := slices.ContainsFunc(p.legs, func(l leg) bool { return l.kind == recursive })
	all, err := p.places(v, recursion, reserve)
	if err != nil {
		return nil, err
	}
	if len(all) > 0 {
		found = make([]Value, len(all))
	}
	for i, at := range all {
		found[i] = at.v
	}
	return found, nil
}

// places returns the values that the path selects, with their paths if trace is set.
func (p *Path) places(v Value, trace bool, reserve func(bytes int64) error) ([]place, error) {
	f := finder{trace: trace, met: map[state]bool{}, meter: meter{reserve: reserve}}
	f.walk(place{v: v, at: "$"}, p.legs)
	return f.found, f.err
}

// meter reserves memory in large steps.
type meter struct {
	reserve func(bytes int64) error
	open    int64 // bytes taken and not reserved
	err     error // a refusal
}

// take notes bytes and reports whether there is memory for them.
func (m *meter) take(bytes int) bool {
	if m.open += int64(bytes); m.open >= costly && m.err == nil {
		m.err = m.reserve(m.open)
		m.open = 0
	}
	return m.err == nil
}

// one follows a leg without wildcards. A value that is not an array counts as an array with one
// cell.
func (l leg) one(v Value) (Value, bool) {
	if l.kind == member {
		m, _ := v.(map[string]any)
		e, ok := m[l.key]
		return e, ok
	}
	a, ok := v.([]any)
	if !ok {
		return v, l.from.of(1) == 0
	}
	if i := l.from.of(len(a)); i >= 0 && i < len(a) {
		return a[i], true
	}
	return nil, false
}

// place is a value and the path to it.
type place struct {
	v  Value
	at string // only set if the finder traces paths
}

// finder follows a path with wildcards.
type finder struct {
	meter
	found []place
	trace bool // record paths, and each place only once: ** may reach a place in several ways
	met   map[state]bool
}

// state is a place and the number of steps that remain from there, or from below it too.
type state struct {
	at    string
	left  int
	below bool
}

// meet reports whether f comes to a state for the first time.
func (f *finder) meet(s state) bool {
	if f.met[s] || !f.take(placeCost) {
		return false
	}
	f.met[s] = true
	return true
}

func (f *finder) walk(p place, legs []leg) {
	if len(legs) == 0 {
		if f.trace && !f.meet(state{at: p.at}) || !f.trace && !f.take(placeCost) {
			return
		}
		f.found = append(f.found, p)
		return
	}
	l, rest := legs[0], legs[1:]
	if l.kind == recursive {
		f.descend(p, rest)
		return
	}
	switch x := p.v.(type) {
	case map[string]any:
		switch l.kind {
		case member:
			if e, ok := x[l.key]; ok {
				f.walk(f.below(p, e, l.key, -1), rest)
			}
			return
		case members:
			for _, k := range Keys(x) {
				f.walk(f.below(p, x[k], k, -1), rest)
			}
			return
		}
	case []any:
		lo, hi := l.span(len(x))
		for i := max(lo, 0); i <= min(hi, len(x)-1); i++ {
			f.walk(f.below(p, x[i], "", i), rest)
		}
		return
	}
	if lo, hi := l.span(1); lo <= 0 && hi >= 0 && l.kind != allCells {
		f.walk(p, rest)
	}
}

// span returns the range of cells that the leg selects in an array of length n; it is empty for
// legs of objects.
func (l leg) span(n int) (lo, hi int) {
	switch l.kind {
	case cell:
		return l.from.of(n), l.from.of(n)
	case cells:
		return l.from.of(n), l.to.of(n)
	case allCells:
		return 0, n - 1
	}
	return 0, -1
}

// descend follows the rest of a path from p and from everything below it.
func (f *finder) descend(p place, rest []leg) {
	if !f.meet(state{p.at, len(rest), true}) {
		return
	}
	f.walk(p, rest)
	switch x := p.v.(type) {
	case map[string]any:
		for _, k := range Keys(x) {
			f.descend(f.below(p, x[k], k, -1), rest)
		}
	case []any:
		for i, e := range x {
			f.descend(f.below(p, e, "", i), rest)
		}
	}
}

func (f *finder) below(p place, v Value, key string, i int) place {
	if !f.trace {
		return place{v: v}
	}
	if !f.take(len(p.at) + len(key) + stepCost) { // the walk goes on without paths and ends soon
		return place{}
	}
	return place{v: v, at: step(p.at, key, i)}
}

// Bytes that a place takes in the list of those found, which grows, in that of values, and among the
// places met; and those of a step of a path beyond its name.
const (
	placeCost = 160
	stepCost  = 48
)

// step returns the path of a member (i < 0) or a cell of the value at path at.
func step(at, key string, i int) string {
	if i >= 0 {
		return at + "[" + strconv.Itoa(i) + "]"
	}
	return at + "." + quotedName(key)
}

// quotedName formats a member's name as in a path.
func quotedName(key string) string {
	r := pathReader{text: key}
	if name, ok := r.name(); ok && name == key {
		return key
	}
	return string(AppendString(nil, key))
}
