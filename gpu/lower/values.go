package lower

import (
	"math"
	"math/bits"
	"slices"

	"gsql/gpu/pipeline"
)

// An index of unique keys may store, instead of row numbers, the values that the stages that probe
// it load at the row, if they fit. That saves a random access for each row found. If the stages
// load nothing, the index is a set.

// field is a column that is loaded at the rows that an index finds, stored as bits of a value.
type field struct {
	column       int
	least, span  int64 // NULL is the last value of span
	null         bool
	shift, width int
}

// use is a stage that probes an index.
type use struct {
	pl    *pipeline.Pipeline
	stage int
}

// valuesInIndexes replaces the row numbers of indexes where that is possible.
func (l *lowering) valuesInIndexes() error {
	for i := range l.Program.Indexes {
		x := &l.Program.Indexes[i]
		if x.Next != pipeline.None || x.Heads == pipeline.None && !(x.Slots != pipeline.None && x.Rows) {
			continue
		}
		uses := l.usesOf(i)
		columns, ok := loaded(uses)
		if !ok {
			continue
		}
		if len(columns) == 0 {
			l.makeSet(i)
			continue
		}
		if fields, most := l.fields(columns); fields != nil {
			if err := l.makeValues(i, uses, fields, most); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lowering) usesOf(index int) (uses []use) {
	for p := range l.Program.Pipelines {
		pl := &l.Program.Pipelines[p]
		for s := range pl.Stages {
			if pl.Stages[s].Pred == nil && pl.Stages[s].Index == index {
				uses = append(uses, use{pl, s})
			}
		}
	}
	return uses
}

// loaded returns the columns that are loaded at the rows of stages, or false if the rows' numbers
// are needed, too.
func loaded(uses []use) (columns []int, ok bool) {
	ok = true
	for _, u := range uses {
		ok = ok && len(u.pl.Stages[u.stage].Marks) == 0
		u.pl.Walk(func(e *pipeline.Expr) {
			switch {
			case e.At != u.stage:
			case e.Op == pipeline.OpRow:
				ok = false
			case e.Op == pipeline.OpLoad && !slices.Contains(columns, e.Column):
				columns = append(columns, e.Column)
			}
		})
	}
	return columns, ok
}

// makeSet removes the rows from an index.
func (l *lowering) makeSet(index int) {
	x := &l.Program.Indexes[index]
	if s := l.spans[index]; x.Hash && index != l.passing.index && fitsBits(s.values, s.rows) {
		x.Hash, x.Wide, x.Rows, x.Size = false, false, false, s.values
		x.Heads, x.Slots = x.Slots, pipeline.None
		l.Program.Columns[x.Heads].Width = 4
	}
	if x.Slots != pipeline.None {
		x.Rows = false
		c := &l.Program.Columns[x.Slots]
		width := x.SlotBytes()
		count := pipeline.BucketBytes / width
		x.Size = (x.Size + count - 1) / count * count
		c.Width, c.Size = int(width), x.Size
		return
	}
	c := &l.Program.Columns[x.Heads]
	c.Size, c.Init, c.Min, c.Max = (x.Size+31)/32, 0, 0, 0
	x.Bits, x.Heads = x.Heads, pipeline.None
}

// fields returns the positions of columns in a value, and the largest value, or nil if they do not
// fit.
func (l *lowering) fields(columns []int) (fields []field, most int64) {
	shift := 0
	for _, c := range columns {
		col := &l.Program.Columns[c]
		span := uint64(col.Max) - uint64(col.Min)
		if col.Kind != pipeline.Int || span >= math.MaxUint32 {
			return nil, 0
		}
		f := field{column: c, least: col.Min, span: int64(span) + 1, null: col.Nullable, shift: shift}
		if f.null {
			f.span++
		}
		f.width = bits.Len64(uint64(f.span - 1))
		if shift += f.width; shift > 32 {
			return nil, 0
		}
		most += (f.span - 1) << f.shift
		fields = append(fields, f)
	}
	if most >= math.MaxUint32 {
		return nil, 0
	}
	return fields, most
}

// makeValues stores fields in an index instead of rows.
func (l *lowering) makeValues(index int, uses []use, fields []field, most int64) error {
	at := slices.IndexFunc(l.Program.Pipelines, func(p pipeline.Pipeline) bool {
		return p.Sink.Op == pipeline.Build && p.Sink.Index == index && p.Bound == nil
	})
	sink := &l.Program.Pipelines[at].Sink
	sink.Value = l.Int(0)
	for _, f := range fields {
		e, err := l.encoded(sink, f)
		if err == nil {
			sink.Value, err = l.Arith(pipeline.OpAdd, sink.Value, e)
		}
		if err != nil {
			return err
		}
	}
	for _, u := range uses {
		if err := l.decode(u, fields, most); err != nil {
			return err
		}
	}
	return nil
}

// encoded returns a field of the build side's rows. The sink no longer stores the column.
func (l *lowering) encoded(sink *pipeline.Sink, f field) (*pipeline.Expr, error) {
	e := l.Load(f.column, pipeline.None, false)
	if s := slices.IndexFunc(sink.Stores, func(s pipeline.Store) bool { return s.Column == f.column }); s >= 0 {
		if e = sink.Stores[s].Expr; e.Nullable { // NULLs are stored as 0
			e = l.If(l.IsNull(e), l.Int(0), e)
		}
		sink.Stores = slices.Delete(sink.Stores, s, s+1)
		l.Program.Columns[f.column].Size = 0
	}
	offset, err := l.Arith(pipeline.OpSub, e, l.Int(f.least))
	if err != nil {
		return nil, err
	}
	if f.null {
		offset = l.If(l.IsNull(e), l.Int(f.span-1), offset)
	}
	return l.Arith(pipeline.OpMul, offset, l.Int(1<<f.shift))
}

// decode replaces the loads of fields at the rows of a stage by parts of the value found.
func (l *lowering) decode(u use, fields []field, most int64) error {
	value := l.Row(u.stage, most+1, u.pl.Stages[u.stage].Join == pipeline.Left)
	parts := map[int]*pipeline.Expr{}
	for i, f := range fields {
		e, err := l.Quotient(pipeline.OpQuo, value, l.Int(1<<f.shift))
		if err == nil && i < len(fields)-1 {
			e, err = l.Quotient(pipeline.OpRem, e, l.Int(1<<f.width))
		}
		if err != nil {
			return err
		}
		parts[f.column], err = l.Arith(pipeline.OpAdd, e, l.Int(f.least))
		if err != nil {
			return err
		}
		if f.null {
			parts[f.column] = l.If(l.Compare(pipeline.OpEQ, e, l.Int(f.span-1)), l.Null(pipeline.Int), parts[f.column])
		}
	}
	u.pl.EachExpr(func(e *pipeline.Expr) *pipeline.Expr {
		return l.Replace(e, func(e *pipeline.Expr) *pipeline.Expr {
			if e.Op == pipeline.OpLoad && e.At == u.stage {
				return parts[e.Column]
			}
			return nil
		})
	})
	return nil
}
