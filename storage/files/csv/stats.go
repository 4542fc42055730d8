package csv

import (
	"context"
	"math"

	"gsql/sql/catalog"
	"gsql/sql/types"
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
	cols := make([]columnSample, len(p.cols))
	shown := format.NewPreview(p.records, p.Path)
	seen := int64(0)
	var null []bool
	rows := min(vec.BatchSize, max(inspectedFields/max(len(cols), 1), 1))
	for n := t.block(rows); n > 0 && ctx.Err() == nil; n = t.block(rows) {
		for i := range cols {
			v := &vec.Vector{}
			null = p.cols[i].convert(t, t.spans[i], n, v, null, func(int) {})
			cols[i].add(v)
			shown.Add(i, v, seen)
		}
		seen += int64(n)
	}
	if p.whole && ctx.Err() == nil {
		p.shown = shown.Finish()
	}
	out := make([]catalog.ColumnStats, len(cols))
	for i := range cols {
		out[i] = cols[i].describe(seen, total)
		if !p.whole {
			out[i].Min, out[i].Max = nil, nil
		}
	}
	return out
}

// columnSample collects the values of a column in a sample.
type columnSample struct {
	counts map[catalog.Datum]int64
	nulls  int64
	bytes  int64
	lo, hi *catalog.Datum
}

func (c *columnSample) add(v *vec.Vector) {
	if c.counts == nil {
		c.counts = make(map[catalog.Datum]int64)
	}
	for i := range v.N {
		d := catalog.DatumAt(v, i)
		if d.Null {
			c.nulls++
			continue
		}
		c.bytes += int64(len(d.Str))
		if c.counts[d]++; c.counts[d] > 1 {
			continue
		}
		if c.lo == nil {
			c.lo, c.hi = &d, &d
		}
		c.lo, c.hi = format.Lesser(c.lo, &d), format.Greater(c.hi, &d)
	}
}

// describe scales the sample of seen rows to rows. The number of distinct values follows the
// guaranteed-error estimator of Charikar et al. (Towards Estimation Error Guarantees for Distinct
// Values, PODS 2000): each value that occurs once stands for sqrt(rows/seen) values.
func (c *columnSample) describe(seen, rows int64) catalog.ColumnStats {
	s := catalog.ColumnStats{Min: c.lo, Max: c.hi, Nulls: c.nulls}
	values := seen - c.nulls
	if seen == 0 || values == 0 {
		return s
	}
	once := 0
	for _, n := range c.counts {
		if n == 1 {
			once++
		}
	}
	scale := float64(rows) / float64(seen)
	ndv := float64(len(c.counts)) + (math.Sqrt(scale)-1)*float64(once)
	if float64(once) > 0.95*float64(values) { // apparently a key
		ndv = float64(len(c.counts)) * scale
	}
	s.NDV = int64(ndv)
	s.Nulls = int64(float64(c.nulls) * scale)
	if c.lo.Type.Kind() == types.KindStr {
		s.AvgLen = float64(c.bytes) / float64(values)
	}
	return s
}
