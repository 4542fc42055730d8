package json

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gsql/sql/sqlerr"
)

// Path is a path expression such as $.a[0].*.
type Path struct {
	legs     []leg
	wildcard bool // may select several values
}

// leg is one step of a path.
type leg struct {
	kind     legKind
	key      string
	from, to index // cell: from; cells: both
}

type legKind uint8

const (
	member    legKind = iota // .key
	members                  // .*
	cell                     // [n]
	allCells                 // [*]
	cells                    // [m to n]
	recursive                // **
)

// index is the number of an array cell, counted from the first cell or back from the last.
type index struct {
	n    int
	last bool
}

// of returns the position in an array of length n; it may be out of range.
func (x index) of(n int) int {
	if x.last {
		return n - 1 - x.n
	}
	return x.n
}

// Root reports whether the path is just $.
func (p *Path) Root() bool { return len(p.legs) == 0 }

// Wild reports whether the path has wildcards or ranges, so that it may select several values.
func (p *Path) Wild() bool { return p.wildcard }

// maxLegs is the maximum number of steps of a path: following them is recursive.
const maxLegs = 1000

// ParsePath parses a path expression. It returns error 3143 if the expression is invalid.
func ParsePath(text string) (*Path, error) {
	r := pathReader{text: text}
	r.spaces()
	if !r.accept("$") {
		return nil, r.fail()
	}
	p := &Path{}
	for r.spaces(); r.pos < len(text); r.spaces() {
		l, ok := r.leg()
		if !ok {
			return nil, r.fail()
		}
		if len(p.legs) == maxLegs {
			return nil, r.fail().WithHint("A path has at most %d steps.", maxLegs)
		}
		p.wildcard = p.wildcard || l.kind != member && l.kind != cell
		p.legs = append(p.legs, l)
	}
	if n := len(p.legs); n > 0 && p.legs[n-1].kind == recursive {
		return nil, r.fail()
	}
	return p, nil
}

type pathReader struct {
	text string
	pos  int
}

func (r *pathReader) fail() *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidJSONPath, "Invalid JSON path expression. The error is around character position %d.", utf8.RuneCountInString(r.text[:r.pos])+1).
		WithHint("A path is $ and steps such as .name, .\"any name\", [3], [last], .*, [*] or **.")
}

func (r *pathReader) spaces() {
	for r.pos < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.pos]) >= 0 {
		r.pos++
	}
}

func (r *pathReader) accept(s string) bool {
	if !strings.HasPrefix(r.text[r.pos:], s) {
		return false
	}
	r.pos += len(s)
	return true
}

func (r *pathReader) leg() (leg, bool) {
	switch {
	case r.accept("**"):
		return leg{kind: recursive}, true
	case r.accept("."):
		r.spaces()
		if r.accept("*") {
			return leg{kind: members}, true
		}
		key, ok := r.name()
		return leg{kind: member, key: key}, ok
	case r.accept("["):
		l, ok := r.cell()
		r.spaces()
		return l, ok && r.accept("]")
	}
	return leg{}, false
}

// name parses a member's name, which is quoted unless it is an identifier.
func (r *pathReader) name() (string, bool) {
	rest := r.text[r.pos:]
	if strings.HasPrefix(rest, `"`) {
		end := closingQuote(rest)
		if end < 0 {
			return "", false
		}
		r.pos += end + 1
		var key string
		err := json.Unmarshal([]byte(rest[:end+1]), &key)
		return key, err == nil
	}
	n := 0
	for i, c := range rest {
		if c != '_' && c != '$' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c) && !unicode.Is(unicode.M, c)) {
			break
		}
		n = i + utf8.RuneLen(c)
	}
	r.pos += n
	return rest[:n], n > 0
}

// closingQuote returns the position of the quote that ends the string at the beginning of s, or
// -1.
func closingQuote(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

func (r *pathReader) cell() (leg, bool) {
	r.spaces()
	if r.accept("*") {
		return leg{kind: allCells}, true
	}
	l := leg{kind: cell}
	var ok bool
	if l.from, ok = r.index(); !ok {
		return l, false
	}
	before := r.pos
	if r.spaces(); r.pos == before || !r.accept("to ") {
		return l, true
	}
	l.kind = cells
	r.spaces()
	l.to, ok = r.index()
	switch {
	case !ok, l.from.last == l.to.last && !l.from.last && l.from.n > l.to.n, l.from.last && l.to.last && l.from.n < l.to.n:
		return l, false
	}
	return l, true
}

func (r *pathReader) index() (x index, ok bool) {
	if r.accept("last") {
		before := r.pos
		if r.spaces(); !r.accept("-") {
			r.pos = before
			return index{last: true}, true
		}
		r.spaces()
		x.last = true
	}
	start := r.pos
	for r.pos < len(r.text) && r.text[r.pos]-'0' <= 9 {
		r.pos++
	}
	n, err := strconv.ParseUint(r.text[start:r.pos], 10, 32)
	x.n = int(n)
	return x, err == nil
}
