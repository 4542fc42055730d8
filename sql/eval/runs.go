package eval

import (
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

// runwise is the scratch memory for evaluating conditions once per run.
type runwise struct {
	ends []int32
	cols []*vec.Vector // columns that the condition reads
	head vec.Vector    // first row of each run
	idx  []int32       // row numbers of head
	hits []int32
}

// byRuns keeps the rows that pass c if all columns that c reads consist of runs: each run is
// decided as a whole. ok is false if some column does not or their common runs are too short.
func (ch *chooser) byRuns(c *condition, b *vec.Batch, rows selection, dst []int32) (kept selection, ok bool) {
	x := &ch.runs
	x.cols = x.cols[:0]
	if !c.inRuns(b.Cols, x) {
		return rows, false
	}
	ends := vec.CommonRuns(x.ends[:0], b.N, x.cols...)
	if ends == nil {
		return rows, false
	}
	x.ends, x.hits = ends, kernel.Resize(x.hits, len(ends))
	ch.reset(len(b.Cols))
	ch.loadHeads(c, b.Cols, ends)
	hits := ch.run(c, ch.cols, len(ends), nil, x.hits, 0)
	return rows.ofRuns(ends, hits, dst), true
}

// inRuns reports whether all columns that c reads consist of runs, and adds them to x.cols.
func (c *condition) inRuns(cols []*vec.Vector, x *runwise) bool {
	for _, all := range c.any {
		for i := range all {
			if !all[i].inRuns(cols, x) {
				return false
			}
		}
	}
	if c.form == anyOf {
		return true
	}
	x.cols = append(x.cols, cols[c.left])
	if c.form == compared && c.right >= 0 {
		x.cols = append(x.cols, cols[c.right])
		return cols[c.left].InRuns() && cols[c.right].InRuns()
	}
	return cols[c.left].InRuns()
}

// loadHeads stores in ch.cols, flat, the first row of each run for the columns that c reads.
func (ch *chooser) loadHeads(c *condition, cols []*vec.Vector, ends []int32) {
	for _, all := range c.any {
		for i := range all {
			ch.loadHeads(&all[i], cols, ends)
		}
	}
	if c.form == anyOf {
		return
	}
	ch.loadHead(c.left, cols, ends)
	if c.form == compared && c.right >= 0 {
		ch.loadHead(c.right, cols, ends)
	}
}

func (ch *chooser) loadHead(i int32, cols []*vec.Vector, ends []int32) {
	if ch.cols[i] == nil {
		x := &ch.runs
		x.idx = cols[i].Heads(&x.head, ends, x.idx)
		ch.cols[i] = x.head.Tighten(&ch.flat[i])
	}
}

// trueRuns selects the rows that are TRUE in v, a view that consists of runs.
func (ev *FilterEvaluator) trueRuns(v *vec.Vector, dst []int32) []int32 {
	x := &ev.chooser.runs
	x.idx = v.Heads(&x.head, v.Ends, x.idx)
	flat := x.head.Flatten(&ev.spare)
	x.hits = kernel.Resize(x.hits, len(v.Ends))
	hits := dropNulls(selectVector(x.hits, flat.I64[:flat.N], 0, kernel.Less|kernel.Greater, nil), flat.Null)
	return rowsOf(v.Ends, hits, dst)
}

// ofRuns returns the selected rows that belong to the runs in hits.
func (s selection) ofRuns(ends, hits, dst []int32) selection {
	switch {
	case len(hits) == len(ends):
		return s
	case s.all:
		return s.keep(rowsOf(ends, hits, dst))
	}
	n, at := 0, 0
	for _, run := range hits {
		start := startOf(ends, run)
		for at < len(s.idx) && s.idx[at] < start {
			at++
		}
		for at < len(s.idx) && s.idx[at] < ends[run] {
			dst[n] = s.idx[at]
			n++
			at++
		}
	}
	return s.keep(dst[:n])
}

// rowsOf writes the rows of the runs in hits to dst.
func rowsOf(ends, hits, dst []int32) []int32 {
	n := 0
	for _, run := range hits {
		for row := startOf(ends, run); row < ends[run]; row++ {
			dst[n] = row
			n++
		}
	}
	return dst[:n]
}

func startOf(ends []int32, run int32) int32 {
	if run == 0 {
		return 0
	}
	return ends[run-1]
}
