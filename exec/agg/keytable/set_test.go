package keytable

import (
	"fmt"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestSetAfterRefusal fills sets until their account refuses memory. The limits are such that each
// column is refused memory at least once. The earlier rows must remain intact.
func TestSetAfterRefusal(t *testing.T) {
	mem.PoisonFreed()
	ts := []types.Type{types.T(types.Int64), types.T(types.Float64), types.T(types.Int64)}
	b := &vec.Batch{N: 1000}
	for _, typ := range ts {
		b.Cols = append(b.Cols, vec.NewFlat(typ, b.N))
	}
	for limit := int64(200 << 10); limit < 800<<10; limit += 4 << 10 {
		s := NewSet(ts, mem.NewRoot("query", limit))
		known := 0
		for {
			for i := range b.N {
				b.Cols[0].I64[i], b.Cols[1].F64[i], b.Cols[2].I64[i] = int64(known+i), float64(known+i), -int64(known+i)
			}
			if s.Append(b) != nil {
				break
			}
			known = s.Rows()
		}
		cols := s.Columns()
		for i := range known {
			if got, want := fmt.Sprint(cols[0].I64[i], cols[1].F64[i], cols[2].I64[i]), fmt.Sprint(i, i, -i); got != want {
				t.Fatalf("limit %d: row %d of %d is %s, not %s", limit, i, known, got, want)
			}
		}
		s.Free()
	}
}
