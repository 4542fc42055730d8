package forms

import (
	"math"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/planner/cost"
	"gsql/planner/fuse"
	"gsql/planner/plantest"
	"gsql/sql/catalog"
)

// sized tells the numbers of rows of tables.
type sized map[catalog.Table]int64

func (s sized) Rows(t catalog.Table) int64 { return s[t] }

func (s sized) Column(catalog.Table, int) (column.Narrow, error) { return column.Narrow{}, nil }

func (s sized) Raw(catalog.Table, int) bool { return false }

func (s sized) Derived(catalog.Table, lower.Derived) (column.Narrow, error) {
	return column.Narrow{}, nil
}

func (s sized) Late(catalog.Table, int, float64) bool { return false }

// program joins a table of 1000 rows, of which a filter keeps a half, with one of 10^6 rows, of
// which a filter keeps a tenth, and sums by group: 200 groups of a direct index.
//
//	SELECT g, SUM(v) FROM fact JOIN dim ON fact.d = dim.id WHERE fact.f < 10 AND dim.e < 5 GROUP BY g
func program(t *testing.T) (*lower.Query, sized) {
	t.Helper()
	b := pipeline.NewBuilder()
	base := func(relation, ordinal, width int, nullable bool) int {
		return b.AddColumn(pipeline.Column{Kind: pipeline.Int, Width: width, Max: 100, Relation: relation, Ordinal: ordinal, Nullable: nullable})
	}
	made := func(size int64, width int) int {
		return b.AddColumn(pipeline.Column{Kind: pipeline.Int, Width: width, Relation: pipeline.None, Size: size})
	}
	id, e, g := base(0, 0, 2, false), base(0, 1, 1, false), base(0, 2, 1, false)
	d, f, v := base(1, 0, 2, false), base(1, 1, 1, true), base(1, 2, 4, false)
	heads, sums, count, groups, totals := made(1000, 4), made(200, 8), made(1, 4), made(200, 4), made(200, 8)
	p := b.Program
	p.Indexes = []pipeline.Index{pipeline.NewIndex(false, 1000), pipeline.NewIndex(false, 200)}
	p.Indexes[0].Heads = heads
	load := func(c, at int) *pipeline.Expr { return b.Load(c, at, false) }
	filter := func(c int, below int64, keeps float64) pipeline.Stage {
		return pipeline.Stage{Pred: b.Compare(pipeline.OpLT, load(c, pipeline.None), b.Int(below)), Selectivity: keeps}
	}
	p.Pipelines = []pipeline.Pipeline{
		{Rows: 1000, Counted: pipeline.None, Stages: []pipeline.Stage{filter(e, 5, 0.5)}, Sink: pipeline.Sink{Op: pipeline.Build, Index: 0, Key: load(id, pipeline.None)}},
		{Rows: 1e6, Counted: pipeline.None, Stages: []pipeline.Stage{filter(f, 10, 0.1),
			{Join: pipeline.Inner, Index: 0, Key: load(d, pipeline.None), Selectivity: 0.5}},
			Sink: pipeline.Sink{Op: pipeline.Group, Index: 1, Key: load(g, 1), Accs: []pipeline.Acc{{Op: pipeline.Sum, Column: sums, Arg: load(v, pipeline.None)}}}},
		{Rows: 200, Counted: pipeline.None,
			Sink: pipeline.Sink{Op: pipeline.Write, Count: count, Stores: []pipeline.Store{{Column: groups, Expr: b.Row(pipeline.None, 200, false)}, {Column: totals, Expr: load(sums, pipeline.None)}}}},
	}
	p.Result = pipeline.Result{Count: count, Columns: []int{groups, totals}}
	cat := plantest.MustDefine("table dim rows=1000\n id int\n e int\n g int\ntable fact rows=1000000\n d int\n f int\n v int\n")
	dim, fact := cat.Lookup("dim"), cat.Lookup("fact")
	return &lower.Query{Program: p, Relations: []lower.Relation{{Table: dim}, {Table: fact}}}, sized{dim: 1000, fact: 1e6}
}

// TestWork compares what is counted of a program with sums by hand.
func TestWork(t *testing.T) {
	q, rows := program(t)
	resident := func(_ catalog.Table, ordinal int, of *lower.Derived) bool { return ordinal == 2 && of == nil }
	w := workOf(q, rows, resident)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6*math.Abs(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	// Columns are filled with zeros and with ones; three pipelines run.
	if w.Kernels != 2+3 {
		t.Errorf("%d kernels", w.Kernels)
	}
	near("result", w.Result, 200*(4+8))
	made := 1000*4 + 200*8 + 4 + 200*4 + 200*8.0
	near("memory", w.Memory, made)
	if len(w.Passes) != 4 || len(w.Columns) != 6 {
		t.Fatalf("%d passes, %d columns", len(w.Passes), len(w.Columns))
	}
	near("bytes filled", w.Passes[0].Bytes, made)
	// e of all rows; id of half of the rows: nearly all sectors of 16 values.
	near("bytes of the build", w.Passes[1].Bytes, 1000+2000*(1-math.Pow(0.5, 16)))
	accesses(t, "build", w.Passes[1], []cost.Access{{Count: 500, Bytes: 4000, Updates: true}})
	// f and its bits; d of a tenth of the rows, v of a twentieth.
	near("bytes of the probe", w.Passes[2].Bytes, 1e6*1.125+2e6*(1-math.Pow(0.9, 16))+4e6*(1-math.Pow(0.95, 8)))
	// Heads for a tenth of the rows; g and the sums, in shared memory, for a twentieth.
	accesses(t, "probe", w.Passes[2], []cost.Access{{Count: 1e5, Bytes: 4000}, {Count: 5e4, Bytes: 1000}, {Count: 5e4, Bytes: 1600}})
	near("bytes of the groups", w.Passes[3].Bytes, 200*8+200*12)
	want := fuse.Column{Table: q.Relations[1].Table, Ordinal: 1, Rows: 1e6, Bytes: 1.125e6, Passes: 1}
	if w.Columns[4] != want {
		t.Errorf("column %+v, want %+v", w.Columns[4], want)
	}
	if w.Columns[0].Passes != 1 || w.Columns[2].Passes != 0 {
		t.Errorf("passes %d over id, %d over g, which the other table's rows find", w.Columns[0].Passes, w.Columns[2].Passes)
	}
	if want.Ordinal, want.Bytes, want.Resident = 2, 4e6, true; w.Columns[5] != want {
		t.Errorf("column %+v, want %+v", w.Columns[5], want)
	}
}

func accesses(t *testing.T, what string, p cost.Pass, want []cost.Access) {
	t.Helper()
	if len(p.Accesses) != len(want) {
		t.Errorf("%s: %d accesses %v, want %v", what, len(p.Accesses), p.Accesses, want)
		return
	}
	for i, a := range p.Accesses {
		if math.Abs(a.Count-want[i].Count) > 1e-6 || a.Bytes != want[i].Bytes || a.Updates != want[i].Updates {
			t.Errorf("%s: access %+v, want %+v", what, a, want[i])
		}
	}
}

// TestWorkOfSlots counts a join by a hash index, with values instead of rows, with numbered keys, and
// with marks.
func TestWorkOfSlots(t *testing.T) {
	q, rows := program(t)
	p := q.Program
	slots := len(p.Columns)
	p.Columns = append(p.Columns, pipeline.Column{Width: 8, Relation: pipeline.None, Size: 2000}, pipeline.Column{Width: 8, Relation: pipeline.None, Size: 4096},
		pipeline.Column{Width: 1, Relation: pipeline.None, Size: 1000})
	x := pipeline.NewIndex(true, 2000)
	x.Rows, x.Slots = true, slots
	numbers := pipeline.NewIndex(true, 4096)
	numbers.Keys = slots + 1
	p.Indexes[0] = x
	p.Indexes = append(p.Indexes, numbers)
	build, probe := &p.Pipelines[0], &p.Pipelines[1]
	build.Sink.Value = &pipeline.Expr{Op: pipeline.OpLoad, Kind: pipeline.Int, Column: 2, At: pipeline.None}
	probe.Stages[1].Key = &pipeline.Expr{Op: pipeline.OpFind, Kind: pipeline.Int, At: 2, Args: []*pipeline.Expr{probe.Stages[1].Key}}
	probe.Stages[1].Marks = []int{slots + 2}
	probe.Sink.Key = &pipeline.Expr{Op: pipeline.OpRow, Kind: pipeline.Int, At: 1}
	w := workOf(q, rows, func(catalog.Table, int, *lower.Derived) bool { return true })
	// The value g, of 1 byte, of nearly all sectors of 32.
	want := 1000 + 2000*(1-math.Pow(0.5, 16)) + 1000*(1-math.Pow(0.5, 32))
	if got := w.Passes[1].Bytes; math.Abs(got-want) > 1e-6*want {
		t.Errorf("bytes of the build: %v, want %v", got, want)
	}
	accesses(t, "build", w.Passes[1], []cost.Access{{Count: 500, Bytes: 16000, Updates: true}})
	// A number, a slot and a mark for a tenth of the rows; the sums for a twentieth: the value is there.
	accesses(t, "probe", w.Passes[2], []cost.Access{{Count: 1e5, Bytes: 32768}, {Count: 1e5, Bytes: 16000}, {Count: 1e5, Bytes: 1000, Updates: true}, {Count: 5e4, Bytes: 1600}})
}
