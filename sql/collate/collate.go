// Package collate converts text to keys whose bytes compare as a collation compares the text, and
// characters to representatives of those that a collation considers equal.
package collate

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"gsql/sql/types"
)

// AppendKey appends the key of a text. Two texts compare in collation c as their keys compare by
// bytes.
func AppendKey(dst []byte, c types.Collation, s string) []byte {
	return appendKey(dst, c, trimmed(c, s))
}

// trimmed returns a text without the spaces at its end that do not matter.
func trimmed(c types.Collation, s string) string {
	if c.PadSpace() {
		for len(s) > 0 && s[len(s)-1] == ' ' {
			s = s[:len(s)-1]
		}
	}
	return s
}

func appendKey(dst []byte, c types.Collation, s string) []byte {
	switch c {
	case types.Bin:
		return append(dst, s...)
	case types.GeneralCI:
		return appendGeneral(dst, s)
	}
	return appendUnicode(dst, c, s)
}

// Key returns the key appended by AppendKey as a string.
func Key(c types.Collation, s string) string {
	var room [64]byte
	return string(AppendKey(room[:0], c, s))
}

// appendGeneral appends two bytes for each character: its base capital letter, or the same two
// bytes for all characters outside the basic plane.
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

// base returns the upper-case form of r without accents.
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

// orders holds pools of collators of the Unicode Collation Algorithm; a collator can only be used
// by one goroutine at a time.
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
	if len(s) <= maxPooled {
		orders[c].Put(p)
	}
	return dst
}

// maxPooled is the maximum length in bytes of a text whose collator is reused: it keeps memory for
// the whole text.
const maxPooled = 64 << 10

// Cost returns how many bytes making the key of a long text takes at most: its collation elements,
// and the key while it grows. The figures were measured, see TestCost.
func Cost(c types.Collation, s string) int64 {
	if c == types.Bin || c == types.GeneralCI {
		return 8 * int64(len(s))
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf { // ligatures, such as those from U+FDC0 to U+FDFF, expand to as many as 18 characters
			return 48*int64(len(s)) + 512*int64(strings.Count(s, "\xef\xb7"))
		}
	}
	if c == types.UCA || c == types.UnicodeCI {
		return 10 * int64(len(s))
	}
	return 32 * int64(len(s))
}

// FoldCost returns how many bytes folding a long text takes at most.
func FoldCost(_ types.Collation, s string) int64 { return 4 * int64(len(s)) }

// asciiKeys holds the first-level keys of ASCII characters. In the root collation no two of them
// combine, so the key of a text is the concatenation of its characters' keys.
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
// collation c, for comparing texts character by character, as LIKE does.
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
