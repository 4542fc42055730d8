package dynamic

import (
	"context"
	"unsafe"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// Rows are the rows of a file in their order.
type Rows interface {
	// Next moves to the next row and reports whether there is one.
	Next() (bool, error)
	// Value returns a column of the row.
	Value(column int) Value
	// Where returns the place of the row in the file, such as "row 3".
	Where() string
	Close() error
}

// Source is a file that is read row by row. It is safe for concurrent use.
type Source interface {
	// Rows begins to read. Of the columns, only some will be asked for. account is charged for what
	// reading holds.
	Rows(ctx context.Context, account *mem.Account, columns []int) (Rows, error)
}

// Part is a file that is read row by row. It implements format.Part.
type Part struct {
	*format.File
	source Source
	cols   []Column
	rows   int64
	known  *catalog.Stats
	shown  *format.Preview
}

// Open finds the types of the columns by reading all rows.
func Open(ctx context.Context, f *format.File, names []string, source Source, declared map[string]types.Type) (*Part, error) {
	p := &Part{File: f, source: source}
	all := make([]int, len(names))
	for i := range all {
		all[i] = i
	}
	rows, err := source.Rows(ctx, f.Account, all)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	seen := make([]Seen, len(names))
	for {
		ok, err := rows.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if p.rows++; p.rows%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for i := range seen {
			seen[i].Add(rows.Value(i))
		}
	}
	format.UniqueNames(len(names), func(i int) *string { return &names[i] })
	for i, name := range names {
		p.cols = append(p.cols, NewColumn(name, &seen[i], types.T(types.String), declared))
	}
	return p, nil
}

// Columns implements format.Part.
func (p *Part) Columns() []catalog.Column {
	cols := make([]catalog.Column, len(p.cols))
	for i, c := range p.cols {
		cols[i] = catalog.Column{Name: c.Name, Type: c.Type}
	}
	return cols
}

// sampledRows is the number of rows from which statistics are estimated.
const sampledRows = 20_000

// Stats implements format.Part.
func (p *Part) Stats(ctx context.Context) *catalog.Stats {
	if p.known != nil {
		return p.known
	}
	s := &catalog.Stats{Rows: p.rows, Exact: true, Bytes: p.Size}
	_ = format.Guard(p.Path, func() error { // scans report damage
		all := make([]int, len(p.cols))
		for i := range all {
			all[i] = i
		}
		chunks, err := p.Chunks(ctx, &format.Request{Columns: all, Batch: vec.BatchSize})
		if err != nil {
			return err
		}
		defer chunks.Close()
		samples, shown, seen := make([]format.ColumnSample, len(all)), format.NewPreview(min(p.rows, sampledRows), p.Path), int64(0)
		for seen < sampledRows {
			c, err := chunks.Next()
			if err != nil {
				return err
			}
			if c == nil {
				break
			}
			b, err := c.Read()
			if err != nil {
				return err
			}
			for i, v := range b.Cols {
				samples[i].Add(v)
				shown.Add(i, v, seen)
			}
			seen += int64(b.N)
			c.End()
		}
		for i := range samples {
			c := samples[i].Describe(seen, p.rows)
			if seen < p.rows {
				c.Min, c.Max = nil, nil
			}
			s.Columns = append(s.Columns, c)
		}
		p.shown = shown.Finish()
		return nil
	})
	if ctx.Err() == nil {
		p.known = s
	}
	return s
}

// Preview implements format.Part.
func (p *Part) Preview(int) *format.Preview { return p.shown }

// Held implements format.Part.
func (p *Part) Held() int64 {
	return int64(len(p.cols))*int64(unsafe.Sizeof(Column{})) + p.shown.Held()
}
