package jsonfile

import (
	"bytes"
	"context"
	"io"
	"slices"
	"unsafe"

	"gsql/sql/catalog"
	"gsql/storage/files/dynamic"
	"gsql/storage/files/format"
)

// Part is a JSON file whose columns are known.
type Part struct {
	*format.File
	opt    Options
	array  bool    // the file is an array of values
	body   int64   // offset of the first value
	line   int64   // line of the first value
	known  *survey // what opening the file found
	cols   []dynamic.Column
	fields []field // by member of the rows: its columns
	// visible is the number of columns that are not hidden, which come first.
	visible int
	values  bool // the only column holds the values themselves
	places  []place
	stats   *catalog.Stats
	shown   *format.Preview
}

// place is where a chunk lies.
type place struct{ at, size int64 }

// ValueColumn is the name of the column of a file of values that are not objects.
const ValueColumn = "value"

// Open opens a JSON file and reads it to find its columns. Errors: 1033 for a file that is empty,
// damaged or no JSON, 1117 for too many columns, 3157 for too many levels.
func Open(ctx context.Context, f *format.File, opt Options) (*Part, error) {
	f.Text = opt.Charset
	p := &Part{File: f, opt: opt}
	if err := p.start(ctx); err != nil {
		return nil, err
	}
	var err error
	if p.known, err = p.survey(ctx); err != nil {
		return nil, err
	}
	if p.known.rows == 0 && len(opt.Types) == 0 {
		return nil, format.Corrupt(f.Path, "it has no values, so that its columns are unknown")
	}
	slices.SortFunc(p.places, func(a, b place) int { return int(a.at - b.at) })
	p.decide()
	return p, ctx.Err()
}

// start finds where the first value is.
func (p *Part) start(ctx context.Context) error {
	in, err := p.Stream(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	head := make([]byte, 1<<16)
	n, err := io.ReadFull(in, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	head = head[:n]
	at := len(head) - len(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	p.body = int64(at)
	rest := bytes.TrimLeft(head[at:], " \t\r\n")
	if len(rest) > 0 && rest[0] == '[' && !p.opt.Lines {
		p.array, p.body = true, int64(len(head)-len(rest)+1)
	}
	p.line = 1 + int64(bytes.Count(head[:p.body], []byte("\n")))
	return nil
}

// Unify makes several files have the same columns: those of all, in the order in which they first occur.
func Unify(parts []*Part) error {
	if len(parts) < 2 {
		return nil
	}
	all := &survey{}
	for _, p := range parts {
		if err := all.merge(p.known, p.Path); err != nil {
			return err
		}
	}
	for _, p := range parts {
		own := *all
		own.rows = p.known.rows
		p.known = &own
		p.decide()
	}
	return nil
}

// Columns implements format.Part.
func (p *Part) Columns() []catalog.Column {
	cols := make([]catalog.Column, len(p.cols))
	for i, c := range p.cols {
		cols[i] = catalog.Column{Name: c.Name, Type: c.Type, Hidden: i >= p.visible}
	}
	return cols
}

// Held implements format.Part.
func (p *Part) Held() int64 {
	return int64(len(p.cols)+p.known.paths)*int64(unsafe.Sizeof(dynamic.Column{})+unsafe.Sizeof(member{})) +
		int64(len(p.places))*int64(unsafe.Sizeof(place{})) + p.shown.Held()
}
