package files

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// What a sample takes of a file: so much of its start and, where it can be sought in,
// of some later places.
const (
	sampleHead   = 1 << 21
	samplePlace  = 1 << 17
	samplePlaces = 4
	sampleRows   = 20_000
)

// Spellings of NULL: the first are NULL in any column, the others only where the rest
// of the column is no text.
var (
	nullTexts     = []string{"", "NULL", `\N`}
	softNullTexts = []string{"NA", "N/A", "n/a", "null", "NaN", "nan"}
)

// sample is what Open has looked at, kept for statistics.
type sample struct {
	data    []byte // whole records from the body's start
	records int64
	whole   bool // the sample is the whole file
}

func openCSV(f *file, format format, opt Options) (part, error) {
	f.text = opt.Charset
	p := &csvPart{file: f, opt: opt}
	head, whole, err := p.readHead()
	if err == nil && f.text == nil && markedUTF16(head) {
		f.text = charsets["utf16"]
		head, whole, err = p.readHead()
	}
	if err != nil {
		return nil, err
	}
	start := 0
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) { // a byte order mark
		start = 3
	}
	p.d = sniffDialect(head[start:], format, &opt)
	for range opt.SkipLines {
		i := bytes.Index(head[start:], []byte(p.d.lines))
		if i < 0 {
			start = len(head)
			break
		}
		start += i + len(p.d.lines)
	}
	if opt.SkipLines > 0 {
		p.d = sniffDialect(head[start:], format, &opt)
	}
	body := head[start:]
	if end := newSeparators(&p.d).recordEnd(body); !whole && end > 0 {
		body = body[:end]
	}
	if len(body) == 0 && len(opt.Columns) == 0 {
		return nil, corrupt(f.path, "it is empty, so that its columns are unknown")
	}
	p.sniffColumns(body, int64(start), bytes.Count(head[:start], []byte(p.d.lines)), whole)
	return p, nil
}

// readHead reads the start of the file; whole tells that it is all of it.
func (p *csvPart) readHead() (head []byte, whole bool, err error) {
	in, err := p.stream()
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	size := int64(sampleHead)
	if p.asItIs() {
		size = min(size, p.size+1) // one more, to see the end
	}
	head = make([]byte, size)
	n, err := io.ReadFull(in, head)
	switch {
	case err == nil:
		m, _ := in.Read(make([]byte, 1)) // an error repeats itself when the file is scanned
		return head, m == 0, nil
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return nil, false, err
	}
	if p.comp != plain && unexpectedEnd(in) == errCutShort {
		return nil, false, errCutShort
	}
	return head[:n], true, nil
}

// sniffColumns finds names and types from the first records and places further on.
func (p *csvPart) sniffColumns(body []byte, start int64, line int, whole bool) {
	fields := p.fieldCount(body)
	t := p.allFields(fields)
	t.reset(body)
	p.body, p.line = start, int64(line)+1
	var first []string
	if t.block(1) == 1 {
		for i := range t.spans {
			first = append(first, t.text(t.spans[i][0]))
		}
	}
	after := t.pos()
	p.masks = make([]typeMask, fields)
	for i := range p.masks {
		p.masks[i].can = canAll
	}
	p.records = p.inspect(t, sampleRows)
	end := t.pos()
	if p.whole = whole && !p.opt.IgnoreErrors; p.whole {
		for n := t.block(1024); n > 0; n = t.block(1024) {
			p.records += int64(n)
		}
		end = len(body)
	}
	header := p.header(first, body)
	if header {
		p.body += int64(after)
		p.line += int64(bytes.Count(body[:after], []byte(p.d.lines)))
		p.data = body[after:end]
	} else {
		t.reset(body[:after])
		p.records += p.inspect(t, 1)
		p.data = body[:end]
	}
	p.name(first, header)
	if p.asItIs() && !whole {
		p.inspectPlaces(fields)
	}
	p.decideTypes()
}

// fieldCount is the number of fields of the most records.
func (p *csvPart) fieldCount(body []byte) int {
	if len(p.opt.Columns) > 0 {
		return len(p.opt.Columns)
	}
	t := newTokenizer(&p.d, nil, 0)
	t.reset(body)
	counts, mode := map[int]int{}, 1
	records := t.block(sniffedRecords)
	for _, r := range t.records[:records] {
		n := int(r.fields)
		if counts[n]++; counts[n] > counts[mode] {
			mode = n
		}
	}
	return mode
}

// allFields makes a tokenizer that keeps every field.
func (p *csvPart) allFields(fields int) *tokenizer {
	slots := make([]int32, fields)
	for i := range slots {
		slots[i] = int32(i)
	}
	return newTokenizer(&p.d, slots, fields)
}

// inspect narrows the masks by up to rows records and gives how many it saw.
func (p *csvPart) inspect(t *tokenizer, rows int) (records int64) {
	for rows > 0 {
		n := t.block(min(rows, 1024))
		if n == 0 {
			break
		}
		rows -= n
		records += int64(n)
		next := 0
		for row := range n {
			if next < len(t.bad) && t.bad[next].row == row {
				for next < len(t.bad) && t.bad[next].row == row {
					next++
				}
				continue
			}
			for i := range p.masks {
				p.inspectField(t, i, t.spans[i][row])
			}
		}
	}
	return records
}

func (p *csvPart) inspectField(t *tokenizer, i int, s span) {
	b := t.raw(s)
	if s.to&quotedField == 0 && p.isNull(b, true) {
		return
	}
	if len(b) == 0 && p.masks[i].can != 0 { // quoted and empty: NULL unless text
		return
	}
	p.masks[i].add(b)
}

// isNull tells whether an unquoted text means NULL; soft allows the spellings that
// count only outside text.
func (p *csvPart) isNull(b []byte, soft bool) bool {
	for _, n := range p.nulls(soft) {
		if string(b) == n {
			return true
		}
	}
	return false
}

func (p *csvPart) nulls(soft bool) []string {
	switch {
	case p.opt.NullText != nil && p.d.escape != 0:
		return append(slices.Clone(p.opt.NullText), string(p.d.escape)+"N")
	case p.opt.NullText != nil:
		return p.opt.NullText
	case soft:
		return append(slices.Clone(nullTexts), softNullTexts...)
	}
	return nullTexts
}

// header tells whether the first record names the columns: none of its fields is a
// value of a type, and one stands over such values, or else all are distinct and do
// not occur again below.
func (p *csvPart) header(first []string, body []byte) bool {
	if p.opt.Header != nil {
		return *p.opt.Header && len(first) > 0
	}
	if len(first) == 0 || len(p.opt.Columns) > 0 {
		return false
	}
	seen := map[string]bool{}
	typed, distinct := false, true
	for i, f := range first {
		name := strings.ToLower(strings.TrimSpace(f))
		distinct = distinct && name != "" && !seen[name]
		seen[name] = true
		if name == "" {
			continue
		}
		m := typeMask{can: canAll}
		if m.add([]byte(f)); m.can != 0 {
			return false
		}
		typed = typed || p.masks[i].seen && p.masks[i].can != 0
	}
	return typed || distinct && !p.repeats(first, body)
}

// repeats tells whether a text of the first record occurs again in its column.
func (p *csvPart) repeats(first []string, body []byte) bool {
	t := p.allFields(len(first))
	t.reset(body)
	n := t.block(1000)
	for i, f := range first {
		for row := 1; row < n; row++ {
			if string(t.raw(t.spans[i][row])) == f {
				return true
			}
		}
	}
	return false
}

// name names the columns: as opt says, by the header, or c1, c2, ... Empty and
// repeated names get a number.
func (p *csvPart) name(first []string, header bool) {
	p.names = slices.Clone(p.opt.Columns)
	for i := len(p.names); i < len(p.masks); i++ {
		name := ""
		if header && i < len(first) {
			name = strings.TrimSpace(first[i])
		}
		if name == "" {
			name = fmt.Sprintf("c%d", i+1)
		}
		p.names = append(p.names, name)
	}
	taken := map[string]bool{}
	for i, n := range p.names {
		for k := 2; taken[strings.ToLower(p.names[i])]; k++ {
			p.names[i] = fmt.Sprintf("%s_%d", n, k)
		}
		taken[strings.ToLower(p.names[i])] = true
	}
}

// inspectPlaces samples later parts of the file. A place counts only where the lines
// after some line end cut evenly, since it may lie within a quoted field.
func (p *csvPart) inspectPlaces(fields int) {
	h, size, err := p.open()
	if err != nil {
		return
	}
	defer h.Close()
	buf := make([]byte, samplePlace)
	for i := range samplePlaces {
		at := size / (samplePlaces + 1) * int64(i+1)
		if at < sampleHead {
			continue
		}
		n, _ := h.ReadAt(buf, at) // a read error repeats itself when the file is scanned
		p.inspectPlace(buf[:n], fields)
	}
}

func (p *csvPart) inspectPlace(buf []byte, fields int) {
	for range 5 {
		i := bytes.Index(buf, []byte(p.d.lines))
		if i < 0 {
			return
		}
		buf = buf[i+len(p.d.lines):]
		t := p.allFields(fields)
		t.reset(buf[:t.recordEnd(buf)])
		if n := t.block(200); n > 0 && len(t.bad) == 0 {
			t.reset(t.data)
			p.inspect(t, sampleRows)
			return
		}
	}
}

// decideTypes turns masks and declared types into columns.
func (p *csvPart) decideTypes() {
	p.cols = make([]csvColumn, len(p.masks))
	for i, m := range p.masks {
		t, forced := m.typ(), false
		for name, declared := range p.opt.Types {
			if catalog.EqualFold(name, p.names[i]) {
				t, forced = declared, true
			}
		}
		p.cols[i] = newCSVColumn(t, forced, p.nulls(t.Kind() != types.KindStr))
	}
}

// unifyTypes gives the same columns of several files the type that fits all.
func unifyTypes(parts []*csvPart) {
	for _, p := range parts[min(1, len(parts)):] {
		first := parts[0]
		for i := range min(len(first.masks), len(p.masks)) {
			first.masks[i].merge(p.masks[i])
		}
	}
	for _, p := range parts {
		if len(p.masks) == len(parts[0].masks) {
			p.masks = parts[0].masks
			p.decideTypes()
		}
	}
}
