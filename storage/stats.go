package storage

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sort"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/segment"
	"gsql/storage/stats"
)

// Tables of at most exactRows rows are described from all rows. For larger tables, histograms and
// common values come from a sample of sampleRows rows, or of analyzeRows for ANALYZE TABLE.
const (
	exactRows   = 16 << 10
	widenRows   = 256 // smaller tables are described anew for every version
	sampleRows  = 16 << 10
	analyzeRows = 256 << 10

	sampleStretch = 64 // consecutive rows read together
)

// The statistics of an earlier version with at least widenRows rows are reused, widened by the
// new rows, until one row in driftRatio has changed.
const driftRatio = 16

// tableStats holds statistics and what they cover.
type tableStats struct {
	catalog.Stats
	churn    int64 // version.churn when they were computed
	end      int64 // committed rows with this id or a higher one came later
	own      int64 // the same for the transaction's own rows
	preview  *preview
	combined *combined
	held     *mem.Holding // of histograms and common values
}

// partial reports whether a column could not be read, for want of memory perhaps.
func (s *tableStats) partial() bool {
	return s.Rows > 0 && slices.ContainsFunc(s.Columns, func(c catalog.ColumnStats) bool { return c.NDV == 0 && c.Nulls == 0 && c.Min == nil })
}

// charge accounts for the memory of the statistics. They are small compared with the rows that
// they describe, and planning needs them, so the charge is never refused.
func (s *tableStats) charge(account *mem.Account) {
	if s.Rows < widenRows {
		return
	}
	n := 0
	for i := range s.Columns {
		n += len(s.Columns[i].MCV)
		if h := s.Columns[i].Hist; h != nil {
			n += len(h.Bounds)
		}
	}
	s.held = account.HoldAnyway(int64(n) * int64(unsafe.Sizeof(catalog.ValueCount{})))
}

// Stats returns the statistics of this version, which are computed on the first call. Min and Max
// are always bounds of the values; they may be too wide after deletions.
func (v *version) Stats() *catalog.Stats {
	if s := v.stats.Load(); s != nil {
		return &s.Stats
	}
	v.statsMu.Lock()
	defer v.statsMu.Unlock()
	s := v.stats.Load()
	if s == nil {
		if p := v.prior; p != nil && p.Rows >= widenRows && (v.churn-p.churn)*driftRatio < p.Rows {
			s = widen(v, p)
		} else {
			s = describe(context.Background(), v, sampleRows, false)
		}
		v.stats.Store(s)
	}
	return &s.Stats
}

// Analyze recomputes the statistics of a table of this store, from exact zones and a larger
// sample. They apply to this version and its successors until enough rows change.
func Analyze(ctx context.Context, tbl catalog.Table) error {
	v, ok := tbl.(*version)
	if !ok {
		return sqlerr.New(sqlerr.NonUpdatableTable, "The table %s is a file and cannot be analyzed", tbl.Name())
	}
	if err := ctx.Err(); err != nil {
		return sqlerr.From(err)
	}
	v.statsMu.Lock()
	defer v.statsMu.Unlock()
	s := describe(ctx, v, analyzeRows, true)
	if err := ctx.Err(); err != nil {
		return sqlerr.From(err)
	}
	v.stats.Store(s)
	return nil
}

func newStats(v *version) *tableStats {
	return &tableStats{
		Stats:    catalog.Stats{Rows: v.rows(), Exact: true, Bytes: v.memory(), Columns: make([]catalog.ColumnStats, len(v.schema.Columns))},
		churn:    v.churn,
		end:      v.nextRow,
		own:      ownEnd(v),
		preview:  &preview{},
		combined: &combined{},
	}
}

// disownStats makes the statistics that v starts from ignore the own rows of the transaction that
// created it: the next transaction's own rows have the same ids.
func disownStats(v *version) {
	if p := v.prior; p != nil && p.own != ownBase {
		c := *p
		c.own = ownBase
		v.prior = &c
	}
}

// ownEnd returns the id that the transaction's next own row will have.
func ownEnd(v *version) int64 {
	if v.own == nil {
		return ownBase
	}
	return v.own.Next()
}

// describe computes statistics from scratch. Segments' zones are used as they are, unless exact
// is set and rows have been deleted. Columns that cannot be read are left out, and so are others if
// ctx is cancelled: statements then fail when they read them.
func describe(ctx context.Context, v *version, sample int, exact bool) *tableStats {
	s := newStats(v)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	work := func(c int) error { s.Columns[c] = describeColumn(ctx, v, c, s.Rows, sample, exact); return nil }
	for c := range s.Columns {
		if s.Rows*int64(len(s.Columns)) < 4096 {
			_ = work(c) // never returns an error
			continue
		}
		g.Go(func() error { return sqlerr.Guard(func() error { return work(c) }) })
	}
	if err := g.Wait(); err != nil {
		panic(err) // the error of a worker; the statement's goroutine recovers the panic
	}
	s.charge(v.mem)
	return s
}

func describeColumn(ctx context.Context, v *version, c int, rows int64, sample int, exact bool) catalog.ColumnStats {
	runs := v.runs()
	if rows <= exactRows {
		exact, sample = true, math.MaxInt
	}
	merged := stats.Zone{Sorted: true}
	for i := range runs {
		if ctx.Err() != nil {
			return catalog.ColumnStats{}
		}
		z, err := runs[i].zone(v.schema, c, exact, sample < math.MaxInt)
		if err != nil {
			return catalog.ColumnStats{}
		}
		if sample == math.MaxInt {
			z.Sketch = nil // all values are counted below
		}
		merged.Add(&z)
	}
	values, err := sampleOf(v, runs, c, sample, sampleStretch)
	if err != nil {
		return catalog.ColumnStats{}
	}
	out := catalog.ColumnStats{Min: merged.Min, Max: merged.Max, Sorted: merged.Sorted, Nulls: int64(merged.Nulls)}
	if merged.Rows > 0 && int64(merged.Rows) > rows { // deleted rows were counted too
		out.Nulls = int64(float64(merged.Nulls) * float64(rows) / float64(merged.Rows))
	}
	if n := merged.Rows - merged.Nulls; n > 0 {
		out.AvgLen = float64(merged.Text) / float64(n)
	}
	present := rows - out.Nulls
	d := stats.Describe(values, present)
	out.Hist, out.MCV = d.Histogram(&out, present), d.Common
	switch {
	case int64(values.N) >= rows:
		out.NDV = d.Distinct
	case merged.Sketch != nil:
		out.NDV = min(int64(merged.Sketch.Estimate()), present)
	}
	if unique(v, c) {
		out.NDV = present
	}
	return out
}

// unique reports whether the column alone is a unique key.
func unique(v *version, c int) bool {
	for _, k := range v.keys {
		if len(k.At) == 1 && k.At[0] == c {
			return true
		}
	}
	return false
}

// zone summarises column c of a run. It returns a segment's own zone, or computes one from the
// live rows: for tails, and for segments with deleted rows if exact is set. The zone may lack a
// sketch unless sketch is set.
func (r *run) zone(schema *catalog.Schema, c int, exact, sketch bool) (stats.Zone, error) {
	switch stored := r.Segment != nil && (!exact || r.Del.Count() == 0); {
	case stored && sketch:
		return r.Cols[c].Counted()
	case stored:
		return r.Cols[c].Zone, nil
	}
	v, err := r.values(schema, c, 0, r.rows())
	if err != nil {
		return stats.Zone{}, err
	}
	return stats.Of(v, sketch), nil
}

// values reads the live rows of [from, to) of column c as a flat vector.
func (r *run) values(schema *catalog.Schema, c, from, to int) (*vec.Vector, error) {
	var v vec.Vector
	if r.tail != nil {
		v = *r.tail.Column(schema, c, from, to)
	} else if err := r.Cols[c].Read(&schema.Columns[c], from, to, &v); err != nil {
		return nil, err
	}
	if r.Del.None(from, to) {
		return v.Flatten(nil), nil
	}
	var cm vec.Composer
	return cm.View(&v, r.Del.Live(nil, from, to)).Flatten(nil), nil
}

// widen derives v's statistics from those of an earlier version: distributions are kept, counts
// are scaled, and bounds and order are extended by the new rows.
func widen(v *version, p *tableStats) *tableStats {
	s := newStats(v)
	s.preview, s.combined, s.held = p.preview, p.combined, p.held
	copy(s.Columns, p.Columns)
	for c := range s.Columns {
		col := &s.Columns[c]
		fresh, err := since(v, p, c)
		if err != nil {
			*col = catalog.ColumnStats{}
			continue
		}
		old := stats.Zone{Rows: int(p.Rows), Nulls: int(col.Nulls), Min: col.Min, Max: col.Max, Sorted: col.Sorted}
		old.Add(&fresh)
		col.Min, col.Max, col.Sorted = old.Min, old.Max, old.Sorted
		col.Nulls = min(int64(old.Nulls), s.Rows)
		present := s.Rows - col.Nulls
		if 10*col.NDV > 9*(p.Rows-p.Columns[c].Nulls) || unique(v, c) {
			col.NDV = present
		}
		col.NDV = min(col.NDV, present)
		if col.Hist != nil {
			col.Hist = &catalog.Histogram{Bounds: col.Hist.Bounds, Rows: present}
		}
	}
	return s
}

// since summarises the rows of column c added after p, the statistics of a version that v was
// derived from.
func since(v *version, p *tableStats, c int) (stats.Zone, error) {
	out := stats.Zone{Sorted: true}
	for _, r := range v.runs() {
		first := p.end
		if r.Base >= ownBase {
			first = p.own
		}
		from := r.firstFrom(first)
		switch {
		case from >= r.rows():
			continue
		case from == 0 && r.Segment != nil:
			out.Add(&r.Cols[c].Zone)
			continue
		}
		vals, err := r.values(v.schema, c, from, r.rows())
		if err != nil {
			return out, err
		}
		z := stats.Of(vals, false)
		out.Add(&z)
	}
	return out, nil
}

// firstFrom returns the first row whose id is at least id.
func (r *run) firstFrom(id int64) int {
	if r.Segment != nil && r.IDs != nil {
		return sort.Search(len(r.IDs), func(i int) bool { return r.IDs[i] >= id })
	}
	return int(min(max(0, id-r.Base), int64(r.rows())))
}

// stretch is a range of consecutive rows of a run.
type stretch struct {
	run      *run
	from, to int
}

// places chooses rows to sample: all rows if there are about n or fewer, otherwise n rows in
// stretches whose length is long, spread over the runs at irregular distances.
func places(runs []run, n, long int) []stretch {
	total := 0
	for i := range runs {
		total += runs[i].rows()
	}
	width, step := long, total/max(1, n/long)
	if step < 2*long {
		width, step = morselRows, morselRows
	}
	var out []stretch
	first := 0
	for i := range runs {
		r := &runs[i]
		for _, at := range stretches(first, r.rows(), width, step) {
			out = append(out, stretch{r, at, min(at+width, r.rows())})
		}
		first += r.rows()
	}
	return out
}

// sampleOf reads column c of about n sampled rows.
func sampleOf(v *version, runs []run, c, n, long int) (*vec.Vector, error) {
	cols, err := readSample(v, places(runs, n, long), c)
	if err != nil {
		return nil, err
	}
	return cols[0], nil
}

// readSample reads columns of the rows of list, in that order.
func readSample(v *version, list []stretch, columns ...int) ([]*vec.Vector, error) {
	parts, err := readParts(v, list, columns...)
	if err != nil {
		return nil, err
	}
	out := make([]*vec.Vector, len(columns))
	for i, c := range columns {
		rows, at := 0, 0
		for _, p := range parts[i] {
			rows += p.N
		}
		out[i] = vec.NewFlat(v.schema.Columns[c].Type, rows)
		for _, p := range parts[i] {
			segment.AppendFlat(out[i], at, p, p.N)
			at += p.N
		}
	}
	return out, nil
}

// readParts reads columns of each stretch. Data that are in files are loaded side by side, column by column and
// segment by segment: a query that is planned waits for them.
func readParts(v *version, list []stretch, columns ...int) ([][]*vec.Vector, error) {
	parts := make([][]*vec.Vector, len(columns))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for k, c := range columns {
		parts[k] = make([]*vec.Vector, len(list))
		read := func(at ...int) (err error) {
			for _, i := range at {
				if parts[k][i], err = list[i].run.values(v.schema, c, list[i].from, list[i].to); err != nil {
					return err
				}
			}
			return nil
		}
		byRun := map[*run][]int{}
		for i, p := range list {
			if p.run.Segment != nil && p.run.Cols[c].Source() != nil {
				byRun[p.run] = append(byRun[p.run], i)
			} else if err := read(i); err != nil {
				_ = g.Wait() // what the others meet does not matter any more
				return nil, err
			}
		}
		for _, at := range byRun {
			g.Go(func() error { return sqlerr.Guard(func() error { return read(at...) }) })
		}
	}
	return parts, g.Wait()
}

// stretches returns the rows of a run at which to start reading width rows, one in each step of
// rows. first is the number of the run's first row in the table; it makes the positions differ
// between runs.
func stretches(first, rows, width, step int) []int {
	var out []int
	for at := 0; at < rows; at += step {
		jitter := 0
		if step > width {
			jitter = int(stats.HashInt(int64(first+at)) % uint64(step-width))
		}
		if at+jitter < rows {
			out = append(out, at+jitter)
		}
	}
	return out
}
