package ptx

import (
	"math"
	"math/bits"

	"gsql/gpu/pipeline"
)

// The programs of these tests read a table of facts with the base columns below, and a table of
// dimensions with a key and a value.
const (
	factDay   = iota // 2 bytes, bias 8000
	factPrice        // 4 bytes
	factRate         // 1 byte, NULLs
	factKey          // 4 bytes
	factGroup        // 1 byte
	factWide         // 8 bytes
	factReal         // doubles
	dimKey           // 4 bytes
	dimValue         // 2 bytes, NULLs
	baseColumns
)

const (
	factRows = 5003
	dimRows  = 700
)

// builder has the base columns and shortens what programs consist of.
type builder struct {
	*pipeline.Builder
}

func newBuilder() *builder {
	b := &builder{pipeline.NewBuilder()}
	base := func(relation, ordinal, width int, bias, most int64, nullable bool) {
		b.AddColumn(pipeline.Column{Kind: pipeline.Int, Width: width, Bias: bias, Min: bias, Max: bias + most, Relation: relation, Ordinal: ordinal, Nullable: nullable})
	}
	base(0, 0, 2, 8000, 3000, false)
	base(0, 1, 4, -500, 100000, false)
	base(0, 2, 1, 0, 10, true)
	base(0, 3, 4, 1, 999, false)
	base(0, 4, 1, 0, 5, false)
	b.AddColumn(pipeline.Column{Kind: pipeline.Int, Width: 8, Min: -1 << 40, Max: 1 << 40, Relation: 0, Ordinal: 5})
	b.AddColumn(pipeline.Column{Kind: pipeline.Float, Width: 8, Relation: 0, Ordinal: 6})
	base(1, 0, 4, 1, 999, false)
	base(1, 1, 2, -100, 1000, true)
	return b
}

func (b *builder) col(c int) *pipeline.Expr { return b.Load(c, pipeline.None, false) }

func (b *builder) sum(x, y *pipeline.Expr) *pipeline.Expr {
	return must(b.Arith(pipeline.OpAdd, x, y))
}
func (b *builder) minus(x, y *pipeline.Expr) *pipeline.Expr {
	return must(b.Arith(pipeline.OpSub, x, y))
}
func (b *builder) times(x, y *pipeline.Expr) *pipeline.Expr {
	return must(b.Arith(pipeline.OpMul, x, y))
}

func must(e *pipeline.Expr, err error) *pipeline.Expr {
	if err != nil {
		panic(err)
	}
	return e
}

// array adds a column that a sink fills.
func (b *builder) array(width int, size, init int64) int {
	return b.AddColumn(pipeline.Column{Kind: pipeline.Int, Width: width, Min: math.MinInt64, Max: math.MaxInt64, Relation: pipeline.None, Size: size, Init: init})
}

// groupIndex adds an index of groups.
func (b *builder) groupIndex(hash bool, size int64) int {
	x := pipeline.NewIndex(hash, size)
	if hash {
		x.Size = 1 << bits.Len64(uint64(size-1))
		x.Keys = b.array(8, x.Size, -1)
		b.Program.Columns[x.Keys].Min, b.Program.Columns[x.Keys].Max = -1, 1<<40
	}
	return b.addIndex(x)
}

func (b *builder) addIndex(x pipeline.Index) int {
	b.Program.Indexes = append(b.Program.Indexes, x)
	return len(b.Program.Indexes) - 1
}

// shape is the shape of an index of joins.
type shape struct {
	hash, wide bool
	unique     bool // keys are
	set        bool // without rows
}

// joinIndex adds an index of joins; rows is the number of rows that may be inserted.
func (b *builder) joinIndex(s shape, size, rows int64) int {
	x := pipeline.NewIndex(s.hash, size)
	x.Wide, x.Rows = s.wide, !s.set
	switch {
	case s.hash:
		count := pipeline.BucketBytes / x.SlotBytes()
		x.Size = (size + count - 1) / count * count
		width := min(x.SlotBytes(), 8)
		x.Slots = b.array(int(width), x.Size*x.SlotBytes()/width, -1)
	case s.set:
		x.Bits = b.array(4, (x.Size+31)/32, 0)
	default:
		x.Heads = b.array(4, x.Size, -1)
	}
	if !s.unique && !s.set {
		x.Next = b.array(4, rows, 0)
	}
	return b.addIndex(x)
}

// facts adds a pipeline over the facts.
func (b *builder) facts(sink pipeline.Sink, stages ...pipeline.Stage) {
	b.add("facts", factRows, sink, stages)
}

// dims adds a pipeline over the dimensions.
func (b *builder) dims(sink pipeline.Sink, stages ...pipeline.Stage) {
	b.add("dimensions", dimRows, sink, stages)
}

func (b *builder) add(name string, rows int64, sink pipeline.Sink, stages []pipeline.Stage) {
	b.Program.Pipelines = append(b.Program.Pipelines, pipeline.Pipeline{Name: name, Rows: rows, Counted: pipeline.None, Stages: stages, Sink: sink})
}

// results returns a Write of expressions to new columns with space for rows.
func (b *builder) results(rows int64, es ...*pipeline.Expr) pipeline.Sink {
	s := pipeline.Sink{Op: pipeline.Write, Count: b.array(4, 1, 0)}
	b.Program.Result = pipeline.Result{Count: s.Count}
	for _, e := range es {
		c := b.array(8, rows, 0)
		b.Program.Columns[c].Kind = e.Kind
		s.Stores = append(s.Stores, pipeline.Store{Column: c, Expr: e})
		b.Program.Result.Columns = append(b.Program.Result.Columns, c)
	}
	return s
}

// groups returns a Group by key into a new index, whose accumulators begin as their neutral values.
func (b *builder) groups(index int, key *pipeline.Expr, accs ...pipeline.Acc) pipeline.Sink {
	size := b.Program.Indexes[index].Size
	for i := range accs {
		init := map[pipeline.AccOp]int64{pipeline.Min: math.MaxInt64, pipeline.Max: math.MinInt64, pipeline.BitAnd: -1}[accs[i].Op]
		accs[i].Column = b.array(8, size, init)
		if a := accs[i].Arg; a != nil && a.Kind == pipeline.Float && accs[i].Op == pipeline.Sum {
			b.Program.Columns[accs[i].Column].Kind = pipeline.Float
		}
	}
	return pipeline.Sink{Op: pipeline.Group, Index: index, Key: key, Accs: accs}
}

func filter(p *pipeline.Expr) pipeline.Stage { return pipeline.Stage{Pred: p} }
