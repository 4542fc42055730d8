package csv

import (
	"bytes"
	"context"
)

// sniffedRecords bounds the number of records used to rate dialects.
const sniffedRecords = 500

// sniffDialect finds the delimiter, quote and escape that cut the sample into records with the
// same number of fields. Settings in opt are kept.
func sniffDialect(ctx context.Context, data []byte, tabs bool, opt *Options) dialect {
	d := dialect{delim: opt.Delimiter, lines: opt.Lines, prefix: opt.LinePrefix}
	if d.lines == "" {
		d.lines = "\n"
		if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') >= 0 {
			d.lines = "\r"
		}
	}
	delims := []string{",", ";", "\t", "|"}
	if tabs {
		delims = []string{"\t"}
	}
	if d.delim != "" {
		delims = []string{d.delim}
	}
	quotes := []byte{'"', '\''}
	switch {
	case opt.Quote != nil:
		quotes = []byte{*opt.Quote}
	case quotedLines(data, d.lines):
		quotes = quotes[:1]
	}
	best, bestScore := d, -1.0
	for _, d.delim = range delims {
		for _, d.quote = range quotes {
			for _, d.escape = range escapeCandidates(data, d.quote, opt) {
				if ctx.Err() != nil {
					return best
				}
				if score := d.score(data); score > bestScore {
					best, bestScore = d, score
				}
			}
		}
	}
	return best
}

// quotedLines reports whether each line is one quoted field, which may contain any separators.
// The header may be a word without quotes.
func quotedLines(data []byte, end string) bool {
	lines, first := 0, true
	for line := range bytes.SplitSeq(data, []byte(end)) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			continue
		}
		switch {
		case isQuotedField(line):
			lines++
		case !first || bytes.ContainsAny(line, "\"',;\t|"):
			return false
		}
		if first = false; lines == sniffedRecords {
			break
		}
	}
	return lines > 0
}

// isQuotedField reports whether a line is one quoted field with any inner quotes doubled.
func isQuotedField(line []byte) bool {
	last := len(line) - 1
	if last < 1 || line[0] != '"' || line[last] != '"' {
		return false
	}
	for i := 1; i < last; i++ {
		if line[i] != '"' {
			continue
		}
		if i++; i == last || line[i] != '"' {
			return false
		}
	}
	return true
}

func escapeCandidates(data []byte, quote byte, opt *Options) []byte {
	if opt.Escape != nil {
		if *opt.Escape == quote {
			return []byte{0}
		}
		return []byte{*opt.Escape}
	}
	if quote != 0 && bytes.Contains(data, []byte{'\\', quote}) {
		return []byte{0, '\\'}
	}
	return []byte{0}
}

// score rates how evenly the dialect cuts the sample: the share of records with the most frequent
// number of fields, decreased by unclosed quotes, increased by closed quotes and by more fields.
func (d *dialect) score(data []byte) float64 {
	t := newTokenizer(d, nil, 0)
	t.reset(data)
	counts, fields, quoted, bad := map[int]int{}, 0, 0, 0
	records := t.block(sniffedRecords)
	switch {
	case t.err == errFields: // no other dialect explains this as well
		return maxFields
	case records == 0:
		return 0
	}
	for _, r := range t.records[:records] {
		counts[int(r.fields)]++
		fields += int(r.fields)
		q, b := t.quotedFields(r)
		quoted += q
		bad += b
	}
	mode := 0
	for n, c := range counts {
		if c > counts[mode] || c == counts[mode] && n > mode {
			mode = n
		}
	}
	share := float64(counts[mode]) / float64(records)
	whole := 1 - min(1, 10*float64(bad)/float64(records))
	score := share * share * whole
	if mode == 1 {
		score /= 100
	}
	return score + 0.01*whole*float64(quoted)/float64(fields) + 0.0001*share*float64(min(mode, 50))
}

// quotedFields returns the number of quoted fields of a record, and how many of them are
// malformed.
func (t *tokenizer) quotedFields(r record) (quoted, bad int) {
	for i := range int(r.fields) {
		s, wrong := t.fieldOf(r, i)
		if s.to&quotedField != 0 {
			quoted++
		}
		if wrong != "" {
			bad++
		}
	}
	return quoted, bad
}
