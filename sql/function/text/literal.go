package text

import (
	"unicode/utf8"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

func registerLiteral() {
	kernel.Register(
		kernel.Def{Name: "quote", Bind: kernel.Fn(quote), Total: kernel.Always},
		kernel.Def{Name: expr.FuncChar, Bind: kernel.Fn(charOf), Total: kernel.Always},
		kernel.Def{Name: "soundex", Bind: kernel.Fn(kernel.TryUnary(soundex)), Total: kernel.Always},
	)
}

// quote returns a string literal, or the word NULL for NULL.
func quote(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	for i := range out.Str {
		if kernel.NullAt(args[0], i) {
			out.Str[i] = "NULL"
			continue
		}
		s := args[0].Str[i&kernel.Mask(args[0])]
		b, long, err := rt.Allot(quotedLength(s))
		if err != nil {
			return err
		}
		if long {
			out.SetNull(i)
			continue
		}
		for b = append(b, '\''); s != ""; s = s[1:] {
			switch s[0] {
			case 0:
				b = append(b, '\\', '0')
			case 0x1a:
				b = append(b, '\\', 'Z')
			case '\'', '\\':
				b = append(b, '\\', s[0])
			default:
				b = append(b, s[0])
			}
		}
		out.Str[i] = rt.Keep(append(b, '\''))
	}
	return nil
}

// quotedLength returns the length of a string literal.
func quotedLength(s string) int {
	n := len(s) + 2
	for i := range len(s) {
		switch s[i] {
		case 0, 0x1a, '\'', '\\':
			n++
		}
	}
	return n
}

// charOf makes a string of the bytes of each code, most significant first. It omits NULLs.
func charOf(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	for i := range out.Str {
		b := rt.Buf[:0]
		for _, a := range args {
			if kernel.NullAt(a, i) {
				continue
			}
			code := uint32(a.I64[i&kernel.Mask(a)])
			for shift := 24; shift >= 0; shift -= 8 {
				if shift == 0 || code>>shift != 0 {
					b = append(b, byte(code>>shift))
				}
			}
		}
		rt.Buf, out.Str[i] = b, rt.Text(b)
	}
	return nil
}

// soundexCodes are the codes of the letters A to Z. Vowels, H, W and Y have 0.
const soundexCodes = "01230120022455012623010202"

// soundex implements the original algorithm, which drops vowels before duplicates. The result has
// no maximum length and at least four characters.
func soundex(rt *kernel.Runtime, s string) (string, bool, error) {
	b, _, err := rt.Allot(min(len(s)+4, kernel.MaxText))
	if err != nil {
		return "", false, err
	}
	var last byte
	for _, r := range s {
		code := byte('0') // letters beyond ASCII count as vowels
		switch {
		case r|0x20 >= 'a' && r|0x20 <= 'z':
			r &^= 0x20
			code = soundexCodes[r-'A']
		case r < 0xc0:
			continue
		}
		switch {
		case len(b) == 0:
			b, last = utf8.AppendRune(b, r), code
		case code != '0' && code != last:
			b, last = append(b, code), code
		}
	}
	for n := utf8.RuneCount(b); n > 0 && n < 4; n++ {
		b = append(b, '0')
	}
	return rt.Keep(b), true, nil
}
