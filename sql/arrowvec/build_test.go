package arrowvec

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// shapes returns vectors of every form over rows of the flat vector v, and for each the rows that
// it contains; -1 is NULL.
func shapes(rng *rand.Rand, v *vec.Vector) (vs []*vec.Vector, rows [][]int32) {
	n := 1 + rng.IntN(40)
	idx, runs, ends := make([]int32, n), make([]int32, n), []int32(nil)
	for i := range idx {
		idx[i] = int32(rng.IntN(v.N+1) - 1)
	}
	for i := range runs {
		if runs[i] = idx[i]; i%7 > 0 {
			runs[i] = runs[i-1]
		}
		if i%7 == 6 || i == n-1 {
			ends = append(ends, int32(i+1))
		}
	}
	all := make([]int32, v.N)
	for i := range all {
		all[i] = int32(i)
	}
	at := rng.IntN(v.N)
	one := v.Slice(at, at+1)
	constant := *one
	constant.Form, constant.N = vec.Const, n
	same := make([]int32, n)
	for i := range same {
		same[i] = int32(at)
	}
	view := func(idx, ends []int32) *vec.Vector {
		return &vec.Vector{Type: v.Type, Form: vec.View, N: len(idx), Base: v, Idx: idx, Ends: ends}
	}
	return []*vec.Vector{v, view(idx, nil), view(runs, ends), &constant}, [][]int32{all, idx, runs, same}
}

// TestBuilder collects vectors of every type and form, in any order, and reads the records back.
// Buffers are recycled from record to record.
func TestBuilder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var recycled Recycler
	checked := memory.NewCheckedAllocator(&recycled)
	defer checked.AssertSize(t, 0)
	for _, c := range layouts {
		arr, typ := c.array(t)
		v := &vec.Vector{}
		if err := FromArray(arr, typ, 0, arr.Len(), v); err != nil {
			t.Fatal(err)
		}
		v = v.Flatten(nil)
		all := strings.Split(c.want, "|")
		b := NewBuilder([]string{"a"}, []types.Type{typ}, checked)
		for range 20 {
			var want []string
			for range rng.IntN(12) {
				vs, rows := shapes(rng, v)
				k := rng.IntN(len(vs))
				if err := b.Append(&vec.Batch{N: vs[k].N, Cols: vs[k : k+1]}); err != nil {
					t.Fatalf("%s: %v", c.dt, err)
				}
				for _, r := range rows[k] {
					if r < 0 {
						want = append(want, "NULL")
					} else {
						want = append(want, all[r])
					}
				}
			}
			if len(want) == 0 {
				continue
			}
			rec := b.Record()
			got := &vec.Vector{}
			if err := FromArray(rec.Column(0), typ, 0, len(want), got); err != nil {
				t.Fatal(err)
			}
			if g, w := strings.Join(texts(got), "|"), strings.Join(want, "|"); g != w || rec.NumRows() != int64(len(want)) {
				t.Fatalf("%s: got %s, want %s", c.dt, g, w)
			}
			rec.Release()
		}
		b.Release()
	}
}

// TestBuilderIsFull checks that the size of records is limited.
func TestBuilderIsFull(t *testing.T) {
	b := NewBuilder([]string{"a"}, []types.Type{types.T(types.String)}, memory.DefaultAllocator)
	defer b.Release()
	if b.Full(2 * recordRows) {
		t.Error("an empty record is full")
	}
	v := vec.NewFlat(types.T(types.String), 9)
	v.Str[3] = strings.Repeat("x", recordBytes)
	if err := b.Append(&vec.Batch{N: v.N, Cols: []*vec.Vector{v}}); err != nil {
		t.Fatal(err)
	}
	if b.Full(1) || !b.Full(recordRows) {
		t.Errorf("%d rows: full for one more: %v, for %d: %v", b.Rows(), b.Full(1), recordRows, b.Full(recordRows))
	}
	v.Str[0] = "y"
	if err := b.Append(&vec.Batch{N: v.N, Cols: []*vec.Vector{v}}); err != nil {
		t.Fatal(err)
	}
	if !b.Full(1) {
		t.Error("16 MB of strings are not enough")
	}
}

// TestRecycler grows and frees buffers of pooled and other sizes, and checks that they keep their
// contents.
func TestRecycler(t *testing.T) {
	var r Recycler
	for _, size := range []int{0, 1, 2047, 2048, 4096, 4097, 1 << 20, 1<<23 + 1, 1 << 25} {
		b := r.Allocate(size)
		if len(b) != size {
			t.Errorf("%d bytes of %d", len(b), size)
		}
		for i := range b {
			b[i] = byte(i)
		}
		b = r.Reallocate(size+size/2, b)
		for i := range size {
			if b[i] != byte(i) {
				t.Fatalf("byte %d of %d was not kept", i, size)
			}
		}
		r.Free(b)
	}
}
