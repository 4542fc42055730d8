package mem

import "testing"

// TestRecycledBuffersAreZero writes to buffers over and over, so that later ones get
// the mappings of earlier ones, also where buffers grow.
func TestRecycledBuffersAreZero(t *testing.T) {
	a := NewRoot("test", 0)
	for round := range 40 {
		n := offHeap + round*round*1021
		b, err := Alloc[byte](a, n)
		if err != nil {
			t.Fatal(err)
		}
		from := 0
		for grown := range 3 {
			for i, x := range b.S[from:] {
				if x != 0 {
					t.Fatalf("round %d, growth %d: byte %d of %d is %d", round, grown, from+i, len(b.S), x)
				}
			}
			for i := range b.S {
				if i < from && b.S[i] != 7 {
					t.Fatalf("round %d, growth %d: byte %d was lost", round, grown, i)
				}
				b.S[i] = 7
			}
			from = len(b.S)
			if err := b.Grow(from + 1 + round*1000); err != nil {
				t.Fatal(err)
			}
		}
		b.Free()
	}
	if a.Used() != 0 {
		t.Errorf("%d bytes are still charged", a.Used())
	}
}

func TestRecyclerKeepsNoMoreThanItMay(t *testing.T) {
	r := &recycler{}
	for range 6 { // untouched mappings take no memory
		m, err := mapFresh(keepBytes / 4)
		if err != nil {
			t.Fatal(err)
		}
		r.put(m, keepBytes)
	}
	if n := len(r.free[keepBytes/4]); r.bytes != keepBytes || n != 4 || r.free[keepBytes/4][0].at != 3 {
		t.Errorf("%d bytes in %d mappings are kept", r.bytes, n)
	}
	if r.take(keepBytes/8) != nil {
		t.Error("a mapping twice as long was handed out")
	}
	m := r.take(roundUp(keepBytes / 5))
	if m == nil || r.bytes != keepBytes*3/4 {
		t.Errorf("%d bytes are kept after one was taken", r.bytes)
	}
	unmap(m)
	r.drop()
	if r.bytes != 0 || r.free != nil {
		t.Error("mappings are kept after all were dropped")
	}
}

func TestSizesOfMappingsRecur(t *testing.T) {
	sizes := make(map[int]bool)
	for n := offHeap; n <= 4*offHeap; n += 501 {
		size := roundUp(n)
		if size < n || size > n+n/7+pageBytes || size%pageBytes != 0 || roundUp(size) != size {
			t.Errorf("%d bytes are mapped as %d", n, size)
		}
		sizes[size] = true
	}
	if len(sizes) > 20 {
		t.Errorf("%d sizes", len(sizes))
	}
}

// TestSlabsAreCut takes small mappings from slabs and returns every other one before the rest.
func TestSlabsAreCut(t *testing.T) {
	if !splittable {
		t.Skip("the system does not unmap parts of mappings")
	}
	r := &recycler{}
	var cut [][]byte
	for i := range 4 * slabBytes / offHeap {
		m, err := r.cut(offHeap)
		if err != nil {
			t.Fatal(err)
		}
		for j := range m {
			if m[j] != 0 {
				t.Fatalf("mapping %d is not zero", i)
			}
			m[j] = byte(i)
		}
		cut = append(cut, m)
	}
	for first := range 2 {
		for i := first; i < len(cut); i += 2 {
			if m := cut[i]; m[0] != byte(i) || m[offHeap-1] != byte(i) {
				t.Fatalf("mapping %d was overwritten", i)
			}
			unmap(cut[i])
		}
	}
	r.drop()
	if r.slab != nil {
		t.Error("a slab is kept")
	}
}

func TestLessIsKeptBesideALimit(t *testing.T) {
	query := NewRoot("gsql", 0).Limited("query", 8*keepLeast)
	if n := query.Child("sort").mostKept(); n != 8*keepLeast/keepPart {
		t.Errorf("%d bytes are kept", n)
	}
	const limit = 64 * keepLeast
	full := NewRoot("query", limit)
	for _, tt := range []struct{ used, most int64 }{{limit / 2, limit / keepPart}, {limit * 7 / 8, limit / 8}, {limit, limit / fullPart}} {
		full.ReleaseAll()
		if err := full.Reserve(tt.used); err != nil {
			t.Fatal(err)
		}
		if n := int64(full.mostKept()); n != tt.most {
			t.Errorf("%d bytes are kept beside %d of %d in use, not %d", n, tt.used, int64(limit), tt.most)
		}
	}
	if few, all := NewRoot("query", 1).mostKept(), NewRoot("query", 0).mostKept(); few != keepLeast || all != keepBytes {
		t.Errorf("%d and %d bytes are kept", few, all)
	}
	r := &recycler{}
	for range 3 {
		m, err := mapFresh(keepLeast / 2)
		if err != nil {
			t.Fatal(err)
		}
		r.put(m, keepLeast)
	}
	if r.bytes != keepLeast {
		t.Errorf("%d bytes are kept", r.bytes)
	}
	r.drop()
}

// TestPrepaidMemoryIsRecycledWithinTheLimit frees more memory of a prepaid account than may be kept
// beside the limit of the account that has paid for it.
func TestPrepaidMemoryIsRecycledWithinTheLimit(t *testing.T) {
	recycled.drop()
	defer recycled.drop()
	const limit = 64 << 20
	paid := NewRoot("db", 0).Limited("query", limit).Child("Sort").Prepaid("Sort", 0)
	var held []*Buffer[byte]
	for range 6 {
		b, err := Alloc[byte](paid, limit/8)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, b)
	}
	for _, b := range held {
		b.Free()
	}
	if recycled.bytes > limit/keepPart {
		t.Errorf("%d bytes are kept beside a limit of %d", recycled.bytes, limit)
	}
	if _, err := Alloc[byte](NewRoot("query", limit).Prepaid("round", 1<<20), 2<<20); err == nil {
		t.Error("a prepaid account passed its limit")
	}
}
