package text

import (
	"unicode/utf8"
	"unsafe"

	"gsql/sql/kernel"
	"gsql/sql/vec"
)

// Short texts made for a batch share one block of memory.

// lengthOf returns the total number of bytes of the texts of n rows.
func lengthOf(v *vec.Vector, n int) (bytes int) {
	if v.Form == vec.Const {
		return n * len(v.Str[0])
	}
	for i, s := range v.Str[:n] {
		if v.Null == nil || !v.Null[i] {
			bytes += len(s)
		}
	}
	return bytes
}

// inCase converts texts to one case. Results of ASCII texts share one block.
func inCase(rt *kernel.Runtime, v, out *vec.Vector, to func(rune) rune, from byte) error {
	total, m := lengthOf(v, len(out.Str)), kernel.Mask(v)
	if total > maxTogether {
		return inCaseApart(rt, v, out, to, from)
	}
	room := make([]byte, total)
	for i := range out.Str {
		if rt.IsNull(out, i) {
			continue
		}
		s := v.Str[i&m]
		switch some, ascii := kernel.OtherCase(room, s, from); {
		case ascii && some:
			out.Str[i] = unsafe.String(unsafe.SliceData(room), len(s))
			room = room[len(s):]
		case ascii:
			out.Str[i] = s
		default:
			rt.Buf = rt.Buf[:0]
			for _, r := range s {
				rt.Buf = utf8.AppendRune(rt.Buf, to(r))
			}
			out.Str[i] = string(rt.Buf)
		}
	}
	return nil
}

// inCaseApart is inCase for long texts. It charges for each of them before it makes it.
func inCaseApart(rt *kernel.Runtime, v, out *vec.Vector, to func(rune) rune, from byte) error {
	for i := range out.Str {
		if rt.IsNull(out, i) {
			continue
		}
		s := v.Str[i&kernel.Mask(v)]
		n, ascii := len(s), kernel.IsASCII(s)
		if !ascii {
			n = 0
			for _, r := range s {
				n += utf8.RuneLen(to(r))
			}
		}
		b, long, err := rt.Allot(n)
		switch {
		case err != nil:
			return err
		case long:
			out.SetNull(i)
			continue
		case ascii:
			b = b[:n]
			kernel.OtherCase(b, s, from)
		default:
			for _, r := range s {
				b = utf8.AppendRune(b, to(r))
			}
		}
		out.Str[i] = rt.Keep(b)
	}
	return nil
}

// concatenation joins texts, with a separator if there is one. It omits NULLs.
type concatenation struct {
	separator *vec.Vector
	parts     []*vec.Vector
}

// maxTogether is the maximum number of bytes of texts in one block.
const maxTogether = 1 << 20

func concat(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	c := concatenation{parts: args}
	return c.all(rt, out)
}

// concatWS joins its arguments that are not NULL, except the first, with the first as separator.
func concatWS(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	c := concatenation{args[0], args[1:]}
	for i := range out.Str {
		if kernel.NullAt(args[0], i) {
			out.SetNull(i)
		}
	}
	return c.all(rt, out)
}

// all joins the texts of the rows of out that are not NULL.
func (c *concatenation) all(rt *kernel.Runtime, out *vec.Vector) error {
	total := c.bytes(len(out.Str))
	if total > maxTogether {
		return c.apart(rt, out)
	}
	if _, err := rt.TooLong(total); err != nil {
		return err
	}
	room := rt.Room(total)
	texts := unsafe.String(unsafe.SliceData(room), total)
	for i := range out.Str {
		if rt.IsNull(out, i) {
			continue
		}
		from := len(room)
		room = c.row(room, i)
		out.Str[i] = texts[from:len(room)]
	}
	rt.Keep(room)
	return nil
}

// bytes returns an upper bound of the number of bytes that n rows take.
func (c *concatenation) bytes(n int) (total int) {
	for _, p := range c.parts {
		total += lengthOf(p, n)
	}
	if c.separator != nil {
		total += lengthOf(c.separator, n) * (len(c.parts) - 1)
	}
	return total
}

// row appends the text of a row.
func (c *concatenation) row(dst []byte, i int) []byte {
	first := true
	for _, p := range c.parts {
		at := i & kernel.Mask(p)
		if p.Null != nil && p.Null[at] {
			continue
		}
		if c.separator != nil && !first {
			dst = append(dst, c.separator.Str[i&kernel.Mask(c.separator)]...)
		}
		dst, first = append(dst, p.Str[at]...), false
	}
	return dst
}

// apart is all for long texts. It checks the length of each before making it.
func (c *concatenation) apart(rt *kernel.Runtime, out *vec.Vector) error {
	for i := range out.Str {
		if rt.IsNull(out, i) {
			continue
		}
		n := c.rowBytes(i)
		long, err := rt.TooLong(n)
		switch {
		case err != nil:
			return err
		case long:
			out.SetNull(i)
		default:
			out.Str[i] = rt.Keep(c.row(rt.Room(n), i))
		}
	}
	return nil
}

// rowBytes returns the number of bytes of a row's text.
func (c *concatenation) rowBytes(i int) (n int) {
	some := 0
	for _, p := range c.parts {
		if !kernel.NullAt(p, i) {
			n, some = n+len(p.Str[i&kernel.Mask(p)]), some+1
		}
	}
	if c.separator != nil && some > 1 {
		n += len(c.separator.Str[i&kernel.Mask(c.separator)]) * (some - 1)
	}
	return n
}
