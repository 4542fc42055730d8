package csv

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"gsql/internal/simd"
	"gsql/storage/files/format"
)

// span locates a field in the chunk, without its quotes. The top bits of to record whether the
// field was quoted and whether it has doubled quotes or escapes.
type span struct{ from, to uint32 }

const (
	quotedField  = 1 << 31
	escapedField = 1 << 30
	spanMask     = 1<<30 - 1
)

// maxRecord bounds the size of a chunk, and thereby of a record: spans have 30 bits.
const maxRecord = 1 << 28

func (s span) len() int { return int(s.to&spanMask - s.from) }

// record locates a row: its start in the data, the index of its first offset, and its number of fields.
type record struct{ start, first, fields int32 }

// tokenizer cuts a chunk into records and fields.
type tokenizer struct {
	*separators
	slots []int32 // by field: the index of its output, or -1 to skip it

	offsets []int32  // ends of fields, in order
	records []record // records found, starting with the current block
	taken   int      // number of records in the current block
	current int32    // start of the incomplete record, -1 if there is none
	first   int32    // index of that record's first offset

	spans [][]span // by slot and row of the current block
	bad   []badRow

	ctx context.Context // ends the search for records; may be nil
	err error           // why the search ended early
}

// maxFields bounds the fields of a record.
const maxFields = 1 << 16

// errFields ends the search for records at a record with more than maxFields.
var errFields = errors.New("a record has too many fields")

// badRow is a row with a field that does not fit, or with malformed fields.
type badRow struct {
	row    int
	field  int // from 0, or -1 if the row as a whole is wrong
	code   rejectCode
	reason string
}

func newTokenizer(d *dialect, slots []int32, outputs int) *tokenizer {
	return &tokenizer{separators: newSeparators(d), slots: slots, spans: make([][]span, outputs)}
}

func (t *tokenizer) reset(data []byte) {
	t.separators.reset(data)
	t.offsets, t.records, t.taken, t.first, t.err = t.offsets[:0], t.records[:0], 0, 0, nil
	t.open(0)
}

// open finds the start of the next record at or after at.
func (t *tokenizer) open(at int) {
	start, ok := t.recordStart(at)
	if t.current = int32(start); !ok {
		t.current = -1
	}
}

// block cuts up to n more records and returns their number. It skips blank lines unless records
// have a single field.
func (t *tokenizer) block(n int) int {
	t.drop()
	for len(t.records) < n && t.find() {
	}
	t.taken, t.bad = min(n, len(t.records)), t.bad[:0]
	if t.taken == 0 {
		return 0
	}
	for i := range t.spans {
		t.spans[i] = format.Sized(t.spans[i], t.taken)
	}
	rows := t.records[:t.taken]
	if start := int(rows[0].start); t.even(rows) && start >= t.odd {
		t.cutEven(rows, start < t.rewrites)
	} else {
		t.cut(rows)
	}
	return t.taken
}

// pos returns the offset after the current block.
func (t *tokenizer) pos() int {
	if t.taken == 0 {
		return len(t.data)
	}
	r := t.records[t.taken-1]
	return min(int(t.offsets[r.first+r.fields-1])+len(t.d.lines), len(t.data))
}

// drop discards the current block.
func (t *tokenizer) drop() {
	if t.taken == 0 {
		return
	}
	t.records = append(t.records[:0], t.records[t.taken:]...)
	keep := t.first
	if len(t.records) > 0 {
		keep = t.records[0].first
	}
	t.offsets = append(t.offsets[:0], t.offsets[keep:]...)
	for i := range t.records {
		t.records[i].first -= keep
	}
	t.first -= keep
	t.taken = 0
}

// windowsAtOnce is the number of windows searched between checks of the context.
const windowsAtOnce = (4 << 20) / window

// find finds the records of the next window. It returns false at the end.
func (t *tokenizer) find() bool {
	if t.ctx != nil && t.at/window%windowsAtOnce == windowsAtOnce-1 {
		t.err = t.ctx.Err()
	}
	if int32(len(t.offsets))-t.first > maxFields {
		t.err = errFields
	}
	if t.err != nil {
		return false
	}
	base, words := t.next()
	if words == 0 {
		return t.last()
	}
	ordinal := int32(len(t.offsets))
	t.offsets = slices.Grow(t.offsets, window)
	room := t.offsets[ordinal : len(t.offsets)+window]
	n := simd.Positions(room, t.ends[:words], int32(base))
	t.offsets = t.offsets[:int(ordinal)+n]
	t.endRecords(words, ordinal)
	return true
}

// endRecords ends the records of a window; ordinal is the index of the window's first offset.
func (t *tokenizer) endRecords(words int, ordinal int32) {
	plain, width := t.d.prefix == "", int32(len(t.d.lines))
	records, current, first := t.records, t.current, t.first
	for i, lines := range t.lines[:words] {
		ends := t.ends[i]
		for ; lines != 0; lines &= lines - 1 {
			next := ordinal + int32(bits.OnesCount64(ends&(lines^(lines-1))))
			if fields := next - first; plain && fields > 1 {
				records = append(records, record{current, first, fields})
				current, first = t.offsets[next-1]+width, next
				continue
			}
			t.records, t.current, t.first = records, current, first
			t.end(next)
			records, current, first = t.records, t.current, t.first
		}
		ordinal += int32(bits.OnesCount64(ends))
	}
	t.records, t.current, t.first = records, current, first
}

// end ends the current record, whose offsets are those with an index below before.
func (t *tokenizer) end(before int32) {
	r := record{t.current, t.first, before - t.first}
	t.first = before
	end := int(t.offsets[before-1])
	if t.d.prefix == "" {
		t.current = int32(end + len(t.d.lines))
	} else {
		t.open(end + len(t.d.lines))
	}
	if r.fields == 1 && len(t.slots) != 1 && t.trimCR(end, int(r.start)) == int(r.start) {
		return
	}
	t.records = append(t.records, r)
}

// last ends a final record without a line end. It returns false if there is none.
func (t *tokenizer) last() bool {
	if t.current < 0 || int(t.current) >= len(t.data) && t.d.prefix == "" {
		return false
	}
	if t.inside {
		t.odd = len(t.data) + 1
	}
	t.offsets = append(t.offsets, int32(len(t.data)))
	t.end(int32(len(t.offsets)))
	t.current = -1
	return true
}

// even reports whether all rows are adjacent and have as many fields as there are slots.
func (t *tokenizer) even(rows []record) bool {
	next, fields := rows[0].first, int32(len(t.slots))
	for _, r := range rows {
		if r.fields != fields || r.first != next {
			return false
		}
		next += fields
	}
	return true
}

// cutEven makes the spans of rows without misplaced quotes. Doubled quotes and escapes are only
// searched for if rewritten is set.
func (t *tokenizer) cutEven(rows []record, rewritten bool) {
	ends := t.offsets[rows[0].first:]
	for field, slot := range t.slots {
		if slot < 0 {
			continue
		}
		spans := t.spans[slot][:len(rows)]
		t.between(spans, rows, ends, field)
		last := field == len(t.slots)-1
		if rewritten {
			for i, s := range spans {
				spans[i], _ = t.field(int(s.from), int(s.to), last)
			}
			continue
		}
		if last && t.d.lines == "\n" {
			for i, s := range spans {
				spans[i].to = uint32(t.trimCR(int(s.to), int(s.from)))
			}
		}
		if int(rows[0].start) < t.quoted {
			t.unquote(spans)
		}
	}
}

// between makes the spans of one field of rows from the offsets of the field ends.
func (t *tokenizer) between(spans []span, rows []record, ends []int32, field int) {
	fields := len(t.slots)
	at := field
	if field == 0 {
		for i := range spans {
			spans[i] = span{uint32(rows[i].start), uint32(ends[at])}
			at += fields
		}
		return
	}
	delim := uint32(len(t.d.delim))
	for i := range spans {
		pair := ends[at-1 : at+1 : at+1]
		spans[i] = span{uint32(pair[0]) + delim, uint32(pair[1])}
		at += fields
	}
}

// unquote removes the quotes around fields from their spans.
func (t *tokenizer) unquote(spans []span) {
	for i, s := range spans {
		if s.from < s.to && t.data[s.from] == t.d.quote {
			spans[i] = span{s.from + 1, s.to - 1 | quotedField}
		}
	}
}

// cut makes the spans of arbitrary rows and records their defects.
func (t *tokenizer) cut(rows []record) {
	for row, r := range rows {
		for field := range max(int(r.fields), len(t.slots)) {
			s, wrong := span{}, ""
			if field < int(r.fields) {
				s, wrong = t.fieldOf(r, field)
			}
			if wrong != "" {
				t.bad = append(t.bad, badRow{row, field, badQuote, wrong})
			}
			if field < len(t.slots) && t.slots[field] >= 0 {
				t.spans[t.slots[field]][row] = s
			}
		}
		if int(r.fields) != len(t.slots) {
			t.wrongCount(row, int(r.fields))
		}
	}
}

func (t *tokenizer) wrongCount(row, fields int) {
	code := tooFewFields
	if fields > len(t.slots) {
		code = tooManyFields
	}
	t.bad = append(t.bad, badRow{row, -1, code, countFields(fields, len(t.slots))})
}

// fieldOf returns the span of a record's field and its defect, if any.
func (t *tokenizer) fieldOf(r record, field int) (s span, wrong string) {
	from, to := int(r.start), int(t.offsets[int(r.first)+field])
	if field > 0 {
		from = int(t.offsets[int(r.first)+field-1]) + len(t.d.delim)
	}
	return t.field(from, to, field == int(r.fields)-1)
}

func (t *tokenizer) trimCR(end, from int) int {
	if end > from && t.data[end-1] == '\r' && t.d.lines == "\n" {
		return end - 1
	}
	return end
}

// field returns the span of the field in data[from:to] and the defect of its quotes, if any. last
// marks the last field of a record.
func (t *tokenizer) field(from, to int, last bool) (s span, wrong string) {
	text := t.data[from:to]
	trimmed := to
	if last {
		trimmed = t.trimCR(to, from)
	}
	if t.quotes == 0 || len(text) == 0 || text[0] != t.d.quote {
		s = span{uint32(from), uint32(trimmed)}
		if holds(text, t.d.escape) {
			s.to |= escapedField
		}
		return s, ""
	}
	end, escaped := t.d.closing(text, 1)
	s = span{uint32(from + 1), uint32(from+end) | quotedField}
	if escaped {
		s.to |= escapedField
	}
	switch {
	case end == len(text):
		wrong = "a quoted field has no end"
	case from+end+1 < trimmed:
		wrong = "text follows the closing quote"
	}
	return s, wrong
}

// raw returns the bytes of a field, including escapes.
func (t *tokenizer) raw(s span) []byte { return t.data[s.from : s.to&spanMask] }

// text returns the value of a field. It shares the chunk's memory if it has no escapes.
func (t *tokenizer) text(s span) string {
	b := t.raw(s)
	if s.to&escapedField != 0 {
		b = t.d.unescape(b, s.to&quotedField != 0)
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// countFields describes a wrong number of fields.
func countFields(n, want int) string {
	if n == 1 {
		return fmt.Sprintf("it has 1 field instead of %d", want)
	}
	return fmt.Sprintf("it has %d fields instead of %d", n, want)
}
