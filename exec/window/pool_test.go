package window

import (
	"errors"
	"testing"

	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestPool reads pages while the pool's memory is taken away: the pool drops the least recently
// used pages, but none that is pinned, and is refused memory only if no other page remains.
func TestPool(t *testing.T) {
	const rows, pages = 100, 20
	space := spill.NewSpace(t.TempDir(), 0)
	f := must(space.Create([]types.Type{bigint}))
	var blocks []spill.Block
	for i := range pages {
		v := vec.NewFlat(bigint, rows)
		for k := range v.I64 {
			v.I64[k] = int64(i*rows + k)
		}
		blocks = append(blocks, must(f.Write(&vec.Batch{Cols: []*vec.Vector{v}, N: rows})))
	}
	one := 2 * blocks[0].Bytes()
	root := mem.NewRoot("query", 10*one)
	p := newPool(root.Child("Window"))
	read := func(i int) (*slot, error) {
		s, err := p.find(pageKey{f, blocks[i].Place()}, blocks[i])
		if err == nil && (s.batch.N != rows || s.batch.Cols[0].I64[rows-1] != int64(i*rows+rows-1)) {
			t.Fatalf("page %d has %d rows, the last is %d", i, s.batch.N, s.batch.Cols[0].I64[rows-1])
		}
		return s, err
	}
	first := must(read(0))
	first.pinned = true
	for i := range 3 * pages {
		must(read(i * 7 % pages))
	}
	if p.held > p.most || root.Used() != p.held || int64(len(p.slots)) != p.most/one {
		t.Errorf("%d pages in %d of %d bytes, %d are accounted for", len(p.slots), p.held, p.most, root.Used())
	}
	others := root.Child("others")
	if err := others.Reserve(10*one - root.Used()); err != nil {
		t.Fatal(err)
	}
	for i := range pages {
		must(read(i))
	}
	for p.slots[first.key] == first && len(p.slots) > 1 {
		p.drop(p.oldest())
		if err := others.Reserve(one); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := read(1); !errors.Is(err, sqlerr.OutOfMemory) || first.batch.Cols[0].I64[0] != 0 {
		t.Errorf("without memory: %v; the pinned page begins with %d", err, first.batch.Cols[0].I64[0])
	}
	p.forget(f)
	if err := f.Close(); err != nil || p.held != 0 || space.Used() != 0 {
		t.Errorf("%v; %d bytes in memory, %d on disk", err, p.held, space.Used())
	}
}
