package files

import "bytes"

// dialect says how records and fields are told apart.
type dialect struct {
	delim  string
	quote  byte   // 0: fields are never quoted
	escape byte   // 0: none but doubling the quote; never the quote itself
	lines  string // record terminator; "\n" also takes a \r before it away
	prefix string // what precedes it on a line is skipped
}

// recordEnd gives the offset behind the last whole record of buf, 0 when there is
// none. buf starts at a record. Where quotes occur the exact rules of the tokenizer
// are followed: a quote opens a field only at the field's start.
func (d *dialect) recordEnd(buf []byte) int {
	if d.escape != 0 && bytes.IndexByte(buf, d.escape) >= 0 {
		return d.recordEndEscaped(buf)
	}
	if d.quote == 0 {
		return d.lastLine(buf, 0, 0)
	}
	last, gap := 0, 0 // gap: start of the unquoted stretch
	for at := 0; ; {
		q := bytes.IndexByte(buf[at:], d.quote)
		if q < 0 {
			return d.lastLine(buf, gap, last)
		}
		q += at
		at = q + 1
		if !d.opensField(buf, q) {
			continue
		}
		last = d.lastLine(buf[:q], gap, last)
		end := closingQuote(buf, q+1, d.quote)
		if end < 0 || end+1 >= len(buf) { // the quote may yet turn out doubled
			return last
		}
		at, gap = end+1, end+1
	}
}

// lastLine gives the offset behind the last terminator in buf[from:], or last.
func (d *dialect) lastLine(buf []byte, from, last int) int {
	if i := bytes.LastIndex(buf[from:], []byte(d.lines)); i >= 0 {
		return from + i + len(d.lines)
	}
	return last
}

func (d *dialect) opensField(buf []byte, q int) bool {
	if q == 0 || d.prefix != "" && bytes.HasSuffix(buf[:q], []byte(d.prefix)) {
		return true
	}
	if len(d.delim) == 1 && len(d.lines) == 1 {
		return buf[q-1] == d.delim[0] || buf[q-1] == d.lines[0]
	}
	return bytes.HasSuffix(buf[:q], []byte(d.delim)) || bytes.HasSuffix(buf[:q], []byte(d.lines))
}

// closingQuote gives the offset of the quote that ends the field whose text starts at
// from, or -1.
func closingQuote(buf []byte, from int, quote byte) int {
	for {
		i := bytes.IndexByte(buf[from:], quote)
		if i < 0 {
			return -1
		}
		i += from
		if i+1 >= len(buf) || buf[i+1] != quote {
			return i
		}
		from = i + 2
	}
}

// recordEndEscaped walks the bytes one by one, as escapes demand.
func (d *dialect) recordEndEscaped(buf []byte) int {
	last, start := 0, true
	for i := 0; i < len(buf); {
		switch {
		case start && d.quote != 0 && buf[i] == d.quote:
			end, ok := d.closingEscaped(buf, i+1)
			if !ok {
				return last
			}
			i, start = end+1, false
		case buf[i] == d.escape:
			i, start = i+2, false
		case hasAt(buf, i, d.lines):
			i += len(d.lines)
			last, start = i, true
		case hasAt(buf, i, d.delim):
			i, start = i+len(d.delim), true
		default:
			i++
			start = d.prefix != "" && bytes.HasSuffix(buf[:i], []byte(d.prefix))
		}
	}
	return last
}

// closingEscaped is closingQuote with escapes; not ok when buf ends before it is sure.
func (d *dialect) closingEscaped(buf []byte, i int) (int, bool) {
	for i < len(buf) {
		switch {
		case buf[i] == d.escape:
			i += 2
		case buf[i] != d.quote:
			i++
		case i+1 >= len(buf):
			return 0, false
		case buf[i+1] == d.quote:
			i += 2
		default:
			return i, true
		}
	}
	return 0, false
}

func hasAt(buf []byte, i int, s string) bool {
	if s == "" || buf[i] != s[0] {
		return false
	}
	return len(s) == 1 || len(buf)-i >= len(s) && string(buf[i:i+len(s)]) == s
}
