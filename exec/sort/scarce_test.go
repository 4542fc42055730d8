package sort

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestTopNInLittleMemory keeps the first of many rows, which are the only owners of their texts. In
// most cases a batch does not fit in memory, and in some not even the rows to keep do. It must
// return the rows of a sort of the values, in the same order, and no error.
func TestTopNInLittleMemory(t *testing.T) {
	const rows, width, kib = 40_000, 100, 1 << 10
	v, texts := random(rows, rows/4), vec.NewFlat(types.T(types.String), rows)
	order := make([]int, rows)
	for i := range rows {
		texts.Str[i], order[i] = fmt.Sprintf("%d%s", i, strings.Repeat("x", width)), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(v.I64[a] - v.I64[b]) })
	for _, test := range []struct {
		limit, offset int64
		memory        int64 // per worker
		onDisk        bool
	}{{20, 0, 64 * kib, false}, {20, 7, 64 * kib, false}, {3000, 0, 512 * kib, true}, {1500, 900, 384 * kib, true}, {20, 0, 64 << 20, false}} {
		for _, workers := range []int{1, 4} {
			rel := optest.New(1, bigint, text)
			plan := &physical.Sort{Keys: []expr.SortKey{{Expr: rel.Col(0)}}, Limit: test.limit, Offset: test.offset}
			o, err := New(&physical.Node{Op: plan, In: []*physical.Node{rel.Node()}, Cols: rel.Cols}, &optest.Columns{Cols: []*vec.Vector{v, texts}, Shares: workers})
			if err != nil {
				t.Fatal(err)
			}
			root := mem.NewRoot("query", test.memory*int64(workers))
			ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: workers, BatchSize: 1024, Spill: spill.NewSpace(t.TempDir(), 0)}
			if err := o.Open(ctx); err != nil {
				t.Fatalf("%+v, %d workers: %v", test, workers, err)
			}
			if o.OnDisk() != test.onDisk && workers == 1 {
				t.Errorf("%+v, %d workers: on disk: %v", test, workers, o.OnDisk())
			}
			s, err := o.Stream()
			if err != nil {
				t.Fatal(err)
			}
			want, got := order[test.offset:test.offset+test.limit], 0
			for {
				b, err := s.Next()
				if err != nil {
					t.Fatal(err)
				}
				if b == nil {
					break
				}
				x, s := b.Cols[0].Flatten(nil), b.Cols[1].Flatten(nil)
				for i := range b.N {
					row := want[got]
					if got++; x.I64[i] != v.I64[row] || workers == 1 && s.Str[i] != texts.Str[row] {
						t.Fatalf("%+v, %d workers: row %d is %d, %.9s, want %d, %.9s", test, workers, got, x.I64[i], s.Str[i], v.I64[row], texts.Str[row])
					}
				}
			}
			if got != len(want) {
				t.Errorf("%+v, %d workers: %d rows", test, workers, got)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := o.Close(); err != nil || root.Used() != 0 {
				t.Errorf("%v, %d bytes are held", err, root.Used())
			}
		}
	}
}
