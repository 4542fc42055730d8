//go:build sim || cuda

package run

import (
	"cmp"
	"slices"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/enginetest"
	"gsql/gpu/pipeline"
	"gsql/internal/mem"
)

// numbered is a program that returns rows numbered from 0 on, with two words of their order: the first
// has many equal numbers, the second negative ones.
func numbered(rows int64, o pipeline.Order) *pipeline.Program {
	b := pipeline.NewBuilder()
	row := b.Row(pipeline.None, rows, false)
	must := func(e *pipeline.Expr, err error) *pipeline.Expr {
		if err != nil {
			panic(err)
		}
		return e
	}
	first := must(b.Quotient(pipeline.OpRem, must(b.Arith(pipeline.OpMul, row, b.Int(7919))), b.Int(1009)))
	second := must(b.Arith(pipeline.OpMul, row, b.Int(-1<<20)))
	write(b, rows, rows, nil, row, first, second)
	for i, e := range []*pipeline.Expr{row, first, second} {
		c := &b.Program.Columns[b.Program.Result.Columns[i]]
		c.Min, c.Max = e.Min, e.Max
	}
	b.Program.Columns[b.Program.Result.Columns[1]].Width = 4
	b.Program.Result.Order = &o
	return b.Program
}

// TestSort compares rows that the device orders with those that the test sorts, and leaves few rows, and
// those for whose order the device has no memory, as they are.
func TestSort(t *testing.T) {
	const many = pipeline.HostRows + 3000
	for _, c := range []struct {
		name    string
		rows    int64
		memory  int64
		order   pipeline.Order
		ordered bool
	}{
		{"two words", many, 64 << 20, pipeline.Order{Words: []int{1, 2}, Limit: -1}, true},
		{"offset", many, 64 << 20, pipeline.Order{Words: []int{2}, Limit: -1, Offset: 7}, true},
		{"limit", many, 64 << 20, pipeline.Order{Words: []int{1, 2}, Limit: 100, Offset: 11}, true},
		{"beyond the end", many, 64 << 20, pipeline.Order{Words: []int{1}, Limit: 9, Offset: many + 1}, true},
		{"few", 3000, 64 << 20, pipeline.Order{Words: []int{1, 2}, Limit: -1}, false},
		{"little memory", many, 3 << 19, pipeline.Order{Words: []int{1, 2}, Limit: -1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := enginetest.Begin(t, enginetest.New(t, c.memory))
			acct := mem.NewRoot("test", 0)
			free := task.Free()
			got, _, err := mustJob(t, numbered(c.rows, c.order)).Run(task, acct, Inputs{Column: func(int, int) column.Narrow { return column.Narrow{} }})
			if err != nil {
				t.Fatal(err)
			}
			want := make([]int64, c.rows)
			for i := range want {
				want[i] = int64(i)
			}
			if c.ordered {
				slices.SortFunc(want, func(x, y int64) int {
					for _, w := range c.order.Words {
						if d := cmp.Compare([]int64{x, x * 7919 % 1009, -x}[w], []int64{y, y * 7919 % 1009, -y}[w]); d != 0 {
							return d
						}
					}
					return 0
				})
				from, to := c.order.Part(len(want))
				want = want[from:to]
			}
			have := make([]int64, got.Count)
			got.Columns[0].Ints(have, 0)
			if !c.ordered {
				slices.Sort(have)
			}
			if got.Ordered != c.ordered || !slices.Equal(have, want) {
				t.Errorf("%d rows, in order: %t; want %d", got.Count, got.Ordered, len(want))
			}
			if got.Free(); acct.Used() != 0 || task.Free() != free {
				t.Error("memory is not free")
			}
		})
	}
}
