package ptx

import (
	"fmt"
	"math"
	"testing"

	"gsql/gpu/pipeline"
)

// Tests of joins take all kinds of joins over indexes of all shapes, with keys that repeat, are NULL, are
// all the same or none at all.

// shapes are those of all indexes.
var shapes = map[string]shape{
	"direct": {}, "direct unique": {unique: true}, "bits": {set: true},
	"hash": {hash: true}, "hash unique": {hash: true, unique: true}, "hash set": {hash: true, set: true},
	"wide": {hash: true, wide: true}, "wide unique": {hash: true, wide: true, unique: true}, "wide set": {hash: true, wide: true, set: true},
}

// builtKeys are the keys that are inserted, from 0 to 1000, and which rows have them.
var builtKeys = map[string]struct {
	unique    bool
	key, keep func(b *builder) *pipeline.Expr
}{
	"unique":   {true, func(b *builder) *pipeline.Expr { return b.minus(b.col(dimKey), b.Int(1)) }, nil},
	"repeated": {false, func(b *builder) *pipeline.Expr { return b.sum(b.col(dimValue), b.Int(100)) }, nil}, // and NULL
	"one": {false, func(b *builder) *pipeline.Expr { return b.Int(7) }, func(b *builder) *pipeline.Expr {
		return b.Compare(pipeline.OpLT, b.col(dimKey), b.Int(60))
	}},
	"none": {true, func(b *builder) *pipeline.Expr { return b.col(dimKey) }, func(b *builder) *pipeline.Expr {
		return b.And(b.Compare(pipeline.OpLT, b.col(dimValue), b.Int(0)), b.Compare(pipeline.OpGT, b.col(dimValue), b.Int(5)))
	}},
}

var joinNames = map[pipeline.Join]string{pipeline.Inner: "inner", pipeline.Left: "left", pipeline.Semi: "semi", pipeline.Anti: "anti", pipeline.Mark: "mark"}

// widened returns a key as one of an index of wide keys, or as it is.
func (b *builder) widened(key *pipeline.Expr, s shape) *pipeline.Expr {
	if s.wide {
		return b.sum(b.times(key, b.Int(1<<40)), b.Int(7))
	}
	return key
}

func (b *builder) build(x int, key, keep, value *pipeline.Expr) {
	var stages []pipeline.Stage
	if keep != nil {
		stages = append(stages, filter(keep))
	}
	b.dims(pipeline.Sink{Op: pipeline.Build, Index: x, Key: key, Value: value}, stages...)
}

// outcome writes the facts with what stage 1, a join of a kind, found.
func (b *builder) outcome(kind pipeline.Join, probe pipeline.Stage, found *pipeline.Expr) {
	out := []*pipeline.Expr{b.Row(pipeline.None, factRows, false)}
	switch {
	case kind == pipeline.Mark:
		out = append(out, b.ToInt(b.Matched(1)))
	case found != nil:
		out = append(out, found, b.ToInt(b.Matched(1)))
	}
	b.facts(b.results(dimRows*factRows/8, out...), filter(b.Compare(pipeline.OpLT, b.col(factGroup), b.Int(1))), probe)
}

func TestJoins(t *testing.T) {
	for name, s := range shapes {
		for keys, built := range builtKeys {
			for kind, kindName := range joinNames {
				for _, where := range []bool{false, true} {
					returns := kind == pipeline.Inner || kind == pipeline.Left
					if s.unique && !built.unique || s.set && (returns || where) {
						continue
					}
					t.Run(fmt.Sprint(name, "/", keys, "/", kindName, "/", where), func(t *testing.T) {
						b := newBuilder()
						x := b.joinIndex(s, 1001, dimRows)
						var keep *pipeline.Expr
						if built.keep != nil {
							keep = built.keep(b)
						}
						b.build(x, b.widened(built.key(b), s), keep, nil)
						probe := pipeline.Stage{Join: kind, Index: x, Key: b.widened(b.times(b.col(factRate), b.Int(7)), s)}
						row := b.Row(1, dimRows, kind == pipeline.Left)
						if where {
							probe.Where = b.Compare(pipeline.OpLT, b.Load(dimValue, 1, kind == pipeline.Left), b.Int(500))
						}
						if !returns || s.set {
							row = nil
						}
						b.outcome(kind, probe, row)
						n, full := compareRuns(t, &simulator{}, b.Program, 1<<(len(name)%3))
						if none := keys == "none" && (kind == pipeline.Inner || kind == pipeline.Semi); full || (n == 0) != none {
							t.Errorf("%d rows; an index is full: %t", n, full)
						}
					})
				}
			}
		}
	}
}

// TestValues joins with indexes that have values instead of rows.
func TestValues(t *testing.T) {
	for name, s := range shapes {
		if !s.unique {
			continue
		}
		for kind, kindName := range map[pipeline.Join]string{pipeline.Inner: "inner", pipeline.Left: "left"} {
			t.Run(name+"/"+kindName, func(t *testing.T) {
				b := newBuilder()
				x := b.joinIndex(s, 1001, dimRows)
				known := b.If(b.IsNull(b.col(dimValue)), b.Int(5000), b.sum(b.col(dimValue), b.Int(100)))
				b.build(x, b.widened(b.minus(b.col(dimKey), b.Int(1)), s), nil, b.sum(known, b.Int(math.MaxUint32-6000)))
				probe := pipeline.Stage{Join: kind, Index: x, Key: b.widened(b.minus(b.col(factKey), b.Int(1)), s)}
				b.outcome(kind, probe, b.Row(1, 1<<32-1, kind == pipeline.Left))
				if n, full := compareRuns(t, &simulator{}, b.Program, 4); n == 0 || full {
					t.Errorf("%d rows; an index is full: %t", n, full)
				}
			})
		}
	}
}

// TestConditionOnResult returns values of left and mark joins that the joins' conditions have read: they
// are NULL where the condition rejects the row.
func TestConditionOnResult(t *testing.T) {
	for name, s := range shapes {
		if s.set {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := newBuilder()
			x := b.joinIndex(s, 1001, dimRows)
			b.build(x, b.widened(b.minus(b.col(dimKey), b.Int(1)), s), nil, nil)
			probe := pipeline.Stage{Join: pipeline.Left, Index: x, Key: b.widened(b.minus(b.col(factKey), b.Int(1)), s)}
			value, key, row := b.Load(dimValue, 1, true), b.Load(dimKey, 1, true), b.Row(1, dimRows, true)
			probe.Where = b.And(b.Compare(pipeline.OpLT, value, b.Int(500)), b.Compare(pipeline.OpLT, row, b.col(factKey)), b.Compare(pipeline.OpGT, key, b.Int(3)))
			b.facts(b.results(factRows, b.Row(pipeline.None, factRows, false), value, b.ToInt(b.IsNull(value)), key, b.ToInt(b.IsNull(key)), b.ToInt(b.IsNull(row))),
				filter(b.Compare(pipeline.OpLT, b.col(factGroup), b.Int(2))), probe)
			if n, full := compareRuns(t, &simulator{}, b.Program, 4); n == 0 || full {
				t.Errorf("%d rows; an index is full: %t", n, full)
			}
		})
	}
}

// TestNumberedKeys joins by two columns of which the first is numbered, with NULLs on both sides.
func TestNumberedKeys(t *testing.T) {
	for _, size := range []int64{64, 2048} {
		b := newBuilder()
		numbers := b.groupIndex(true, size)
		x := b.joinIndex(shape{hash: true, wide: true}, 1500, dimRows)
		number := b.Slot(numbers, b.sum(b.col(dimValue), b.Int(100)))
		known := b.Not(b.IsNull(b.col(dimValue)))
		b.dims(pipeline.Sink{Op: pipeline.Build, Index: x, Key: b.sum(b.times(number, b.Int(2)), must(b.Quotient(pipeline.OpRem, b.col(dimKey), b.Int(2))))}, filter(known))
		found := b.Find(numbers, b.times(b.col(factRate), b.Int(7)))
		probe := pipeline.Stage{Join: pipeline.Left, Index: x, Key: b.sum(b.times(found, b.Int(2)), must(b.Quotient(pipeline.OpRem, b.col(factKey), b.Int(2))))}
		b.outcome(pipeline.Left, probe, b.Row(1, dimRows, true))
		if n, full := compareRuns(t, &simulator{}, b.Program, 4); full != (size == 64) || n == 0 && !full {
			t.Errorf("%d numbers: %d rows; an index is full: %t", size, n, full)
		}
	}
}

// TestMarks marks the rows that joins find, and returns the others.
func TestMarks(t *testing.T) {
	for _, s := range []shape{{}, {unique: true}, {hash: true}, {hash: true, unique: true}} {
		for _, where := range []bool{false, true} {
			b := newBuilder()
			x := b.joinIndex(s, 1001, dimRows)
			key := builtKeys["repeated"].key(b)
			if s.unique {
				key = builtKeys["unique"].key(b)
			}
			b.build(x, key, nil, nil)
			marks := b.array(1, dimRows, 0)
			b.Program.Columns[marks].Min, b.Program.Columns[marks].Max = 0, 1
			probe := pipeline.Stage{Join: pipeline.Left, Index: x, Key: b.minus(b.col(factKey), b.Int(1)), Marks: []int{marks}}
			if where {
				probe.Where = b.Compare(pipeline.OpLT, b.Load(dimValue, 1, true), b.Int(500))
			}
			b.outcome(pipeline.Left, probe, nil)
			b.dims(b.results(dimRows, b.Row(pipeline.None, dimRows, false)), filter(b.Compare(pipeline.OpEQ, b.col(marks), b.Int(0))))
			if n, full := compareRuns(t, &simulator{}, b.Program, 4); n == 0 || n == dimRows || full {
				t.Errorf("%+v: %d rows are not marked; an index is full: %t", s, n, full)
			}
		}
	}
}

// TestRepeatedKeys inserts keys twice into indexes of keys that should be unique, and unique ones.
func TestRepeatedKeys(t *testing.T) {
	for name, s := range shapes {
		if !s.unique && !s.set {
			continue
		}
		for keys, built := range builtKeys {
			t.Run(name+"/"+keys, func(t *testing.T) {
				b := newBuilder()
				x := b.joinIndex(s, 1001, dimRows)
				b.Program.Indexes[x].Unique = true
				var keep *pipeline.Expr
				if built.keep != nil {
					keep = built.keep(b)
				}
				b.build(x, b.widened(built.key(b), s), keep, nil)
				b.outcome(pipeline.Semi, pipeline.Stage{Join: pipeline.Semi, Index: x, Key: b.widened(b.minus(b.col(factKey), b.Int(1)), s)}, nil)
				if _, twice := compareRuns(t, &simulator{}, b.Program, 4); twice == built.unique {
					t.Errorf("keys repeat: %t", twice)
				}
			})
		}
	}
}

// TestFullSlots inserts more keys than there are slots, and half as many.
func TestFullSlots(t *testing.T) {
	for name, s := range shapes {
		if !s.hash {
			continue
		}
		for _, size := range []int64{dimRows - 12, 2 * dimRows} {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				b := newBuilder()
				x := b.joinIndex(s, size, dimRows)
				b.build(x, b.widened(b.minus(b.col(dimKey), b.Int(1)), s), nil, nil)
				b.outcome(pipeline.Semi, pipeline.Stage{Join: pipeline.Semi, Index: x, Key: b.widened(b.minus(b.col(factKey), b.Int(1)), s)}, nil)
				if _, full := compareRuns(t, &simulator{}, b.Program, 4); full != (size < dimRows) {
					t.Errorf("the index is full: %t", full)
				}
			})
		}
	}
}
