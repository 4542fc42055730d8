package forms

import (
	"math"

	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/planner/cost"
	"gsql/planner/fuse"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// fillKernels is the usual number of commands that initialise columns: neighbours with the same
// initial value are filled together.
const fillKernels = 2

// workOf describes a program to the planner. resident is Forms.Resident of a device.
func workOf(q *lower.Query, cols lower.Columns, resident func(catalog.Table, int, *lower.Derived) bool) *fuse.Work {
	p := q.Program
	sizes, passes := make([]float64, len(p.Columns)), passesOf(p)
	w := &fuse.Work{}
	var fills cost.Pass
	for i := range p.Columns {
		c := &p.Columns[i]
		switch {
		case c.Relation != pipeline.None:
			r := &q.Relations[c.Relation]
			rows := float64(cols.Rows(r.Table))
			sizes[i] = rows * perRow(c)
			col := columnOf(r, c, rows, resident)
			if c.Ordinal < len(r.Table.Schema().Columns) {
				col.Passes = passes[i]
			}
			w.Columns = append(w.Columns, col)
		case c.Data != nil:
			sizes[i] = float64(len(c.Data))
			w.Memory += sizes[i]
		default:
			sizes[i] = float64(c.Size) * float64(c.Width)
			w.Memory += sizes[i]
			fills.Bytes += sizes[i]
		}
	}
	w.Passes = append(w.Passes, fills)
	w.Kernels = fillKernels
	for i := range p.Pipelines {
		if p.Pipelines[i].Prebuilt() {
			addPrebuilt(w, p, &p.Pipelines[i])
			continue
		}
		pass, kept := passOf(p, &p.Pipelines[i], sizes)
		for range repeats(p, i) {
			w.Passes = append(w.Passes, pass)
			w.Kernels++
		}
		if i == len(p.Pipelines)-1 {
			if s := &p.Pipelines[i].Sink; s.Partial {
				kept = min(kept, float64(p.Columns[s.Stores[0].Column].Size))
			}
			for _, c := range p.Result.Columns {
				w.Result += kept * perRow(&p.Columns[c])
			}
			if o := p.Result.Order; o != nil {
				addOrder(w, p, len(o.Words), kept)
			}
		}
	}
	w.Reads = readsOf(q, cols)
	return w
}

// repeats returns how often a pipeline runs.
func repeats(p *pipeline.Program, i int) int {
	if s := p.Passes; s != nil && (i == s.Build || i == s.Probe) {
		return s.Count
	}
	return 1
}

// passesOf returns for each column the number of pipelines that read it, or 0 if some read it other than at the
// rows of their sources.
func passesOf(p *pipeline.Program) []int {
	passes := make([]int, len(p.Columns))
	for i := range p.Pipelines {
		seen := map[int]bool{}
		p.Pipelines[i].Walk(func(e *pipeline.Expr) {
			if e.Op == pipeline.OpLoad && !seen[e.Column] {
				seen[e.Column] = true
				passes[e.Column] += repeats(p, i)
			}
		})
	}
	for i, only := range p.Sources() {
		if !only {
			passes[i] = 0
		}
	}
	return passes
}

const (
	sortKernels = 12     // of a sort by a word
	sortBytes   = 8 * 32 // for each row: digits, and the bytes that a pass reads and writes
)

// addOrder adds ordering rows by words, on the host if they are few.
func addOrder(w *fuse.Work, p *pipeline.Program, words int, rows float64) {
	if rows <= pipeline.HostRows || words == 0 {
		w.Words, w.Sorted = words, rows
		return
	}
	pass := cost.Pass{Bytes: rows * sortBytes * float64(words)}
	for _, c := range p.Result.Columns {
		bytes := rows * float64(p.Columns[c].Width)
		pass.Accesses = append(pass.Accesses, cost.Access{Count: rows, Bytes: bytes})
		w.Memory += bytes
	}
	w.Memory += rows * 48
	w.Passes = append(w.Passes, pass)
	w.Kernels += sortKernels*words + len(p.Result.Columns)
}

// addPrebuilt adds a step of prebuilt kernels, which takes the rows that the columns have space for.
func addPrebuilt(w *fuse.Work, p *pipeline.Program, pl *pipeline.Pipeline) {
	if s := pl.Sums; s != nil {
		of := &p.Columns[s.Of]
		w.Passes = append(w.Passes, cost.Pass{Bytes: float64(of.Size) * float64(of.Width+8)})
		w.Kernels += 2
		return
	}
	rows, words := float64(p.Columns[pl.Sort.To].Size), len(pl.Sort.Words)
	w.Passes = append(w.Passes, cost.Pass{Bytes: rows * sortBytes * float64(words)})
	w.Memory += rows * 24
	w.Kernels += sortKernels * words
}

// readsOf returns the columns that the host reads by row numbers.
func readsOf(q *lower.Query, cols lower.Columns) (out []fuse.Read) {
	columns := make([]int, len(q.Relations))
	for i := range q.Outputs {
		if o := &q.Outputs[i]; o.Form == lower.Row {
			columns[o.Relation]++
		}
	}
	for r, n := range columns {
		if n > 0 {
			out = append(out, fuse.Read{Columns: n, Rows: float64(cols.Rows(q.Relations[r].Table))})
		}
	}
	return out
}

func columnOf(r *lower.Relation, c *pipeline.Column, rows float64, resident func(catalog.Table, int, *lower.Derived) bool) fuse.Column {
	out := fuse.Column{Table: r.Table, Ordinal: c.Ordinal, Rows: rows, Bytes: rows * perRow(c)}
	var typ types.Type
	if own := r.Table.Schema().Columns; c.Ordinal < len(own) {
		typ = own[c.Ordinal].Type
		out.Resident = resident(r.Table, c.Ordinal, nil)
	} else {
		d := &r.Derived[c.Ordinal-len(own)]
		typ, out.Ordinal = d.Expr.T, d.Ordinal
		out.Resident = resident(r.Table, d.Ordinal, d)
		expr.Walk(d.Expr, func(expr.Expr) bool { out.Terms++; return true })
	}
	if typ.Kind() == types.KindStr {
		out.Texts = float64(c.Max) + 1
	}
	return out
}

// perRow returns the bytes of an element, including its validity bit.
func perRow(c *pipeline.Column) float64 {
	if c.Nullable {
		return float64(c.Width) + 1.0/8
	}
	return float64(c.Width)
}

// pass follows the rows of a pipeline to its sink.
type pass struct {
	program *pipeline.Program
	sizes   []float64 // bytes of the columns
	rows    float64   // of the source
	alive   float64   // of those that reach the current stage, including those that joins add
	seen    map[*pipeline.Expr]bool
	out     cost.Pass
}

// passOf returns the memory accesses of a pipeline, and the number of rows that reach its sink.
func passOf(p *pipeline.Program, pl *pipeline.Pipeline, sizes []float64) (out cost.Pass, kept float64) {
	if pl.Bound != nil { // a comparison of its only block takes as long as a near access of all
		return cost.Pass{Accesses: []cost.Access{{Count: 64 * pipeline.BoundWords, Bytes: 8 * pipeline.BoundWords}}}, 0
	}
	rows := float64(pl.Rows) / float64(max(pl.Sample, 1))
	s := &pass{program: p, sizes: sizes, rows: rows, alive: rows, seen: map[*pipeline.Expr]bool{}}
	for i := range pl.Stages {
		s.stage(&pl.Stages[i])
	}
	s.sink(&pl.Sink)
	return s.out, s.alive
}

func (s *pass) stage(st *pipeline.Stage) {
	if st.Pred != nil {
		s.compute(st.Pred)
		s.alive *= st.Selectivity
		return
	}
	s.compute(st.Key)
	s.probe(&s.program.Indexes[st.Index])
	if st.Where != nil {
		s.compute(st.Where)
	}
	for _, c := range st.Marks {
		s.random(s.alive, s.sizes[c], true)
	}
	switch st.Join {
	case pipeline.Left:
		s.alive *= max(1, st.Selectivity)
	case pipeline.Mark:
	default:
		s.alive *= st.Selectivity
	}
}

// probe adds the lookups of all live rows in an index.
func (s *pass) probe(x *pipeline.Index) {
	switch {
	case x.Slots != pipeline.None:
		s.random(s.alive, s.sizes[x.Slots], false)
	case x.Bits != pipeline.None:
		s.random(s.alive, s.sizes[x.Bits], false)
	case x.Heads != pipeline.None:
		s.random(s.alive, s.sizes[x.Heads], false)
	}
	if x.Next != pipeline.None {
		s.random(s.alive, s.sizes[x.Next], false)
	}
}

// nearBytes is the size up to which the accumulators of a direct index are in registers or in
// shared memory.
const nearBytes = 48 << 10

func (s *pass) sink(k *pipeline.Sink) {
	if k.Key != nil {
		s.compute(k.Key)
	}
	if k.Value != nil {
		s.compute(k.Value)
	}
	for i := range k.Accs {
		if k.Accs[i].Arg != nil {
			s.compute(k.Accs[i].Arg)
		}
	}
	for i := range k.Stores {
		s.compute(k.Stores[i].Expr)
		s.out.Bytes += s.alive * float64(s.program.Columns[k.Stores[i].Column].Width)
	}
	switch k.Op {
	case pipeline.Build:
		s.insert(&s.program.Indexes[k.Index])
	case pipeline.Group:
		x := &s.program.Indexes[k.Index]
		bytes := float64(x.Size) * 8 * float64(len(k.Accs))
		if !x.Hash && bytes <= nearBytes {
			s.random(s.alive, bytes, false)
			return
		}
		s.insert(x)
		s.random(s.alive*max(1, float64(len(k.Accs))/2), bytes, true)
	}
}

// insert adds the insertions of all live rows into an index.
func (s *pass) insert(x *pipeline.Index) {
	for _, c := range []int{x.Keys, x.Slots, x.Heads, x.Bits} {
		if c != pipeline.None {
			s.random(s.alive, s.sizes[c], true)
		}
	}
	if x.Next != pipeline.None {
		s.out.Bytes += 4 * s.alive
	}
}

// sectorBytes is the smallest unit that memory reads.
const sectorBytes = 32

// compute adds the reads of an expression's columns that no earlier expression has read.
func (s *pass) compute(e *pipeline.Expr) {
	if s.seen[e] {
		return
	}
	s.seen[e] = true
	for _, a := range e.Args {
		s.compute(a)
	}
	switch e.Op {
	case pipeline.OpLoad:
		c := &s.program.Columns[e.Column]
		if e.At != pipeline.None {
			s.random(s.alive, s.sizes[e.Column], false)
			return
		}
		s.out.Bytes += s.rows * perRow(c) * s.touched(perRow(c))
	case pipeline.OpLookup:
		s.random(s.alive, s.sizes[e.Column], false)
	case pipeline.OpBelow: // the first steps of a search read what is near
		s.random(searchReads*s.alive, s.sizes[e.Column], false)
	case pipeline.OpFind:
		s.random(s.alive, s.sizes[s.program.Indexes[e.At].Keys], false)
	case pipeline.OpSlot:
		s.random(s.alive, s.sizes[s.program.Indexes[e.At].Keys], true)
	}
}

// searchReads is how many steps of a search among sorted elements do not find theirs in the cache.
const searchReads = 4

// touched returns the share of a column's sectors that contain the value of a live row.
func (s *pass) touched(width float64) float64 {
	share := min(1, s.alive/max(s.rows, 1))
	return 1 - math.Pow(1-share, sectorBytes/width)
}

func (s *pass) random(count, bytes float64, updates bool) {
	s.out.Accesses = append(s.out.Accesses, cost.Access{Count: count, Bytes: bytes, Updates: updates})
}
