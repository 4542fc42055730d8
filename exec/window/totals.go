package window

import (
	"slices"

	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

const (
	// totalRows is the size up to which partitions have no total.
	totalRows = 256
	// totalBytes is about what a total takes.
	totalBytes = 512
)

// total is what functions must know of a partition before its end is in memory.
type total struct {
	start, rows int               // number of its first row, of all
	states      map[int]any       // by function: the state of all rows
	values      map[int]vec.Batch // by function: a row whose value the function gives
}

// loadTotal sets the state of a function to that of the whole partition; one that is a row
// (see extremes) is put into o's store.
func loadTotal[S any](t *total, o *Operator, id int, s *S) error {
	row, isRow := any(s).(*int32)
	if !isRow {
		*s = t.states[id].(S)
		return nil
	}
	b, ok := t.values[id]
	if !ok {
		*row = 0
		return nil
	}
	*row = int32(o.rows.Rows()) + 1
	err := o.rows.Append(&b)
	o.rows.Update(o.cols)
	return err
}

// needsTotals tells whether some function asks for what is known at a partition's end alone.
func (s *spec) needsTotals() bool {
	for _, f := range s.funcs {
		if f.needsTotal(s) {
			return true
		}
	}
	return false
}

func (f *function) needsTotal(s *spec) bool {
	switch f.Fn {
	case expr.Ntile, expr.PercentRank, expr.CumeDist:
		return true
	}
	return f.frame >= 0 && s.frames[f.frame].End.Kind == expr.UnboundedFollowing && f.Fn != expr.FirstValue
}

// inSections tells whether f can be computed with a part of the partition in memory. For
// frames that end with it but do not begin with it, rows have to be taken away from the
// state of all.
func (f *function) inSections(o *Operator, s *spec) bool {
	if !f.needsTotal(s) || f.frame < 0 || s.frames[f.frame].Start.Kind == expr.UnboundedPreceding {
		return true
	}
	switch f.Fn {
	case expr.LastValue:
		return s.frames[f.frame].Start.Kind != expr.Following
	case expr.WindowAgg:
	default:
		return false
	}
	switch f.Agg {
	case expr.CountStar, expr.Count, expr.BitXor:
		return true
	case expr.Sum, expr.Avg:
		return o.types[f.arg].Kind() != types.KindF64
	}
	return false
}

// canSection tells whether all functions can be computed with a part of a partition in memory.
func (o *Operator) canSection() bool {
	for _, s := range o.specs {
		for _, f := range s.funcs {
			if !f.inSections(o, s) {
				return false
			}
		}
	}
	return true
}

// findTotals reads all rows for the totals of each window's large partitions.
func (o *Operator) findTotals() (map[*spec][]*total, error) {
	found := map[*spec][]*total{}
	if !slices.ContainsFunc(o.specs, (*spec).needsTotals) {
		return found, nil
	}
	s, err := o.newSections(0, func(part *Operator) (tasks []task) {
		for _, s := range o.specs {
			if s.needsTotals() {
				tasks = append(tasks, newTotalTask(part, s, found))
			}
		}
		return tasks
	})
	if err == nil {
		for err = s.next(); err == nil && s.last > s.first; {
			err = s.next()
		}
		for i := 0; err == nil && i < len(s.tasks); i++ {
			err = s.tasks[i].(*totalTask).finish()
		}
	}
	if cerr := s.close(); err == nil {
		err = cerr
	}
	return found, err
}

// totalTask finds the totals of a window's partitions.
type totalTask struct {
	o     *Operator
	s     spec // without groups
	of    *spec
	found map[*spec][]*total
	sums  map[int]summing // by function
	nths  map[int]*int32  // by function: the row that NTH_VALUE gives, or -1
	p     partition
	open  bool
	start int
	rows  int
	end   int32 // the last row
}

// summing is an evaluator that adds up rows.
type summing interface {
	evaluator
	add(lo, hi int) error
	// sum gives a pointer to the state, and a copy of it.
	sum() (pointer, state any)
}

func (g *growing[S]) add(lo, hi int) error   { return addRows(g.o, g.f, &g.state, lo, hi) }
func (s *shrinking[S]) add(lo, hi int) error { return addRows(s.o, s.f, &s.state, lo, hi) }

func (g *growing[S]) sum() (any, any)   { return &g.state, g.state }
func (s *shrinking[S]) sum() (any, any) { return &s.state, s.state }

func newTotalTask(part *Operator, of *spec, found map[*spec][]*total) *totalTask {
	t := &totalTask{o: part, s: *of, of: of, found: found, sums: map[int]summing{}, nths: map[int]*int32{}}
	t.s.groups = false
	for _, f := range of.funcs {
		if f.frame < 0 || !f.needsTotal(of) {
			continue
		}
		if e, ok := newEvaluator(part, f, of.frames[f.frame]).(summing); ok {
			t.sums[f.out] = e
		} else if f.Fn == expr.NthValue {
			t.nths[f.out] = new(int32)
		}
	}
	return t
}

// limit implements task.
func (t *totalTask) limit(int, bool) int { return t.o.n }

// compute implements task.
func (t *totalTask) compute(first, last, number int, _ bool) error {
	for pos := first; pos < last; pos = t.p.hi {
		if !t.open || t.o.starts(&t.s, pos) {
			if err := t.finish(); err != nil {
				return err
			}
			if err := t.begin(pos, number+pos-first); err != nil {
				return err
			}
		}
		t.p.lo = pos
		t.o.findEnd(&t.s, &t.p)
		if err := t.add(pos, t.p.hi); err != nil {
			return err
		}
	}
	return nil
}

func (t *totalTask) begin(pos, number int) error {
	t.o.nextPartition(&t.s, &t.p, pos)
	t.open, t.start, t.rows = true, number, 0
	for _, row := range t.nths {
		*row = -1
	}
	for _, e := range t.sums {
		if err := e.begin(&t.p); err != nil {
			return err
		}
	}
	return nil
}

func (t *totalTask) add(lo, hi int) error {
	for _, e := range t.sums {
		if err := e.add(lo, hi); err != nil {
			return err
		}
	}
	for _, f := range t.s.funcs {
		if row := t.nths[f.out]; row != nil && f.N > int64(t.rows) && f.N <= int64(t.rows+hi-lo) {
			*row = t.o.row(lo + int(f.N) - t.rows - 1)
		}
	}
	t.rows += hi - lo
	t.end = t.o.row(hi - 1)
	return nil
}

// finish ends a partition.
func (t *totalTask) finish() error {
	if !t.open || t.rows <= totalRows {
		t.open = false
		return nil
	}
	t.open = false
	if err := t.o.account.Reserve(totalBytes); err != nil {
		return err
	}
	x := &total{start: t.start, rows: t.rows, states: map[int]any{}, values: map[int]vec.Batch{}}
	for id, e := range t.sums {
		pointer, state := e.sum()
		if row, ok := pointer.(*int32); !ok {
			x.states[id] = state
		} else if *row > 0 {
			x.values[id] = t.copyRow(*row - 1)
		}
	}
	for _, f := range t.s.funcs {
		if row := t.nths[f.out]; row != nil && *row >= 0 {
			x.values[f.out] = t.copyRow(*row)
		} else if f.Fn == expr.LastValue {
			x.values[f.out] = t.copyRow(t.end)
		}
	}
	t.found[t.of] = append(t.found[t.of], x)
	return nil
}

func (t *totalTask) copyRow(row int32) vec.Batch {
	b := vec.Select(&vec.Batch{Cols: t.o.cols, N: t.o.rows.Rows()}, []int32{row})
	for i, c := range b.Cols {
		b.Cols[i] = c.Flatten(nil)
	}
	return *b
}

// needs implements task.
func (t *totalTask) needs(last int) int { return last }

// hold implements task.
func (t *totalTask) hold(_ int, f func(row *int32)) {
	if !t.open {
		return
	}
	f(&t.end)
	for _, row := range t.nths {
		if *row >= 0 {
			f(row)
		}
	}
	for _, e := range t.sums {
		pointer, _ := e.sum()
		holdState(pointer, f)
	}
}

// move implements task.
func (t *totalTask) move(int, int) {}
