package files

import (
	"bytes"
	"fmt"
	"unsafe"
)

// span is a field's place in the chunk, its quotes excluded. The top bits of to say
// whether it was quoted and whether it holds doubled quotes or escapes.
type span struct{ from, to uint32 }

const (
	quotedField  = 1 << 31
	escapedField = 1 << 30
	spanMask     = 1<<30 - 1
)

// maxRecord bounds a chunk, and with it a record: spans have 30 bits.
const maxRecord = 1 << 28

func (s span) len() int { return int(s.to&spanMask - s.from) }

// tokenizer cuts a chunk into records and fields.
type tokenizer struct {
	d     *dialect
	data  []byte
	pos   int
	stop  [256]bool // bytes that may end an unquoted field
	slots []int32   // by field: where its spans go, or -1 to skip it

	spans [][]span // by slot and row of the current block
	rows  []uint32 // where each row of the block starts
	bad   []badRow
}

// badRow is a row that cannot be taken.
type badRow struct {
	row    int
	field  int // from 0, or -1 when the row as a whole is wrong
	code   rejectCode
	reason string
}

func newTokenizer(d *dialect, slots []int32, outputs int) *tokenizer {
	t := &tokenizer{d: d, slots: slots, spans: make([][]span, outputs)}
	t.stop[d.delim[0]], t.stop[d.lines[0]] = true, true
	if d.escape != 0 {
		t.stop[d.escape] = true
	}
	return t
}

func (t *tokenizer) reset(data []byte) { t.data, t.pos = data, 0 }

// block cuts the next records, at most n, and gives how many there are. Blank lines
// are passed over unless records have a single field.
func (t *tokenizer) block(n int) int {
	for i := range t.spans {
		t.spans[i] = sized(t.spans[i], n)
	}
	t.rows, t.bad = sized(t.rows, n), t.bad[:0]
	row := 0
	for row < n && t.pos < len(t.data) {
		if t.d.prefix != "" && !t.skipPrefix() {
			break
		}
		t.rows[row] = uint32(t.pos)
		if t.record(row) {
			row++
		}
	}
	return row
}

func (t *tokenizer) skipPrefix() bool {
	i := bytes.Index(t.data[t.pos:], []byte(t.d.prefix))
	if i < 0 {
		t.pos = len(t.data)
		return false
	}
	t.pos += i + len(t.d.prefix)
	return true
}

// record cuts one record; it is false for a blank line.
func (t *tokenizer) record(row int) bool {
	fields, start := 0, t.pos
	for {
		var s span
		var more bool
		if t.d.quote != 0 && t.pos < len(t.data) && t.data[t.pos] == t.d.quote {
			s, more = t.quoted(row, fields)
		} else {
			s, more = t.unquoted()
		}
		if fields < len(t.slots) {
			if slot := t.slots[fields]; slot >= 0 {
				t.spans[slot][row] = s
			}
		}
		fields++
		if !more {
			if fields == len(t.slots) {
				return true
			}
			if fields == 1 && s.to == s.from && int(s.from) == start {
				return false
			}
			t.wrongCount(row, fields)
			return true
		}
	}
}

func (t *tokenizer) wrongCount(row, fields int) {
	for i := fields; i < len(t.slots); i++ {
		if slot := t.slots[i]; slot >= 0 {
			t.spans[slot][row] = span{}
		}
	}
	code := tooFewFields
	if fields > len(t.slots) {
		code = tooManyFields
	}
	t.bad = append(t.bad, badRow{row, -1, code, countFields(fields, len(t.slots))})
}

// unquoted cuts a field up to the delimiter (then more is true) or the record's end.
func (t *tokenizer) unquoted() (s span, more bool) {
	data, i := t.data, t.pos
	s.from = uint32(i)
	flags := uint32(0)
	for {
		for i < len(data) && !t.stop[data[i]] {
			i++
		}
		if i >= len(data) {
			break
		}
		if data[i] == t.d.escape && t.d.escape != 0 {
			flags, i = escapedField, min(i+2, len(data))
			continue
		}
		if hasAt(data, i, t.d.delim) {
			s.to = uint32(i) | flags
			t.pos = i + len(t.d.delim)
			return s, true
		}
		if hasAt(data, i, t.d.lines) {
			t.pos = i + len(t.d.lines)
			s.to = uint32(t.trimCR(i, int(s.from))) | flags
			return s, false
		}
		i++
	}
	t.pos = i
	s.to = uint32(t.trimCR(i, int(s.from))) | flags
	return s, false
}

func (t *tokenizer) trimCR(end, from int) int {
	if end > from && t.data[end-1] == '\r' && t.d.lines == "\n" {
		return end - 1
	}
	return end
}

// quoted cuts a field that starts with a quote.
func (t *tokenizer) quoted(row, field int) (s span, more bool) {
	from := t.pos + 1
	end, escaped := t.closing(from)
	s = span{uint32(from), uint32(end) | quotedField}
	if escaped {
		s.to |= escapedField
	}
	if end >= len(t.data) {
		t.pos = end
		t.bad = append(t.bad, badRow{row, field, badQuote, "a quoted field has no end"})
		return s, false
	}
	t.pos = end + 1
	rest, more := t.unquoted()
	if rest.len() != 0 {
		t.bad = append(t.bad, badRow{row, field, badQuote, "text follows the closing quote"})
	}
	return s, more
}

// closing finds the closing quote from i on, or the end of the data.
func (t *tokenizer) closing(i int) (end int, escaped bool) {
	for i < len(t.data) {
		c := t.data[i]
		switch {
		case c == t.d.escape && t.d.escape != 0:
			i, escaped = i+2, true
		case c != t.d.quote:
			i++
		case i+1 < len(t.data) && t.data[i+1] == t.d.quote:
			i, escaped = i+2, true
		default:
			return i, escaped
		}
	}
	return len(t.data), escaped
}

// raw gives a field's bytes as they stand.
func (t *tokenizer) raw(s span) []byte { return t.data[s.from : s.to&spanMask] }

// text gives a field's value, which shares the chunk's memory where it can.
func (t *tokenizer) text(s span) string {
	b := t.raw(s)
	if s.to&escapedField != 0 {
		b = t.d.unescape(b, s.to&quotedField != 0)
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// escapes are MySQL's escape sequences in data files.
var escapes = map[byte]byte{'0': 0, 'b': '\b', 'n': '\n', 'r': '\r', 't': '\t', 'Z': 26}

func (d *dialect) unescape(b []byte, quoted bool) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case c == d.escape && d.escape != 0 && i+1 < len(b):
			i++
			if x, ok := escapes[b[i]]; ok {
				c = x
			} else {
				c = b[i]
			}
		case quoted && c == d.quote && i+1 < len(b) && b[i+1] == d.quote:
			i++
		}
		out = append(out, c)
	}
	return out
}

// countFields says how many fields a record has.
func countFields(n, want int) string {
	if n == 1 {
		return fmt.Sprintf("it has 1 field instead of %d", want)
	}
	return fmt.Sprintf("it has %d fields instead of %d", n, want)
}
