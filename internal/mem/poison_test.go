package mem

import (
	"bytes"
	"testing"
)

var poisoned = bytes.Repeat([]byte{nonsense}, offHeap)

// poisons reports whether a buffer of n bytes holds nonsense once it is freed.
func poisons(t *testing.T, n int) bool {
	a := NewRoot("test", 0)
	for {
		b, err := Alloc[byte](a, n)
		if err != nil {
			t.Fatal(err)
		}
		was := b.S
		if b.Free(); n < offHeap {
			return bytes.Equal(was, poisoned[:n])
		}
		if kept, equal := keptLike(&was[0], poisoned[:n]); kept {
			return equal
		}
	}
}

// keptLike reports whether the recycler keeps the mapping at p, which it does for some time, and
// whether that begins with want.
func keptLike(p *byte, want []byte) (kept, equal bool) {
	recycled.mu.Lock()
	defer recycled.mu.Unlock()
	for _, list := range recycled.free {
		for _, k := range list {
			if &k.m[0] == p {
				return true, bytes.HasPrefix(k.m, want)
			}
		}
	}
	return false, false
}

func TestPoisonFreed(t *testing.T) {
	for _, n := range []int{10, offHeap} {
		if poisons(t, n) {
			t.Errorf("%d bytes hold nonsense", n)
		}
	}
	PoisonFreed()
	defer poisoning.Store(false)
	for _, n := range []int{10, offHeap} {
		if !poisons(t, n) {
			t.Errorf("%d bytes hold something else than nonsense", n)
		}
	}
}

// panics reports whether f does.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// TestFreedMappingsAreChecked frees a mapping twice, and writes to one that is kept.
func TestFreedMappingsAreChecked(t *testing.T) {
	for _, poisons := range []bool{false, true} {
		poisoning.Store(poisons)
		defer poisoning.Store(false)
		r := &recycler{}
		m := make([]byte, offHeap)
		r.put(m, keepBytes)
		if poisons && !panics(func() { r.put(m, keepBytes) }) {
			t.Error("a mapping was freed twice")
		}
		m[offHeap-1]++
		if did := panics(func() { r.take(offHeap) }); did != poisons {
			t.Errorf("poison %v: panic %v, after a write to a free mapping", poisons, did)
		}
		r.timer.Stop()
	}
}

// TestAccountsOfMore gives back more than was taken, and counts mappings.
func TestAccountsOfMore(t *testing.T) {
	PoisonFreed()
	defer poisoning.Store(false)
	before := Mappings()
	a := NewRoot("test", 0)
	b, err := Alloc[byte](a.Child("child"), offHeap)
	if err != nil || Mappings() != before+1 {
		t.Fatalf("%v, %d mappings are held beside %d", err, Mappings()-before, before)
	}
	if b.Free(); Mappings() != before {
		t.Errorf("%d mappings are held after all were freed", Mappings()-before)
	}
	if !panics(func() { a.Release(1) }) {
		t.Error("a byte was given back that nobody took")
	}
}
