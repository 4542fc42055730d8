package colstore

import (
	"context"
	"fmt"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestConcatBytes concatenates stores in no more memory than ConcatBytes says, whatever their rows.
func TestConcatBytes(t *testing.T) {
	ts := []types.Type{types.T(types.Int64), types.T(types.Float64), types.Dec(20, 2), types.T(types.String)}
	for _, rows := range [][]int{{216, 32768}, {4097, 1}, {1, 1}, {5000, 0, 5001}, {3000}, {2000, 2000, 97}} {
		for _, nulls := range []bool{false, true} {
			root := mem.NewRoot("test", 0)
			account := root.Child("rows")
			var stores []*Store
			for i, n := range rows {
				s := New(ts, account)
				if n > 0 {
					b := &vec.Batch{N: n, Morsel: int64(len(rows) - i)}
					for _, typ := range ts {
						v := vec.NewFlat(typ, n)
						if nulls && i == 1 {
							v.SetNull(0)
						}
						b.Cols = append(b.Cols, v)
					}
					if err := s.Append(b); err != nil {
						t.Fatal(err)
					}
				}
				stores = append(stores, s)
			}
			bytes, total := ConcatBytes(stores...)
			before := root.Used()
			root.Limit(before + bytes)
			all, err := Concat(&op.Ctx{Context: context.Background(), Workers: 2}, stores...)
			if err != nil {
				t.Fatalf("%v rows, NULLs %t: %v", rows, nulls, err)
			}
			if root.Peak() != before+bytes && bytes > 0 || int64(all.Rows()) != total {
				t.Errorf("%v rows, NULLs %t: %d bytes in addition, want %d; %d rows, want %d", rows, nulls, root.Peak()-before, bytes, all.Rows(), total)
			}
			all.Free()
			if root.Used() != 0 {
				t.Error(fmt.Sprint(root.Used(), " bytes are still held"))
			}
		}
	}
}
