package keytable

import (
	"errors"
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
		s := NewSet(ts, mem.NewRoot("query", limit), nil)
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

// TestGrowthStops ends the growth of large tables, of integers and of texts, whose index moves to a larger
// one.
func TestGrowthStops(t *testing.T) {
	stop, stopped := errors.New("stop"), false
	root := mem.NewRoot("query", 0)
	for _, typ := range []types.Type{types.T(types.Int64), types.T(types.String)} {
		s, asked := NewSet([]types.Type{typ}, root, func() error {
			if stopped {
				return stop
			}
			return nil
		}), 0
		stopped = false
		for ; asked < 400_000; asked += 1000 {
			v := vec.NewFlat(typ, 1000)
			for i := range v.N {
				if v.Str != nil {
					v.Str[i] = fmt.Sprint(asked + i)
				} else {
					v.I64[i] = int64(asked + i)
				}
			}
			stopped = asked > 200_000
			if err := s.Append(&vec.Batch{Cols: []*vec.Vector{v}, N: v.N}); err == stop {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if asked == 400_000 || s.Rows() > asked {
			t.Errorf("%v: %d keys, and no end after %d", typ, s.Rows(), asked)
		}
		s.Free()
	}
	if root.Used() != 0 {
		t.Errorf("%d bytes remain", root.Used())
	}
}
