package stats

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestSketchEstimates checks counts from zero to millions with a tolerance of five standard
// errors, and that two halves together yield the same estimate as one sketch of all values.
func TestSketchEstimates(t *testing.T) {
	for _, n := range []int{0, 1, 2, 50, 1000, 5000, 20_000, 300_000, 2_000_000} {
		all, odd, even := NewSketch(), NewSketch(), NewSketch()
		for i := range n {
			x := []int64{int64(i) + 1<<40}
			all.addInts(x)
			all.addInts(x)
			if i%2 == 0 {
				even.addInts(x)
			} else {
				odd.addInts(x)
			}
		}
		if got := all.Estimate(); math.Abs(got-float64(n)) > 5*1.04/64*float64(n)+0.5 {
			t.Errorf("%d values are estimated as %g", n, got)
		}
		if got := even.With(odd).Estimate(); got != all.Estimate() {
			t.Errorf("%d values: halves together are estimated as %g, the whole as %g", n, got, all.Estimate())
		}
		if n > 1 && even.Estimate() >= all.Estimate() {
			t.Errorf("%d values: a half is estimated as %g after the merge", n, even.Estimate())
		}
	}
}

// TestSketchOfBatches checks that the values a sketch skips could not have changed it.
func TestSketchOfBatches(t *testing.T) {
	rng := rand.New(rand.NewSource(9))
	batches, single := NewSketch(), NewSketch()
	for range 300 {
		xs := make([]int64, rng.Intn(5000))
		for i := range xs {
			xs[i] = rng.Int63()
			single.registers.InsertHash(HashInt(xs[i]))
		}
		batches.addInts(xs)
	}
	if batches.vain == 0 || !slices.Equal(batches.ranks(), single.ranks()) {
		t.Errorf("passing over hashes with bits of %#x changes the ranks", batches.vain)
	}
}

// TestSketchOfRecurringValues checks that values seen recently are skipped correctly.
func TestSketchOfRecurringValues(t *testing.T) {
	rng := rand.New(rand.NewSource(10))
	for _, domain := range []int64{1, 2, 1000, 1 << 11, 1 << 20} {
		for _, factor := range []int64{1, -1, 1 << 10, 1<<40 + 1} {
			batches, single := NewSketch(), NewSketch()
			for range 40 {
				xs := make([]int64, rng.Intn(200))
				for i := range xs {
					xs[i] = factor * (rng.Int63n(domain) - domain/3)
					single.registers.InsertHash(HashInt(xs[i]))
				}
				batches.addInts(xs)
			}
			if !slices.Equal(batches.ranks(), single.ranks()) {
				t.Errorf("%d values times %d: leaving out changes the ranks", domain, factor)
			}
		}
	}
}

// TestExtentOfStrings compares bounds with sorting, for strings with equal prefixes and strings
// that end within them, in one batch and in several.
func TestExtentOfStrings(t *testing.T) {
	rng := rand.New(rand.NewSource(8))
	for range 3000 {
		xs := make([]string, 1+rng.Intn(12))
		for i := range xs {
			b := make([]byte, rng.Intn(11))
			for j := range b {
				b[j] = "\x00a\xff"[rng.Intn(3)]
			}
			xs[i] = strings.Repeat("a", rng.Intn(2)*7) + string(b)
		}
		if rng.Intn(3) == 0 {
			slices.Sort(xs)
		}
		cut := rng.Intn(len(xs) + 1)
		var e extent[string]
		addStrings(&e, xs[:cut])
		addStrings(&e, xs[cut:])
		if e.lo != slices.Min(xs) || e.hi != slices.Max(xs) || e.falls == slices.IsSorted(xs) {
			t.Fatalf("%q: bounds %q and %q, falls %v", xs, e.lo, e.hi, e.falls)
		}
	}
}

// TestExtentOfInts compares bounds and order with sorting, in two batches.
func TestExtentOfInts(t *testing.T) {
	rng := rand.New(rand.NewSource(10))
	for range 2000 {
		xs := make([]int64, 1+rng.Intn(400))
		for i := range xs {
			xs[i] = rng.Int63() >> rng.Intn(64) * int64(rng.Intn(3)-1)
		}
		if rng.Intn(2) == 0 {
			slices.Sort(xs)
		}
		cut := rng.Intn(len(xs) + 1)
		var e extent[int64]
		addOrdered(&e, xs[:cut])
		addOrdered(&e, xs[cut:])
		if e.lo != slices.Min(xs) || e.hi != slices.Max(xs) || e.falls == slices.IsSorted(xs) || e.last != xs[len(xs)-1] {
			t.Fatalf("%v: bounds %d and %d, falls %v", xs, e.lo, e.hi, e.falls)
		}
	}
}

// TestSketchIsStored stores sketches of texts, as another process would read them, and merges them.
func TestSketchIsStored(t *testing.T) {
	texts := func(from, to int) *vec.Vector {
		v := vec.NewFlat(types.T(types.String), to-from)
		for i := range v.Str {
			v.Str[i] = fmt.Sprint("text ", from+i)
		}
		return v
	}
	one, two, all := Of(texts(0, 20_000), true).Sketch, Of(texts(10_000, 30_000), true).Sketch, Of(texts(0, 30_000), true).Sketch
	restored, err := RestoreSketch(one.Append(nil))
	if err != nil || !slices.Equal(restored.ranks(), one.ranks()) {
		t.Fatalf("the sketch is different: %v", err)
	}
	if got, want := restored.With(two).Estimate(), all.Estimate(); got != want {
		t.Errorf("%g values, want %g", got, want)
	}
	bad := one.Append(nil)
	bad[17] = 200 // a rank that no hash has
	for _, damaged := range [][]byte{nil, bad[:4095], bad} {
		if s, err := RestoreSketch(damaged); err == nil {
			t.Errorf("%d registers are accepted: %g values", len(damaged), s.Estimate())
		}
	}
	if h := hashText("gsql"); h != 0x095f3a0df944cfd8 { // xxhsum -H3
		t.Errorf("the hash of stored sketches has changed to %#x", h)
	}
}
