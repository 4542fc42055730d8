package jsonfile

import (
	"context"
	"math"

	"gsql/sql/catalog"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// sampledChunks is the number of chunks, of those all over the file, from which statistics are
// estimated.
const sampledChunks = 8

// Stats implements format.Part. The number of rows is exact, unless the file is a pipe.
func (p *Part) Stats(ctx context.Context) *catalog.Stats {
	if p.stats != nil {
		return p.stats
	}
	s := &catalog.Stats{Rows: p.known.rows, Exact: p.Pipe == nil, Bytes: p.Size}
	_ = format.Guard(p.Path, func() error { return p.describe(ctx, s) }) // scans report damage
	if ctx.Err() == nil {
		p.stats = s
	}
	return s
}

// describe reads some chunks for the statistics of the columns and the preview.
func (p *Part) describe(ctx context.Context, s *catalog.Stats) error {
	if p.Pipe != nil || p.known.rows == 0 {
		return nil
	}
	chunks, err := p.sampled(ctx)
	if err != nil {
		return err
	}
	whole := len(chunks) == len(p.places)
	samples, seen := make([]format.ColumnSample, len(p.cols)), int64(0)
	shown, stretches := format.NewPreview(p.known.rows, p.Path), make([]format.Stretches, len(p.cols))
	for _, c := range chunks {
		b, err := c.Read()
		if err != nil {
			return err
		}
		if b == nil {
			continue
		}
		for i, v := range b.Cols {
			samples[i].Add(v)
			if whole {
				shown.Add(i, v, seen)
				continue
			}
			most := format.PreviewRows / format.PreviewStretch / len(chunks)
			for k := range most {
				from := k * v.N / most
				if from+format.PreviewStretch <= v.N {
					stretches[i].Add(stretch(b, i, from))
				}
			}
		}
		seen += int64(b.N)
		c.End()
	}
	for i := range samples {
		c := samples[i].Describe(seen, p.known.rows)
		if !whole {
			c.Min, c.Max = nil, nil
		}
		s.Columns = append(s.Columns, c)
	}
	if whole {
		p.shown = shown.Finish()
		return nil
	}
	p.shown = format.NewStreamPreview(func(context.Context) (cols []*vec.Vector) {
		for i := range stretches {
			cols = append(cols, stretches[i].Column())
		}
		return cols
	})
	return nil
}

// stretch returns some adjacent rows of a column.
func stretch(b *vec.Batch, column, from int) *vec.Vector {
	rows := make([]int32, format.PreviewStretch)
	for i := range rows {
		rows[i] = int32(from + i)
	}
	return vec.Select(&vec.Batch{Cols: b.Cols[column : column+1], N: b.N}, rows).Cols[0]
}

// sampled returns the chunks to describe: of a file that can be read anywhere, some all over it,
// otherwise the first.
func (p *Part) sampled(ctx context.Context) (chunks []*chunk, err error) {
	all := make([]int, len(p.cols))
	for i := range all {
		all[i] = i
	}
	req := &format.Request{Columns: all, Batch: math.MaxInt32}
	s, err := p.scan(ctx, req)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	req.Batch = int(min(p.known.rows, 1<<20))
	if !p.Seekable() || len(p.places) <= sampledChunks {
		for len(chunks) < min(sampledChunks, len(p.places)) {
			c, err := s.next()
			if c == nil || err != nil {
				return chunks, err
			}
			chunks = append(chunks, c)
		}
		return chunks, nil
	}
	h, _, err := p.File.Open(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	for i := range sampledChunks {
		at := i * len(p.places) / sampledChunks
		where := p.places[at]
		if where.size > format.FreeChunk {
			continue
		}
		data := make([]byte, where.size)
		if _, err := h.ReadAt(data, where.at); err != nil {
			return nil, err
		}
		chunks = append(chunks, &chunk{scan: s, number: at, data: data, at: where.at})
	}
	return chunks, nil
}

// Preview implements format.Part.
func (p *Part) Preview(int) *format.Preview { return p.shown }
