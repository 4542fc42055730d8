//go:build sim || cuda

package radix

import (
	"slices"
	"testing"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/join/jointest"
)

// rowsOutput collects joined columns of 4-byte values, or of 8-byte keys and values.
type rowsOutput struct {
	t        *testing.T
	task     *engine.Task
	to       Joined
	capacity int64
	wide     bool
	rows     [][]int64 // key, left columns, right columns
}

func newRowsOutput(t *testing.T, task *engine.Task, p Payload, capacity int64, wide bool) *rowsOutput {
	o := &rowsOutput{t: t, task: task, capacity: capacity, wide: wide}
	column := func() gpu.Ptr { return enginetest.Upload(t, task, make([]int64, capacity)) }
	for range p.Left {
		o.to.Left = append(o.to.Left, column())
	}
	for range p.Right {
		o.to.Right = append(o.to.Right, column())
	}
	if p.Key {
		o.to.Key = column()
	}
	return o
}

func (o *rowsOutput) Piece() (Joined, int64, error) { return o.to, o.capacity, nil }

func (o *rowsOutput) Emit(n int64) error {
	var columns [][]int64
	for _, p := range append(append([]gpu.Ptr{o.to.Key}, o.to.Left...), o.to.Right...) {
		if p == 0 {
			continue
		}
		if o.wide {
			columns = append(columns, enginetest.Download[int64](o.t, o.task, p, n))
			continue
		}
		var c []int64
		for _, v := range enginetest.Download[int32](o.t, o.task, p, n) {
			c = append(c, int64(v))
		}
		columns = append(columns, c)
	}
	for i := range n {
		var row []int64
		for _, c := range columns {
			row = append(row, c[i])
		}
		o.rows = append(o.rows, row)
	}
	return nil
}

// TestColumns carries payloads through the partition and the join.
func TestColumns(t *testing.T) {
	const left, right = 150, 220
	e := enginetest.New(t, 16<<20)
	for name, c := range map[string]struct {
		kind  column.Kind
		width int // columns a side
		nulls bool
	}{"4": {column.I32, 1, false}, "4+4": {column.I32, 2, true}, "8": {column.I64, 1, true}} {
		t.Run(name, func(t *testing.T) {
			l, r := keys(c.kind, "few", left, 1, c.nulls), keys(c.kind, "few", right, 2, false)
			var lefts, rights []jointest.Values
			for i := range c.width {
				lefts = append(lefts, keys(c.kind, "extreme", left, uint64(10+i), false))
				rights = append(rights, keys(c.kind, "sparse", right, uint64(20+i), false))
			}
			for _, buildLeft := range []bool{true, false} {
				within(t, e, func(task *engine.Task) {
					in := upload(t, task, equality(l, r), false)
					p := Payload{Key: buildLeft}
					for i := range c.width {
						p.Left, p.Right = append(p.Left, lefts[i].Column(t, task)), append(p.Right, rights[i].Column(t, task))
					}
					if !Carries(in, p) {
						t.Fatal("it carries no such columns")
					}
					out := newRowsOutput(t, task, p, 900, c.kind == column.I64)
					if err := Columns(task, in, p, out, Options{BuildLeft: buildLeft, ProbeRows: 100}); err != nil {
						t.Fatal(err)
					}
					var want [][]int64
					for _, pair := range jointest.Pairs(left, right, equality(l, r)) {
						var row []int64
						if p.Key {
							row = append(row, l.Ints[pair.Left])
						}
						for _, v := range lefts {
							row = append(row, v.Ints[pair.Left])
						}
						for _, v := range rights {
							row = append(row, v.Ints[pair.Right])
						}
						want = append(want, row)
					}
					slices.SortFunc(out.rows, slices.Compare)
					slices.SortFunc(want, slices.Compare)
					if !slices.EqualFunc(out.rows, want, slices.Equal) {
						t.Errorf("%d rows, want %d", len(out.rows), len(want))
					}
				})
			}
		})
	}
}
