package mem

import "testing"

// TestRecycledBuffersAreZero writes to buffers over and over, so that later ones get
// the mappings of earlier ones, also where buffers grow.
func TestRecycledBuffersAreZero(t *testing.T) {
	a := NewRoot("test", 0)
	for round := range 40 {
		n := offHeap + round*pageBytes/3
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
		r.put(m)
	}
	if r.bytes != keepBytes || len(r.free) != 4 {
		t.Errorf("%d bytes in %d mappings are kept", r.bytes, len(r.free))
	}
	if r.take(keepBytes/8) != nil {
		t.Error("a mapping twice as long was handed out")
	}
	m := r.take(keepBytes/4 - pageBytes)
	if m == nil || r.bytes != keepBytes*3/4 {
		t.Errorf("%d bytes are kept after one was taken", r.bytes)
	}
	unmap(m)
	r.drop()
	if r.bytes != 0 || r.free != nil {
		t.Error("mappings are kept after all were dropped")
	}
}
