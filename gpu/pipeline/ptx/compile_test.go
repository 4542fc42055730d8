package ptx

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gsql/gpu/pipeline"
)

// programs are one program for each construct.
var programs = map[string]func(b *builder){
	"sum":       scalarSum,
	"registers": func(b *builder) { grouped(b, 6, b.col(factGroup)) },
	"shared": func(b *builder) {
		grouped(b, 400, must(b.Quotient(pipeline.OpRem, b.minus(b.col(factKey), b.Int(1)), b.Int(400))))
	},
	"bits": func(b *builder) { bitwise(b, 6, b.col(factGroup)) },
	"bits_shared": func(b *builder) {
		bitwise(b, 400, must(b.Quotient(pipeline.OpRem, b.minus(b.col(factKey), b.Int(1)), b.Int(400))))
	},
	"bits_global": func(b *builder) { bitwise(b, 3001, b.minus(b.col(factDay), b.Int(8000))) },
	"global":      func(b *builder) { grouped(b, 3001, b.minus(b.col(factDay), b.Int(8000))) },
	"hashed":      func(b *builder) { hashed(b, 8192) },
	"full":        func(b *builder) { hashed(b, 64) },
	"numbered":    numbered,
	"top":         func(b *builder) { top(b, 1, 25) },
	"sample":      func(b *builder) { top(b, 3, 25) },
	"first":       func(b *builder) { top(b, 1, 1) },
	"too few":     func(b *builder) { top(b, 2, factRows) },
	"some":        some,
	"inner":       func(b *builder) { joined(b, pipeline.Inner, shape{unique: true}, false) },
	"chain":       func(b *builder) { joined(b, pipeline.Inner, shape{hash: true}, false) },
	"left":        func(b *builder) { joined(b, pipeline.Left, shape{hash: true}, true) },
	"semi":        func(b *builder) { joined(b, pipeline.Semi, shape{hash: true}, true) },
	"anti":        func(b *builder) { joined(b, pipeline.Anti, shape{}, true) },
	"mark":        func(b *builder) { joined(b, pipeline.Mark, shape{hash: true, unique: true}, true) },
	"set":         inSet,
	"values":      values,
	"put":         func(b *builder) { placed(b, nil) },
	"put_at":      func(b *builder) { placed(b, b.minus(b.Int(factRows-1), b.Row(pipeline.None, factRows, false))) },
	"search":      searches,
}

// searches looks values up among ascending ones: all of them, some and none.
func searches(b *builder) {
	ascending := b.array(8, factRows, 0)
	row := b.Row(pipeline.None, factRows, false)
	b.facts(pipeline.Sink{Op: pipeline.Put, Stores: []pipeline.Store{{Column: ascending, Expr: b.minus(b.times(must(b.Quotient(pipeline.OpQuo, row, b.Int(3))), b.Int(5)), b.Int(100))}}})
	var found []*pipeline.Expr
	for _, n := range []int64{factRows, 17, 1, 0} {
		for _, equal := range []bool{false, true} {
			found = append(found, b.Below(ascending, b.col(factPrice), b.Int(n), equal), b.Below(ascending, b.col(factWide), b.Int(n), equal))
		}
	}
	found = append(found, b.Below(ascending, b.col(factRate), b.col(factKey), false))
	for i, e := range found {
		if e.Nullable {
			found[i] = b.If(b.IsNull(e), b.Int(-1), e)
		}
	}
	b.facts(b.results(factRows, append(found, row)...), filter(b.Compare(pipeline.OpNE, b.col(factGroup), b.Int(3))))
}

// placed stores values of some rows at places, their own if there is no key, and returns all places.
func placed(b *builder, key *pipeline.Expr) {
	wide, narrow := b.array(8, factRows, -1), b.array(4, factRows, 7)
	sink := pipeline.Sink{Op: pipeline.Put, Key: key, Stores: []pipeline.Store{{Column: wide, Expr: b.col(factWide)}, {Column: narrow, Expr: b.col(factRate)}}}
	b.facts(sink, filter(b.Compare(pipeline.OpNE, b.col(factGroup), b.Int(3))))
	b.add("places", factRows, b.results(factRows, b.Row(pipeline.None, factRows, false), b.col(wide), b.col(narrow)), nil)
}

// scalarSum is TPC-H's query 6 in form: three filters, a product and a sum.
func scalarSum(b *builder) {
	x := b.groupIndex(false, 1)
	day, rate := b.col(factDay), b.col(factRate)
	keep := b.And(b.Compare(pipeline.OpGE, day, b.Int(9000)), b.Compare(pipeline.OpLT, day, b.Int(9365)),
		b.Compare(pipeline.OpGE, rate, b.Int(5)), b.Compare(pipeline.OpLE, rate, b.Int(7)))
	b.facts(b.groups(x, b.Int(0), pipeline.Acc{Op: pipeline.Sum, Arg: b.times(b.col(factPrice), rate)}, pipeline.Acc{Op: pipeline.CountRows}), filter(keep))
	accs := b.Program.Pipelines[0].Sink.Accs
	b.add("sum", 1, b.results(1, b.col(accs[0].Column), b.col(accs[1].Column)), nil)
}

// grouped aggregates by a direct index with every accumulator.
func grouped(b *builder, size int64, key *pipeline.Expr) {
	x := b.groupIndex(false, size)
	b.facts(b.groups(x, key, allAccs(b)...), filter(b.Compare(pipeline.OpNE, b.col(factKey), b.Int(17))))
	writeGroups(b, size, b.Row(pipeline.None, size, false))
}

// bitwise aggregates bits by a direct index.
func bitwise(b *builder, size int64, key *pipeline.Expr) {
	x, wide := b.groupIndex(false, size), b.col(factWide)
	accs := []pipeline.Acc{{Op: pipeline.CountRows}, {Op: pipeline.BitAnd, Arg: wide}, {Op: pipeline.BitOr, Arg: b.col(factRate)}, {Op: pipeline.BitXor, Arg: wide}}
	b.facts(b.groups(x, key, accs...))
	writeGroups(b, size, b.Row(pipeline.None, size, false))
}

func allAccs(b *builder) []pipeline.Acc {
	wide, real := b.col(factWide), b.col(factReal)
	return []pipeline.Acc{
		{Op: pipeline.CountRows}, {Op: pipeline.Count, Arg: b.col(factRate)}, {Op: pipeline.Sum, Arg: b.col(factRate)},
		{Op: pipeline.SumLow, Arg: wide}, {Op: pipeline.SumHigh, Arg: wide}, {Op: pipeline.Min, Arg: wide}, {Op: pipeline.Max, Arg: wide},
		{Op: pipeline.Sum, Arg: real},
	}
}

// writeGroups writes the slots that have rows, each with its key.
func writeGroups(b *builder, size int64, key *pipeline.Expr) {
	out := []*pipeline.Expr{key}
	accs := b.Program.Pipelines[0].Sink.Accs
	for _, a := range accs {
		out = append(out, b.col(a.Column))
	}
	b.add("groups", size, b.results(size, out...), []pipeline.Stage{filter(b.Compare(pipeline.OpGT, b.col(accs[0].Column), b.Int(0)))})
}

// hashed aggregates by a hash index of a key of two columns.
func hashed(b *builder, size int64) {
	x := b.groupIndex(true, size)
	key := b.sum(b.times(b.minus(b.col(factDay), b.Int(8000)), b.Int(6)), b.col(factGroup))
	b.facts(b.groups(x, key, allAccs(b)...))
	writeGroups(b, b.Program.Indexes[x].Size, b.col(b.Program.Indexes[x].Keys))
}

// numbered aggregates by a hash index of two columns of which the first was numbered by another.
func numbered(b *builder) {
	first, x := b.groupIndex(true, 8192), b.groupIndex(true, 16384)
	slot := b.Slot(first, b.minus(b.col(factDay), b.Int(8000)))
	key := b.sum(b.times(slot, b.Int(6)), b.col(factGroup))
	b.facts(b.groups(x, key, allAccs(b)...), filter(b.Compare(pipeline.OpGT, b.col(factKey), b.Int(500))))
	packed := b.col(b.Program.Indexes[x].Keys)
	day := b.Lookup(b.Program.Indexes[first].Keys, must(b.Quotient(pipeline.OpQuo, packed, b.Int(6))))
	writeGroups(b, b.Program.Indexes[x].Size, b.sum(b.times(day, b.Int(6)), must(b.Quotient(pipeline.OpRem, packed, b.Int(6)))))
}

// top keeps the rows among which are the need of the least wide number, by a sample of the facts.
func top(b *builder, sample, need int64) {
	wide, to := b.col(factWide), b.array(8, 1, 0)
	words, count := b.array(8, factRows, 0), b.array(4, 1, 0)
	b.facts(pipeline.Sink{Op: pipeline.Write, Count: count, Partial: true, Stores: []pipeline.Store{{Column: words, Expr: wide}}})
	b.Program.Pipelines[0].Sample = sample
	b.Program.Pipelines = append(b.Program.Pipelines, pipeline.Pipeline{Name: "bound", Rows: 1, Counted: pipeline.None,
		Bound: &pipeline.Bound{Words: words, Count: count, To: to, Need: need}})
	b.facts(b.results(factRows, wide, b.Lookup(to, b.Int(0))), filter(b.Compare(pipeline.OpLE, wide, b.Lookup(to, b.Int(0)))))
}

// some writes fewer rows than there are.
func some(b *builder) {
	s := b.results(700, b.Int(3))
	s.Partial = true
	b.facts(s, filter(b.Compare(pipeline.OpLT, b.col(factKey), b.Int(500))))
}

// joined joins facts with dimensions of value > 0 and writes the pairs.
func joined(b *builder, kind pipeline.Join, s shape, where bool) {
	x := b.joinIndex(s, 1000, dimRows)
	b.dims(pipeline.Sink{Op: pipeline.Build, Index: x, Key: b.minus(b.col(dimKey), b.Int(1))}, filter(b.Compare(pipeline.OpGT, b.col(dimValue), b.Int(0))))
	st := pipeline.Stage{Join: kind, Index: x, Key: b.minus(b.col(factKey), b.Int(1))}
	value := b.Load(dimValue, 1, kind == pipeline.Left)
	if where {
		st.Where = b.Compare(pipeline.OpLT, value, b.times(b.col(factRate), b.Int(100)))
	}
	out := []*pipeline.Expr{b.col(factKey), b.Row(pipeline.None, factRows, false)}
	switch kind {
	case pipeline.Inner, pipeline.Left:
		out = append(out, value, b.ToInt(b.Not(b.IsNull(value))))
	case pipeline.Mark:
		out = append(out, b.ToInt(b.Matched(1)))
	}
	b.facts(b.results(4*factRows, out...), filter(b.Compare(pipeline.OpLT, b.col(factGroup), b.Int(4))), st)
}

// inSet keeps facts whose key is in a set of dimensions.
func inSet(b *builder) {
	x := b.joinIndex(shape{set: true}, 1000, dimRows)
	b.dims(pipeline.Sink{Op: pipeline.Build, Index: x, Key: b.minus(b.col(dimKey), b.Int(1))}, filter(b.IsNull(b.col(dimValue))))
	b.facts(b.results(factRows, b.Row(pipeline.None, factRows, false)), pipeline.Stage{Join: pipeline.Semi, Index: x, Key: b.minus(b.col(factKey), b.Int(1))})
}

// values writes one expression for each operation.
func values(b *builder) {
	day, rate, wide, real := b.col(factDay), b.col(factRate), b.col(factWide), b.col(factReal)
	table := b.AddColumn(pipeline.Column{Kind: pipeline.Int, Width: 1, Max: 255, Relation: pipeline.None, Data: []byte{3, 1, 4, 1, 5, 9}})
	isNull := b.IsNull(rate)
	es := []*pipeline.Expr{
		b.Row(pipeline.None, factRows, false),
		b.sum(day, wide), b.minus(b.Int(5), rate), b.times(wide, b.Int(3)), must(b.Neg(day)), must(b.Abs(wide)),
		must(b.Quotient(pipeline.OpQuo, wide, b.Int(-7))), must(b.Quotient(pipeline.OpRem, wide, day)),
		must(b.Quotient(pipeline.OpQuoRound, wide, b.Int(10))), must(b.Quotient(pipeline.OpQuoRound, b.minus(day, b.Int(9000)), b.sum(b.col(factKey), b.Int(1)))),
		b.Extreme(pipeline.OpLess, wide, day), b.Extreme(pipeline.OpGreater, rate, b.Int(4)),
		b.If(isNull, b.Int(-1), rate), b.If(b.Compare(pipeline.OpGT, rate, b.Int(3)), wide, day),
		b.ToInt(b.Or(isNull, b.Compare(pipeline.OpEQ, rate, b.Int(2)))), b.ToInt(b.Not(b.And(b.Compare(pipeline.OpLT, rate, b.Int(2)), b.Compare(pipeline.OpGE, wide, b.Int(0))))),
		b.ToInt(b.IsNull(b.Or(b.Compare(pipeline.OpLT, rate, b.Int(2)), b.Compare(pipeline.OpGE, wide, b.Int(0))))),
		b.Lookup(table, b.col(factGroup)),
		b.ToInt(b.Compare(pipeline.OpLE, real, b.Float(0.5))),
	}
	es = append(es, b.FromOrdered(b.Ordered(b.times(real, b.Float(-1.5)))), b.Ordered(b.minus(real, b.Float(0.5))), b.Ordered(must(b.Neg(b.times(real, b.ToFloat(b.col(factGroup)))))))
	es = append(es, b.ToFloat(wide), b.times(real, b.Float(1.5)), must(b.Quotient(pipeline.OpQuo, real, b.Float(3))), must(b.Neg(real)), must(b.Abs(b.minus(real, b.Float(0.5)))))
	b.facts(b.results(factRows, es...))
}

// TestTexts compiles every program, twice with the same result. With GSQL_PTX set to a folder, it
// leaves the texts there, for an assembler; GSQL_PTX_ROWS is the number of rows of a thread.
func TestTexts(t *testing.T) {
	rows, _ := strconv.Atoi(os.Getenv("GSQL_PTX_ROWS"))
	for name, make := range programs {
		var texts [2]string
		for i := range texts {
			b := newBuilder()
			make(b)
			code, err := Compile(b.Program, Options{Shared: 100 << 10, Rows: rows})
			if err != nil {
				t.Fatal(name, err)
			}
			for _, l := range code.Launches {
				texts[i] += l.Text
			}
		}
		if texts[0] != texts[1] {
			t.Errorf("%s has two texts", name)
		}
		if dir := os.Getenv("GSQL_PTX"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name+".ptx"), []byte(strings.ReplaceAll(texts[0], head, "")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
