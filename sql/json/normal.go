package json

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Memory accounts for what AppendNormal allocates. A kernel.Runtime implements it.
type Memory interface {
	// Extend returns b, which is the result so far, with capacity for n more bytes.
	Extend(b []byte, n int) ([]byte, error)
	// Borrow reserves n bytes and Return releases them.
	Borrow(n int64) error
	Return(n int64)
	// Cancelled returns the error of a cancelled statement.
	Cancelled() error
}

// AppendNormal appends the normal form of a JSON text without decoding it: apart from the result it
// needs memory only for the members of objects. mem may be nil. Errors: those of Parse and of mem.
func AppendNormal(dst []byte, text string, mem Memory) ([]byte, error) {
	n := normaliser{lexer: lexer{text: text}, out: dst, mem: mem}
	if mem != nil {
		n.stop = mem.Cancelled
	}
	ok := n.value(1)
	if n.borrowed > 0 {
		mem.Return(n.borrowed)
	}
	if err := cmp.Or(n.full, n.err); err != nil {
		return dst, err
	}
	if err := n.failure(ok); err != nil {
		return dst, err
	}
	return n.out, n.late
}

// Valid reports whether Parse would accept a text. The error is that of Stop.
func (d *Decoder) Valid(text string) (bool, error) {
	n := normaliser{lexer: lexer{text: text}, stopper: stopper{stop: d.Stop}, check: true}
	ok := n.value(1) && n.ended() && (!n.wide || utf8.ValidString(text)) && n.late == nil
	return ok, n.err
}

// normaliser writes the values that it reads.
type normaliser struct {
	lexer
	stopper
	out      []byte
	mem      Memory // or nil
	borrowed int64  // from mem
	check    bool   // nothing is written
	members  []span // of the open objects
	sorted   []byte // reused to put the members of an object in order
	late     error  // the first error of a text whose syntax is right
	full     error  // memory was refused
}

// span is a member of an object in the output.
type span struct {
	name     string
	from, to int
}

func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// room makes room for n bytes of output.
func (n *normaliser) room(bytes int) bool {
	if cap(n.out)-len(n.out) >= bytes {
		return true
	}
	if n.mem == nil {
		n.out = slices.Grow(n.out, bytes)
	} else {
		n.out, n.full = n.mem.Extend(n.out, bytes)
	}
	return n.full == nil
}

// borrow reserves memory for what is much and not output.
func (n *normaliser) borrow(bytes int) bool {
	if n.mem == nil || bytes < costly {
		return true
	}
	if n.full = n.mem.Borrow(int64(bytes)); n.full == nil {
		n.borrowed += int64(bytes)
	}
	return n.full == nil
}

// add notes a member of an object.
func (n *normaliser) add(m span) bool {
	if size := 2 * cap(n.members); len(n.members) == cap(n.members) && !n.borrow(size*int(unsafe.Sizeof(m))) {
		return false
	}
	if n.members == nil {
		n.members = make([]span, 0, 8)
	}
	n.members = append(n.members, m)
	return true
}

// put writes a token.
func (n *normaliser) put(s string) bool {
	if n.check {
		return true
	}
	if !n.room(len(s)) {
		return false
	}
	n.out = append(n.out, s...)
	return true
}

func (n *normaliser) value(depth int) bool {
	if n.stopped() {
		return false
	}
	if depth > MaxDepth && n.late == nil {
		n.late = errTooDeep()
	}
	switch c := n.next(); {
	case c == '{' && depth <= maxNesting:
		return n.object(depth)
	case c == '[' && depth <= maxNesting:
		return n.array(depth)
	case c == '"':
		return n.string()
	case c == '-' || c-'0' <= 9:
		return n.numeral()
	case c == 'n':
		return n.word("null") && n.put("null")
	case c == 't':
		return n.word("true") && n.put("true")
	case c == 'f':
		return n.word("false") && n.put("false")
	}
	return false
}

// string writes a string. One without escapes is in normal form already.
func (n *normaliser) string() bool {
	start := n.pos
	escapes, ok := n.skipString()
	if !ok || n.check {
		return ok
	}
	s := n.text[start:n.pos]
	if !escapes {
		return n.put(s)
	}
	s = unescape(s[1 : len(s)-1])
	if !n.room(QuotedLen(s)) {
		return false
	}
	n.out = AppendString(n.out, s)
	return true
}

func (n *normaliser) numeral() bool {
	s, ok := n.number()
	if !ok {
		return false
	}
	v, err := normalNumber(s)
	if err != nil && n.late == nil {
		n.late = err
	}
	return n.put(string(v))
}

func (n *normaliser) array(depth int) bool {
	n.pos++
	if !n.put("[") {
		return false
	}
	if n.next() == ']' {
		n.pos++
		return n.put("]")
	}
	for n.value(depth + 1) {
		switch n.next() {
		case ',':
			n.pos++
			if !n.put(", ") {
				return false
			}
		case ']':
			n.pos++
			return n.put("]")
		default:
			return false
		}
	}
	return false
}

func (n *normaliser) object(depth int) bool {
	n.pos++
	if !n.put("{") {
		return false
	}
	if n.next() == '}' {
		n.pos++
		return n.put("}")
	}
	base, start := len(n.members), len(n.out)
	for {
		from := len(n.out)
		name, ok := n.member()
		if !ok || !n.value(depth+1) {
			return false
		}
		if !n.check && !n.add(span{name, from, len(n.out)}) {
			return false
		}
		switch n.next() {
		case ',':
			n.pos++
			if !n.put(", ") {
				return false
			}
		case '}':
			n.pos++
			return n.order(base, start) && n.put("}")
		default:
			return false
		}
	}
}

// member reads the name of a member and writes it.
func (n *normaliser) member() (name string, ok bool) {
	if n.next() != '"' {
		return "", false
	}
	start := n.pos
	escapes, ok := n.skipString()
	token := n.text[start:n.pos]
	if !ok || n.next() != ':' {
		return "", false
	}
	n.pos++
	if name = token[1 : len(token)-1]; !escapes {
		return name, n.put(token) && n.put(": ")
	}
	name = unescape(name)
	if n.check {
		return name, true
	}
	if !n.room(QuotedLen(name) + 2) {
		return "", false
	}
	n.out = append(AppendString(n.out, name), ": "...)
	return name, true
}

// order sorts the members of an object that begins at start of the output; of members with equal
// names, the last one remains.
func (n *normaliser) order(base, start int) bool {
	list := n.members[base:]
	n.members = n.members[:base]
	before := func(a, b span) int {
		return cmp.Or(cmp.Compare(len(a.name), len(b.name)), strings.Compare(a.name, b.name))
	}
	ordered := true
	for i := 1; i < len(list) && ordered; i++ {
		ordered = before(list[i-1], list[i]) < 0
	}
	if ordered {
		return true
	}
	size := len(n.out) - start
	if cap(n.sorted) < size {
		if !n.borrow(size) {
			return false
		}
		n.sorted = make([]byte, 0, size)
	}
	slices.SortStableFunc(list, before)
	b := n.sorted[:0]
	for i, m := range list {
		if i+1 < len(list) && list[i+1].name == m.name {
			continue
		}
		if len(b) > 0 {
			b = append(b, ", "...)
		}
		b = append(b, n.out[m.from:m.to]...)
	}
	n.sorted, n.out = b, append(n.out[:start], b...)
	return true
}
