// Package collate turns text into keys that compare by bytes as a collation compares the
// text, and letters into those that it takes for the same.
package collate

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"gsql/sql/types"
)

// AppendKey appends the key of a text: two texts are equal in collation c when their
// keys are the same bytes, and else are ordered as these.
func AppendKey(dst []byte, c types.Collation, s string) []byte {
	if c.PadSpace() {
		for len(s) > 0 && s[len(s)-1] == ' ' {
			s = s[:len(s)-1]
		}
	}
	switch c {
	case types.Bin:
		return append(dst, s...)
	case types.GeneralCI:
		return appendGeneral(dst, s)
	}
	return appendUnicode(dst, c, s)
}

// Key is AppendKey as a string.
func Key(c types.Collation, s string) string {
	var room [64]byte
	return string(AppendKey(room[:0], c, s))
}

// appendGeneral writes two bytes for each character: the capital letter without accents, and
// the same two bytes for every character outside the basic plane.
func appendGeneral(dst []byte, s string) []byte {
	for _, r := range s {
		w := uint32(base(r))
		if w > 0xFFFF {
			w = utf8.RuneError
		}
		dst = append(dst, byte(w>>8), byte(w))
	}
	return dst
}

// base returns the capital letter that r is without its accents.
func base(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	var room [utf8.UTFMax]byte
	if d := norm.NFD.Properties(room[:utf8.EncodeRune(room[:], r)]).Decomposition(); len(d) > 0 {
		r, _ = utf8.DecodeRune(d)
	}
	if r == 'ß' {
		return 'S'
	}
	return unicode.ToUpper(r)
}

// orders are the Unicode Collation Algorithm's, whose state serves one goroutine at a time.
var orders = map[types.Collation]*sync.Pool{
	types.UnicodeCI: order(collate.Loose), types.UCA: order(collate.Loose),
	types.UCAAccents: order(collate.IgnoreCase), types.UCACase: order(),
}

type collator struct {
	order *collate.Collator
	buf   collate.Buffer
}

func order(opts ...collate.Option) *sync.Pool {
	return &sync.Pool{New: func() any { return &collator{order: collate.New(language.Und, opts...)} }}
}

func appendUnicode(dst []byte, c types.Collation, s string) []byte {
	if c == types.UCA || c == types.UnicodeCI {
		if key, ok := appendASCII(dst, s); ok {
			return key
		}
	}
	p := orders[c].Get().(*collator)
	p.buf.Reset()
	dst = append(dst, p.order.KeyFromString(&p.buf, s)...)
	orders[c].Put(p)
	return dst
}

// asciiKeys are the first-level keys of the characters of ASCII. In the root order no two
// of them are weighed together, so that a text's key is those of its characters.
var asciiKeys = sync.OnceValue(func() *[utf8.RuneSelf]string {
	var keys [utf8.RuneSelf]string
	order, buf := collate.New(language.Und, collate.Loose), collate.Buffer{}
	for i := range keys {
		keys[i] = string(order.KeyFromString(&buf, string(rune(i))))
		buf.Reset()
	}
	return &keys
})

func appendASCII(dst []byte, s string) (key []byte, ok bool) {
	keys, was := asciiKeys(), len(dst)
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return dst[:was], false
		}
		dst = append(dst, keys[s[i]]...)
	}
	return dst, true
}

// AppendFolded appends s with every character replaced by the representative of its class in
// collation c, for text compared character by character, as LIKE does.
func AppendFolded(out []byte, c types.Collation, s string) []byte {
	if c == types.Bin || c == types.UCACase {
		return append(out, s...)
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, s[i])
		case c == types.UCAAccents:
			out = utf8.AppendRune(out, unicode.ToUpper(r))
		default:
			out = utf8.AppendRune(out, base(r))
		}
		i += n
	}
	return out
}
