package csv

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/storage/files/format"
	"gsql/storage/files/notation"
)

// Sizes of the sample of a file: bytes at its start and, if it is seekable, at some later places,
// and the largest number of rows of each.
const (
	sampleHead   = 1 << 21
	samplePlace  = 1 << 17
	samplePlaces = 4
	sampleRows   = 20_000
)

// Spellings of NULL: the first list means NULL in any column, the second only if the rest of the
// column is not text.
var (
	nullTexts     = []string{"", "NULL", `\N`}
	softNullTexts = []string{"NA", "N/A", "n/a", "null", "NaN", "nan"}
)

// sample is the data that Open inspected, kept for statistics.
type sample struct {
	data    []byte // whole records from the start of the body
	records int64
	whole   bool // set if the sample is the whole file
	known   *catalog.Stats
}

// Open opens a CSV or TSV file and detects what opt does not specify. If tabs is set, the default
// delimiter is a tab. Errors: 1033 for an empty or damaged file, 1117 for too many columns.
func Open(ctx context.Context, f *format.File, tabs bool, opt Options) (*Part, error) {
	f.Text = opt.Charset
	p := &Part{File: f, opt: opt}
	head, whole, err := p.readHead(ctx)
	if err == nil && f.Text == nil && markedUTF16(head) {
		f.Text = charsets["utf16"]
		head, whole, err = p.readHead(ctx)
	}
	if err != nil {
		return nil, err
	}
	start := 0
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) { // a byte order mark
		start = 3
	}
	if n, delim := separatorLine(head[start:]); n > 0 && opt.Header == nil && opt.SkipLines == 0 && opt.Delimiter == "" {
		start += n
		opt.Delimiter = delim
		p.opt = opt
	}
	if opt.Header == nil && opt.SkipLines == 0 {
		start += p.comments(ctx, head[start:], tabs)
	}
	p.d = sniffDialect(ctx, head[start:], tabs, &opt)
	if err := ctx.Err(); err != nil { // if ctx ended early, the dialect is incomplete, too
		return nil, err
	}
	for range opt.SkipLines {
		i := bytes.Index(head[start:], []byte(p.d.lines))
		if i < 0 {
			start = len(head)
			break
		}
		start += i + len(p.d.lines)
	}
	if opt.SkipLines > 0 {
		p.d = sniffDialect(ctx, head[start:], tabs, &opt)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	body := head[start:]
	if end := newSeparators(&p.d).recordEnd(ctx, body); !whole && end > 0 {
		body = body[:end]
	}
	if len(body) == 0 && len(opt.Columns) == 0 {
		return nil, format.Corrupt(f.Path, "it is empty, so that its columns are unknown")
	}
	if err := p.sniffColumns(ctx, body, int64(start), bytes.Count(head[:start], []byte(p.d.lines)), whole); err != nil {
		return nil, err
	}
	return p, ctx.Err()
}

// readHead reads the start of the file. whole reports whether that is the whole file.
func (p *Part) readHead(ctx context.Context) (head []byte, whole bool, err error) {
	in, err := p.Stream(ctx)
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	size := int64(sampleHead)
	if p.Seekable() {
		size = min(size, p.Size+1) // one more, to see the end
	}
	head = make([]byte, size)
	n, err := io.ReadFull(in, head)
	switch {
	case err == nil:
		m, _ := in.Read(make([]byte, 1)) // an error recurs when the file is scanned
		return head, m == 0, nil
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return nil, false, err
	}
	if p.Compression != format.Plain && unexpectedEnd(in) == format.ErrCutShort {
		return nil, false, format.ErrCutShort
	}
	return head[:n], true, nil
}

// sniffColumns determines names and types from the first records and from later places.
func (p *Part) sniffColumns(ctx context.Context, body []byte, start int64, line int, whole bool) error {
	fields := p.fieldCount(body)
	if err := format.CheckColumns(p.Path, fields); err != nil {
		return err
	}
	t := p.allFields(fields)
	t.ctx = ctx
	t.reset(body)
	p.body, p.line = start, int64(line)+1
	var first []string
	if t.block(1) == 1 {
		for i := range t.spans {
			first = append(first, t.text(t.spans[i][0]))
		}
	}
	after := t.pos()
	p.masks = make([]notation.Mask, fields)
	for i := range p.masks {
		p.masks[i].Can = notation.AnyType
	}
	p.records = p.inspect(t, sampleRows)
	end := t.pos()
	if p.whole = whole && !p.opt.IgnoreErrors; p.whole {
		for n := t.block(1024); n > 0; n = t.block(1024) {
			p.records += int64(n)
		}
		end = len(body)
	}
	if err := ctx.Err(); err != nil {
		return err
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
	if p.Seekable() && !whole {
		p.inspectPlaces(ctx, fields)
	}
	p.decideTypes()
	return nil
}

// fieldCount returns the most frequent number of fields of a record, or maxFields if a record has
// more.
func (p *Part) fieldCount(body []byte) int {
	if len(p.opt.Columns) > 0 {
		return len(p.opt.Columns)
	}
	t := newTokenizer(&p.d, nil, 0)
	t.reset(body)
	counts, mode := map[int]int{}, 1
	records := t.block(sniffedRecords)
	if t.err != nil {
		return maxFields
	}
	for _, r := range t.records[:records] {
		n := int(r.fields)
		if counts[n]++; counts[n] > counts[mode] {
			mode = n
		}
	}
	return mode
}

// allFields returns a tokenizer that keeps every field.
func (p *Part) allFields(fields int) *tokenizer {
	slots := make([]int32, fields)
	for i := range slots {
		slots[i] = int32(i)
	}
	return newTokenizer(&p.d, slots, fields)
}

// inspectedFields is the number of fields inspected between checks of the context.
const inspectedFields = 1 << 16

// inspect narrows the masks by up to rows records and returns the number of records read.
func (p *Part) inspect(t *tokenizer, rows int) (records int64) {
	most := max(inspectedFields/max(len(p.masks), 1), 1)
	for rows > 0 && (t.ctx == nil || t.ctx.Err() == nil) {
		n := t.block(min(rows, most))
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

func (p *Part) inspectField(t *tokenizer, i int, s span) {
	b := t.raw(s)
	if s.to&quotedField == 0 && p.isNull(b, true) {
		p.masks[i].Null = true
		return
	}
	if len(b) == 0 && p.masks[i].Can != 0 { // quoted and empty: NULL unless text
		return
	}
	p.masks[i].Add(b)
}

// isNull reports whether an unquoted text means NULL. soft includes the spellings that only count
// outside text columns.
func (p *Part) isNull(b []byte, soft bool) bool {
	for _, n := range p.nulls(soft) {
		if string(b) == n {
			return true
		}
	}
	return false
}

func (p *Part) nulls(soft bool) []string {
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

// name sets the names of the columns: from opt, from the header, or c1, c2, ...
func (p *Part) name(first []string, header bool) {
	p.names = slices.Clone(p.opt.Columns)
	for i := len(p.names); i < len(p.masks); i++ {
		name := ""
		if header && i < len(first) {
			name = strings.TrimSpace(first[i])
		}
		p.names = append(p.names, name)
	}
	format.UniqueNames(len(p.names), func(i int) *string { return &p.names[i] })
}

// inspectPlaces samples later places of the file. A place may be within a quoted field, so it
// counts only if the lines after some line end have the same number of fields.
func (p *Part) inspectPlaces(ctx context.Context, fields int) {
	h, size, err := p.File.Open(ctx, nil)
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
		n, _ := h.ReadAt(buf, at) // a read error recurs when the file is scanned
		p.inspectPlace(ctx, buf[:n], fields)
	}
}

func (p *Part) inspectPlace(ctx context.Context, buf []byte, fields int) {
	for range 5 {
		i := bytes.Index(buf, []byte(p.d.lines))
		if i < 0 {
			return
		}
		buf = buf[i+len(p.d.lines):]
		t := p.allFields(fields)
		t.ctx = ctx
		t.reset(buf[:t.recordEnd(ctx, buf)])
		if n := t.block(200); n > 0 && len(t.bad) == 0 {
			t.reset(t.data)
			p.inspect(t, sampleRows)
			return
		}
	}
}

// decideTypes turns masks and declared types into columns.
func (p *Part) decideTypes() {
	p.cols = make([]column, len(p.masks))
	for i, m := range p.masks {
		t, forced := m.Type(), false
		for name, declared := range p.opt.Types {
			if catalog.EqualFold(name, p.names[i]) {
				t, forced = declared, true
			}
		}
		p.cols[i] = newColumn(t, forced, p.nulls(t.Kind() != types.KindStr))
		if len(p.opt.Columns) == 0 {
			p.cols[i].Form = m.Form()
		}
	}
}

// UnifyTypes sets each column of several files to a type that fits all of them.
func UnifyTypes(parts []*Part) {
	for _, p := range parts[min(1, len(parts)):] {
		first := parts[0]
		for i := range min(len(first.masks), len(p.masks)) {
			first.masks[i].Merge(p.masks[i])
		}
	}
	for _, p := range parts {
		if len(p.masks) == len(parts[0].masks) {
			p.masks = parts[0].masks
			p.decideTypes()
		}
	}
}
