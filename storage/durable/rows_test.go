package durable

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestRowsAgain decodes batches of different sizes into the same memory: nothing of an earlier batch
// may remain, least of all its NULLs.
func TestRowsAgain(t *testing.T) {
	s := &catalog.Schema{}
	for _, typ := range []types.Type{types.T(types.Int64), types.T(types.Float64), types.Type{ID: types.Decimal, Prec: 30, Scale: 2}, types.T(types.String)} {
		s.Columns = append(s.Columns, catalog.Column{Type: typ})
	}
	var batches [][]*vec.Vector
	var want []string
	for k, n := range []int{5, 3, 1, 7, 2} {
		b := make([]*vec.Vector, len(s.Columns))
		for c := range b {
			b[c] = vec.NewFlat(s.Columns[c].Type, n)
			if (k+c)%2 == 0 {
				b[c].Null = make([]bool, n)
				b[c].Null[(k+c)%n] = true
			}
		}
		for i := range n {
			x := int64(1000*k + i)
			b[0].I64[i], b[1].F64[i], b[3].Str[i] = x<<(10*k), float64(x)/3, strings.Repeat("t", i)+fmt.Sprint(x)
			b[2].Dec[i] = decimal128.FromI64(-x)
			if k == 3 {
				b[2].Dec[i] = decimal128.New(x, 7)
			}
		}
		batches, want = append(batches, b), append(want, shown(b))
	}
	record := EncodeRows(nil, batches)
	var memory batch
	for range 2 {
		d, at := decoder{buf: record}, 0
		err := d.rows(s, &memory, func(b []*vec.Vector) error {
			if got := shown(b); got != want[at] {
				t.Errorf("batch %d: got %s, want %s", at, got, want[at])
			}
			at++
			return nil
		})
		if err != nil || at != len(want) {
			t.Fatalf("%d batches of %d: %v", at, len(want), err)
		}
	}
}

// shown returns the values of a batch as text.
func shown(b []*vec.Vector) string {
	var out strings.Builder
	for _, v := range b {
		for i := range v.N {
			switch {
			case v.Null != nil && v.Null[i]:
				out.WriteString("NULL ")
			case v.I64 != nil:
				fmt.Fprint(&out, v.I64[i], " ")
			case v.F64 != nil:
				fmt.Fprint(&out, v.F64[i], " ")
			case v.Dec != nil:
				fmt.Fprint(&out, v.Dec[i].HighBits(), ":", v.Dec[i].LowBits(), " ")
			case v.Str != nil:
				fmt.Fprintf(&out, "%q ", v.Str[i])
			}
		}
	}
	return out.String()
}
