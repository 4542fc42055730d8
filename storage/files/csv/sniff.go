package csv

import (
	"bytes"
	"context"

	"gsql/sql/types"
)

// typeMask is the set of types that all values of a column seen so far have.
type typeMask struct {
	can      uint16
	seen     bool // there was a value that is not NULL
	null     bool // there was a NULL
	fraction bool // there was a temporal value with a fraction
	slashes  bool // there was a date with slashes
}

const (
	canInt uint16 = 1 << iota
	canWide
	canFloat
	canTime
	canBool
	canDate     // in the first form; the other forms follow
	canDatetime = canDate << dateForms
	canAll      = canDatetime<<dateForms - 1
)

// oneForm has a bit for each form of dates, or of dates with times.
const oneForm = 1<<dateForms - 1

// add narrows the mask by one value. Numbers with leading zeros or a plus sign are codes, such as
// zip codes and telephone numbers, and remain text.
func (m *typeMask) add(b []byte) {
	m.seen = true
	if m.can == 0 {
		return
	}
	var can uint16
	if numeric(b) {
		can = numberMask(b)
	} else if _, ok := boolWords[string(b)]; ok && len(b) > 1 {
		can = canBool
	} else {
		can = m.temporal(b)
	}
	m.can &= can
}

func numeric(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	if len(b) == 0 || b[0] != '.' && b[0]-'0' > 9 {
		return false
	}
	if len(b) > 1 && b[0] == '0' && b[1]-'0' <= 9 {
		return false
	}
	_, ok := parseFloat(b)
	return ok
}

func numberMask(b []byte) uint16 {
	if _, ok := ParseInt(b); ok {
		return canInt | canWide | canFloat
	}
	if _, ok := parseDecimal(b, types.MaxPrecision, 0); ok && bytes.IndexByte(b, '.') < 0 {
		return canWide | canFloat
	}
	return canFloat
}

func (m *typeMask) temporal(b []byte) (can uint16) {
	for f := range dateForms {
		if _, ok := f.parseDate(b); ok {
			can |= (canDate | canDatetime) << f
		} else if _, digits, ok := f.parseDatetime(b); ok {
			m.fraction = m.fraction || digits > 0
			can |= canDatetime << f
		}
	}
	if can != 0 {
		m.slashes = m.slashes || bytes.IndexByte(b, '/') >= 0
		return can
	}
	if _, digits, ok := parseTime(b); ok {
		m.fraction = m.fraction || digits > 0
		return canTime
	}
	return 0
}

// form returns the form of the dates. If days and months are ambiguous, days come first, except
// in dates with slashes.
func (m typeMask) form() dateForm {
	forms := m.can / canDate & oneForm
	if forms == 0 {
		forms = m.can / canDatetime & oneForm
	}
	first := []dateForm{yearFirst, monthNamed, dayFirst, monthFirst}
	if m.slashes {
		first[2], first[3] = monthFirst, dayFirst
	}
	for _, f := range first {
		if forms>>f&1 != 0 {
			return f
		}
	}
	return yearFirst
}

// merge narrows m by the mask of the same column in another file.
func (m *typeMask) merge(o typeMask) {
	m.can &= o.can
	m.seen = m.seen || o.seen
	m.null = m.null || o.null
	m.fraction = m.fraction || o.fraction
	m.slashes = m.slashes || o.slashes
}

// typ returns the narrowest type of the mask. Numbers with a fraction are DOUBLE: DECIMAL would
// require a precision that a sample cannot guarantee.
func (m typeMask) typ() types.Type {
	prec := uint8(0)
	if m.fraction {
		prec = 6
	}
	switch {
	case !m.seen:
	case m.can&canInt != 0:
		return types.T(types.Int64)
	case m.can&canWide != 0:
		return types.Dec(types.MaxPrecision, 0)
	case m.can&canFloat != 0:
		return types.T(types.Float64)
	case m.can/canDate&oneForm != 0:
		return types.T(types.Date)
	case m.can/canDatetime&oneForm != 0:
		return types.Type{ID: types.Datetime, Prec: prec}
	case m.can&canTime != 0:
		return types.Type{ID: types.Time, Prec: prec}
	case m.can&canBool != 0:
		return types.T(types.Bool)
	}
	return types.T(types.String)
}

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
