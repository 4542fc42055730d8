package window

import (
	"testing"

	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestLongList keeps far more elements than memory holds, also in the places of their pages, and
// reads them in several orders.
func TestLongList(t *testing.T) {
	const n, limit = 300_000, 32 << 10
	space := spill.NewSpace(t.TempDir(), 0)
	root := mem.NewRoot("query", limit)
	p := newPool(root.Child("Window"))
	l := newList[int64](p, space)
	for i := range int64(n) {
		if err := l.append(i * i); err != nil {
			t.Fatalf("element %d: %v", i, err)
		}
	}
	if l.pages.n <= limit/48 || l.pages.pages == nil {
		t.Fatalf("%d pages, whose places would fit in memory", l.pages.n)
	}
	for i := range n {
		for _, at := range []int{i, n - 1 - i, i * 7919 % n} {
			if i%97 > 1 && at != i {
				continue
			}
			if x := must(l.at(at)); x != int64(at)*int64(at) {
				t.Fatalf("element %d is %d", at, x)
			}
		}
	}
	if err := l.reset(); err != nil || l.n != 0 || root.Used() != 0 || space.Used() != 0 {
		t.Errorf("%v: %d elements, %d bytes in memory and %d on disk remain", err, l.n, root.Used(), space.Used())
	}
}

// TestManyPages orders rows whose pages are so many that their places do not fit in memory, and
// finds rows by number, near and far.
func TestManyPages(t *testing.T) {
	const n, limit = 200_000, 32 << 10
	o := &Operator{types: []types.Type{bigint}, keys: []sortKey{{col: 0}}, specs: []*spec{{partition: 1, order: 1}}}
	o.ctx = &op.Ctx{Context: t.Context(), Mem: mem.NewRoot("query", limit), Workers: 1, Spill: spill.NewSpace(t.TempDir(), 0)}
	o.account = o.ctx.Mem.Child("Window")
	in := &counting{}
	for i := range n {
		in.values = append(in.values, int64(i/1000))
	}
	r := must(o.putInOrder(in, 0, newPool(o.account)))
	if r.rows != n || int64(r.pages.n)*48 <= limit {
		t.Fatalf("%d rows in %d pages, whose places would fit in memory", r.rows, r.pages.n)
	}
	c := cursor{r: r}
	for i := range 3000 {
		for _, pos := range []int{i * 61 % n, i, n - 1 - i, i * 7919 % n, n / 2} {
			b, row, err := c.at(pos)
			if err != nil || b.Cols[0].I64[row] != int64(pos/1000) {
				t.Fatalf("row %d: %v", pos, err)
			}
		}
	}
	for pos := 0; pos < n; pos += 1000 {
		if at := must(c.next(pos+1, n, 1)); at != min(pos+1000, n) {
			t.Fatalf("the partition of row %d ends at %d", pos, at)
		}
		if at := must(c.before(pos+1000, 1)); at != pos {
			t.Fatalf("the partition of row %d begins at %d", pos+999, at)
		}
	}
	if err := r.close(); err != nil || o.account.Used() != 0 {
		t.Errorf("%v: %d bytes remain", err, o.account.Used())
	}
}

// counting is a stream of values.
type counting struct{ values []int64 }

// Next implements op.Stream.
func (c *counting) Next() (*vec.Batch, error) {
	n := min(len(c.values), 100)
	if n == 0 {
		return nil, nil
	}
	v := vec.NewFlat(bigint, n)
	copy(v.I64, c.values)
	c.values = c.values[n:]
	return &vec.Batch{Cols: []*vec.Vector{v}, N: n}, nil
}

// Close implements op.Stream.
func (c *counting) Close() error { return nil }
