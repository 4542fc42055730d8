package csv

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql/internal/simd"
)

// plainRecord is a record found by plainRecords.
type plainRecord struct {
	start, end int // end follows the line end
	fields     []string
	wrong      []string
}

// plainRecords cuts data byte by byte, with the same results as the tokenizer must have.
func plainRecords(d *dialect, data string, columns int) (list []plainRecord) {
	for at := 0; at < len(data); {
		if d.prefix != "" {
			i := strings.Index(data[at:], d.prefix)
			if i < 0 {
				break
			}
			at += i + len(d.prefix)
		}
		r := plainRecord{start: at}
		for more := true; more; {
			var text, wrong string
			text, wrong, at, more = plainField(d, data, at)
			r.fields = append(r.fields, text)
			if wrong != "" {
				r.wrong = append(r.wrong, fmt.Sprintf("%d: %s", len(r.fields)-1, wrong))
			}
		}
		r.end = at
		if len(r.fields) == 1 && columns != 1 && r.fields[0] == "" {
			continue
		}
		if n := len(r.fields); n != columns {
			r.wrong = append(r.wrong, "-1: "+countFields(n, columns))
		}
		list = append(list, r)
	}
	return list
}

// plainField returns the text of the field at at, marked if it is quoted and if it is rewritten.
func plainField(d *dialect, data string, at int) (text, wrong string, next int, more bool) {
	if d.quote == 0 || at >= len(data) || data[at] != d.quote {
		return plainUnquoted(d, data, at)
	}
	start, escaped := at+1, false
	for at = start; ; at++ {
		if at >= len(data) {
			return plainText(data[start:], true, escaped), "a quoted field has no end", len(data), false
		}
		if d.escape != 0 && data[at] == d.escape || data[at] == d.quote && at+1 < len(data) && data[at+1] == d.quote {
			at, escaped = at+1, true
		} else if data[at] == d.quote {
			break
		}
	}
	rest, _, next, more := plainUnquoted(d, data, at+1)
	if rest != "" {
		wrong = "text follows the closing quote"
	}
	return plainText(data[start:at], true, escaped), wrong, next, more
}

func plainUnquoted(d *dialect, data string, start int) (text, wrong string, next int, more bool) {
	escaped, end := false, start
	for next = start; ; next++ {
		switch {
		case next >= len(data):
			end, next = len(data), len(data)
		case d.escape != 0 && data[next] == d.escape:
			next, escaped = next+1, true
			continue
		case strings.HasPrefix(data[next:], d.delim):
			return plainText(data[start:next], false, escaped), "", next + len(d.delim), true
		case strings.HasPrefix(data[next:], d.lines):
			end, next = next, next+len(d.lines)
		default:
			continue
		}
		if d.lines == "\n" {
			return plainText(strings.TrimSuffix(data[start:end], "\r"), false, escaped), "", next, false
		}
		return plainText(data[start:end], false, escaped), "", next, false
	}
}

func plainText(text string, quoted, escaped bool) string {
	if quoted {
		text = "<" + text + ">"
	}
	if escaped {
		text = "!" + text
	}
	return text
}

var dialects = []dialect{
	{delim: ",", quote: '"', lines: "\n"},
	{delim: ";", quote: '\'', lines: "\n"},
	{delim: ",", quote: '"', lines: "\r"},
	{delim: ",", quote: '"', escape: '\\', lines: "\n"},
	{delim: "\t", escape: '\\', lines: "\n"},
	{delim: ",", lines: "\r"},
	{delim: ",", quote: '"', lines: "\r\n"},
	{delim: "||", quote: '"', lines: "<>"},
	{delim: "||", quote: '"', escape: '\\', lines: "|<"},
	{delim: ",", quote: '"', lines: "\n", prefix: "xx"},
	{delim: ",", quote: '"', escape: '\\', lines: "\n", prefix: "x,"},
	{delim: ",", quote: ',', lines: "\n"},
	{delim: ",", lines: ","},
	{delim: "a", quote: '"', escape: 'a', lines: "\n"},
}

// randomText consists of pieces that are significant in the dialect. Runs of text make words
// without any of them.
func randomText(r *rand.Rand, d *dialect, size int) string {
	pieces := []string{"x", "1", d.delim, d.lines, d.delim, d.lines, "\r", "\r\n"}
	kind := r.IntN(4)
	if kind != 0 && d.quote != 0 {
		q := string(d.quote)
		field, doubled := q+"a"+d.delim+d.lines+q, q+"abc"+q+q+d.delim+d.lines+q
		pieces = append(pieces, d.delim+field+d.delim, d.delim+q+q+q+"b"+q+q+q+d.lines, d.delim+field+d.lines, d.delim+doubled+d.lines)
		if kind == 1 { // all quotes are in valid places
			return randomPieces(r, []string{field + d.delim, doubled + d.delim, "x" + d.delim, field + d.lines, doubled + d.lines, d.lines}, size)
		}
		if kind == 2 {
			pieces = append(pieces, q, q, q+q)
		}
	}
	if d.escape != 0 && kind > 1 {
		pieces = append(pieces, string(d.escape))
	}
	if d.prefix != "" {
		pieces = append(pieces, d.prefix, d.lines+d.prefix)
	}
	return randomPieces(r, append(pieces, strings.Repeat("t", r.IntN(80))), size)
}

func randomPieces(r *rand.Rand, pieces []string, size int) string {
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// cutAll returns all records that the tokenizer cuts, in blocks of at most n.
func cutAll(t *tokenizer, data []byte, n int) (list []plainRecord) {
	t.reset(data)
	for rows := t.block(n); rows > 0; rows = t.block(n) {
		for row, rec := range t.records[:rows] {
			r := plainRecord{start: int(rec.start), fields: make([]string, rec.fields)}
			for field := range r.fields {
				if field >= len(t.slots) || t.slots[field] < 0 {
					r.fields[field] = "?"
					continue
				}
				s := t.spans[t.slots[field]][row]
				r.fields[field] = plainText(string(t.raw(s)), s.to&quotedField != 0, s.to&escapedField != 0)
			}
			for _, b := range t.bad {
				if b.row == row {
					r.wrong = append(r.wrong, fmt.Sprintf("%d: %s", b.field, b.reason))
				}
			}
			list = append(list, r)
		}
		list[len(list)-1].end = t.pos()
	}
	return list
}

// TestTokenizer compares the records cut from random texts with those read byte by byte.
func TestTokenizer(t *testing.T) {
	simd.EachLevel(t.Run, func(t *testing.T) {
		r := rand.New(rand.NewPCG(41, 41))
		for round := range 3000 {
			d := &dialects[round%len(dialects)]
			size := r.IntN(300)
			if round%500 == 0 {
				size = 2*window + r.IntN(100)
			}
			checkTokens(t, r, d, randomText(r, d, size))
		}
	})
}

func checkTokens(t *testing.T, r *rand.Rand, d *dialect, text string) {
	t.Helper()
	columns := 1 + r.IntN(3)
	want := plainRecords(d, text, columns)
	if len(want) > 0 && r.IntN(2) == 0 {
		columns = len(want[r.IntN(len(want))].fields)
		want = plainRecords(d, text, columns)
	}
	slots, outputs := make([]int32, columns), 0
	for i := range slots {
		if slots[i] = -1; r.IntN(4) > 0 {
			slots[i] = int32(outputs)
			outputs++
		}
	}
	for i := range want {
		for k := range want[i].fields {
			if k >= columns || slots[k] < 0 {
				want[i].fields[k] = "?"
			}
		}
	}
	n := 1 + r.IntN(20)
	got := cutAll(newTokenizer(d, slots, outputs), []byte(text), n)
	for i := range want {
		if (i+1)%n != 0 && i < len(want)-1 {
			want[i].end = 0 // only blocks have one
		}
	}
	same := func(a, b plainRecord) bool {
		return a.start == b.start && a.end == b.end && slices.Equal(a.fields, b.fields) && slices.Equal(a.wrong, b.wrong)
	}
	if !slices.EqualFunc(got, want, same) {
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || !same(got[i], want[i]) {
				t.Fatalf("%+v: %q: record %d is\n%+v, not\n%+v", *d, text, i, got[i:min(i+1, len(got))], want[i:min(i+1, len(want))])
			}
		}
	}
}

// TestRecordEnd truncates random texts at every position: the part before the record end consists
// of whole records.
func TestRecordEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 42))
	for round := range 600 {
		d := &dialects[round%len(dialects)]
		text := randomText(r, d, r.IntN(200))
		if round%100 == 0 {
			text = strings.Repeat("t", 2*window) + text
		}
		boundaries := map[int]int{}
		for _, p := range plainRecords(d, text, 1) { // of one column, so that blank lines count
			boundaries[p.end] = p.start
		}
		s := newSeparators(d)
		for k := max(0, len(text)-250); k < len(text); k++ {
			end := s.recordEnd(t.Context(), []byte(text[:k]))
			if _, ok := boundaries[end]; end > 0 && !ok && d.prefix == "" {
				t.Fatalf("%+v: %q is cut at %d, within a record", *d, text[:k], end)
			}
			if d.prefix != "" && strings.Contains(text[end:k], d.lines+d.prefix) && !bytes.ContainsRune([]byte(text), rune(d.quote)) && d.escape == 0 {
				t.Fatalf("%+v: %q is cut at %d, before whole records", *d, text[:k], end)
			}
		}
	}
}
