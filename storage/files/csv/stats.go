package csv

import (
	"context"

	"gsql/sql/catalog"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// Stats implements format.Part. It uses the detected sample, which is then released. The
// statistics are exact if the sample is the whole file.
func (p *Part) Stats(ctx context.Context) *catalog.Stats {
	if p.known == nil {
		s := p.describe(ctx)
		if ctx.Err() != nil {
			return s
		}
		p.known, p.data = s, nil
	}
	return p.known
}

func (p *Part) describe(ctx context.Context) *catalog.Stats {
	s := &catalog.Stats{Bytes: p.Size, Rows: p.records, Exact: p.whole}
	if p.records == 0 || len(p.data) == 0 {
		return s
	}
	if !p.whole {
		size := float64(p.Size)
		if p.Compression != format.Plain {
			size *= p.Ratio(ctx)
		}
		s.Rows = max(p.records, int64(size/float64(len(p.data))*float64(p.records)))
	}
	_ = format.Guard(p.Path, func() error { // a damaged file is reported when it is read
		s.Columns = p.sampleStats(ctx, s.Rows)
		return nil
	})
	return s
}

func (p *Part) sampleStats(ctx context.Context, total int64) []catalog.ColumnStats {
	t := p.allFields(len(p.cols))
	t.reset(p.data)
	cols := make([]format.ColumnSample, len(p.cols))
	shown := format.NewPreview(p.records, p.Path)
	seen := int64(0)
	var null []bool
	rows := min(vec.BatchSize, max(inspectedFields/max(len(cols), 1), 1))
	for n := t.block(rows); n > 0 && ctx.Err() == nil; n = t.block(rows) {
		for i := range cols {
			v := &vec.Vector{}
			null = p.cols[i].convert(t, t.spans[i], n, v, null, func(int) {})
			cols[i].Add(v)
			shown.Add(i, v, seen)
		}
		seen += int64(n)
	}
	if p.whole && ctx.Err() == nil {
		p.shown = shown.Finish()
	}
	out := make([]catalog.ColumnStats, len(cols))
	for i := range cols {
		out[i] = cols[i].Describe(seen, total)
		if !p.whole {
			out[i].Min, out[i].Max = nil, nil
		}
	}
	return out
}
