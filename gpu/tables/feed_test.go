//go:build sim || cuda

package tables_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/tables"
	"gsql/sql/catalog"
)

// feed is a source of blocks.
type feed interface {
	Stream(s *engine.Stream, ordinals []int, run func(b *engine.Block, first, rows int64) error) error
}

// received collects the rows that a feed streams to the device, as lines in the order of blocks.
func received(t *testing.T, task *engine.Task, f feed, ordinals []int, forms []column.Narrow, total int64) (lines []string, err error) {
	t.Helper()
	columns := make([]engine.StreamColumn, len(forms))
	for i, c := range forms {
		columns[i] = engine.StreamColumn{Width: c.Width, Nullable: c.Valid != 0}
	}
	s, err := task.NewStream(columns, total)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var mu sync.Mutex
	type block struct {
		first int64
		lines []string
	}
	var blocks []block
	err = f.Stream(s, ordinals, func(b *engine.Block, first, rows int64) error {
		mu.Lock()
		defer mu.Unlock()
		return s.Run(b, first, rows, func(values, valid []gpu.Ptr) error {
			var of []string
			host, bits := make([][]byte, len(forms)), make([][]byte, len(forms))
			for i, c := range forms {
				host[i] = enginetest.Download[byte](t, task, values[i]+gpu.Ptr(first*int64(c.Width)), rows*int64(c.Width))
				if c.Valid != 0 {
					bits[i] = enginetest.Download[byte](t, task, valid[i]+gpu.Ptr(first/8), (rows+7)/8)
				}
			}
			for r := range int(rows) {
				line := ""
				for i, c := range forms {
					if bits[i] != nil && bits[i][r/8]>>(r%8)&1 == 0 {
						line += "NULL "
					} else {
						line += fmt.Sprint(int64(numberAt(host[i], c.Width, r))+c.Bias, " ")
					}
				}
				of = append(of, line)
			}
			blocks = append(blocks, block{first, of})
			return nil
		})
	})
	slices.SortStableFunc(blocks, func(a, b block) int { return cmp.Compare(a.first, b.first) })
	for _, b := range blocks {
		lines = append(lines, b.lines...)
	}
	return lines, err
}

// rowsOf returns the rows of a table in the same form.
func rowsOf(table *table, ordinals []int) (lines []string) {
	for _, b := range table.batches {
		for r := range b.N {
			line := ""
			for _, o := range ordinals {
				if d := catalog.DatumAt(b.Cols[o], r); d.Null {
					line += "NULL "
				} else {
					line += fmt.Sprint(integer(d), " ")
				}
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// TestFeeds streams tables from host memory, in their order, and straight from a scan, in any order.
func TestFeeds(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	ordinals := []int{0, 1, 2, 4, 7}
	for _, sizes := range [][]int{{1}, {63, 1, 64, 130}, {500, 3, 7000, 1, 4001, 2500}} {
		table := newTable(1, batches(r, sizes...)...)
		want := rowsOf(table, ordinals)
		task := enginetest.Begin(t, enginetest.New(t, 16<<20))
		if _, err := task.Alloc(task.Free() - 3*2048*40); err != nil { // blocks of 2048 rows
			t.Fatal(err)
		}
		ctx := query(context.Background(), 0)
		f, err := tables.Read(ctx, table, ordinals)
		if err != nil {
			t.Fatal(err)
		}
		var forms, expected []column.Narrow
		for _, o := range ordinals {
			forms = append(forms, f.Column(o))
			c, err := tables.Statistics{}.Column(table, o)
			if err != nil || !tables.Directly(table, o) {
				t.Fatal(err)
			}
			expected = append(expected, c)
		}
		got, err := received(t, task, f, ordinals, forms, int64(len(want)))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v from memory: %d rows %.200v, error %v, want %d %.200v", sizes, len(got), got, err, len(want), want)
		}
		f.Free()
		d := tables.NewDirect(ctx, table, nil)
		got, err = received(t, task, d, ordinals, expected, int64(len(want)))
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v from a scan: %d rows %.200v, error %v, want %d %.200v", sizes, len(got), got, err, len(want), want)
		}
		if d.Free(); ctx.Mem.Used() != 0 {
			t.Errorf("%d bytes are still charged", ctx.Mem.Used())
		}
	}
}

// TestDirectFails streams a table whose scan fails, and one with values beyond the bounds of its statistics.
func TestDirectFails(t *testing.T) {
	failed := errors.New("a file is gone")
	for _, want := range []error{failed, column.ErrRange} {
		table := newTable(1, batches(rand.New(rand.NewPCG(4, 5)), 3000, 5000, 2000)...)
		if want == failed {
			table.fail = failed
		} else {
			least, most := catalog.Int(-9), catalog.Int(100)
			table.stats.Columns = []catalog.ColumnStats{{Min: &least, Max: &most}}
		}
		c, err := tables.Statistics{}.Column(table, 0)
		if err != nil {
			t.Fatal(err)
		}
		ctx := query(context.Background(), 0)
		task := enginetest.Begin(t, enginetest.New(t, 16<<20))
		free := task.Free()
		d := tables.NewDirect(ctx, table, nil)
		if _, err := received(t, task, d, []int{0}, []column.Narrow{c}, 10_000); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if d.Free(); ctx.Mem.Used() != 0 || task.Free() != free {
			t.Errorf("%d bytes of the host and %d of the device are not free", ctx.Mem.Used(), free-task.Free())
		}
	}
}
