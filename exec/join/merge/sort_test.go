package merge

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/join/partition"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/mem"
)

// sortedRows returns the rows of words in the order that Sort should produce.
func sortedRows(words []uint64, skip []bool) (rows []int32) {
	for i := range words {
		if skip == nil || !skip[i] {
			rows = append(rows, int32(i))
		}
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(words[a], words[b]) })
	return rows
}

// codeShapes are distributions of n words: each function returns word i.
var codeShapes = map[string]func(r *rand.Rand, i, n int) uint64{
	"equal":     func(*rand.Rand, int, int) uint64 { return 42 },
	"ascending": func(_ *rand.Rand, i, _ int) uint64 { return uint64(i / 3) },
	"late fall": func(_ *rand.Rand, i, n int) uint64 { // where the shares of two workers meet
		if i >= n/2 {
			i -= 2
		}
		return uint64(i)
	},
	"descending":   func(_ *rand.Rand, i, n int) uint64 { return uint64(n - i) },
	"random":       func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() },
	"few":          func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(3) * 0x1234567812345678 },
	"two clusters": func(r *rand.Rand, _, n int) uint64 { return r.Uint64N(2)<<60 + r.Uint64N(uint64(n)) },
	"zipf": func(r *rand.Rand, _, n int) uint64 {
		return uint64(float64(n) * math.Pow(r.Float64(), 8))
	},
	"far above": func(r *rand.Rand, i, n int) uint64 {
		if i == n/2 {
			return math.MaxUint64
		}
		return 5 + r.Uint64N(uint64(n))
	},
	"far below": func(r *rand.Rand, i, n int) uint64 {
		if i%100 == 1 {
			return r.Uint64N(10)
		}
		return math.MaxUint64 - r.Uint64N(uint64(n))
	},
	"mostly one": func(r *rand.Rand, i, _ int) uint64 {
		if i%80 == 0 {
			return r.Uint64()
		}
		return 1 << 63
	},
	"powers": func(r *rand.Rand, _, _ int) uint64 { return 1 << r.Uint64N(64) },
}

// smallSorts lowers the numbers of rows from which sorting samples its input and partitions again.
func smallSorts() (undo func()) {
	sampled, long := leastSampled, leastLong
	leastSampled, leastLong = 200, 40
	return func() { leastSampled, leastLong = sampled, long }
}

// TestSortWords sorts words of all distributions on up to seven workers, without a memory limit and
// under several, some of which are too low.
func TestSortWords(t *testing.T) {
	defer smallSorts()()
	r := rand.New(rand.NewPCG(49, 50))
	for name, shape := range codeShapes {
		for round, n := range []int{0, 1, 2, 30, 300, 3000, 20_000, 20_000, 40_000} {
			words := make([]uint64, n)
			for i := range words {
				words[i] = shape(r, i, n)
			}
			var skip []bool
			if round%2 == 1 {
				skip = make([]bool, n)
				for i := range skip {
					skip[i] = r.IntN(4) == 0
				}
			}
			want := sortedRows(words, skip)
			refused := 0
			for _, limit := range []int64{0, int64(n), int64(16 * n), int64(24 * n), int64(31 * n)} {
				root := mem.NewRoot("query", limit)
				order, err := sortOf(root, 1+r.IntN(7), words, skip)
				if err != nil {
					refused++
				}
				if err != nil && limit == 0 || err == nil && !slices.Equal(order.Rows, want) {
					t.Fatalf("%s: the order of %d words is wrong (%v)", name, n, err)
				}
				if err == nil {
					for i, x := range order.Codes {
						if x != words[want[i]] {
							t.Fatalf("%s: word %d is %d, want %d", name, i, x, words[want[i]])
						}
					}
				}
				if order.Free(); root.Used() != 0 {
					t.Fatalf("%s: %d bytes are held (%v)", name, root.Used(), err)
				}
			}
			if n > 0 && refused == 0 {
				t.Errorf("%s: %d words were never refused memory", name, n)
			}
		}
	}
}

// sortOf sorts a copy of words.
func sortOf(root *mem.Account, workers int, words []uint64, skip []bool) (*Order, error) {
	w, err := mem.Alloc[uint64](root, len(words))
	if err != nil {
		return nil, err
	}
	copy(w.S, words)
	var s *mem.Buffer[bool]
	if skip != nil {
		if s, err = mem.Alloc[bool](root, len(skip)); err != nil {
			w.Free()
			return nil, err
		}
		copy(s.S, skip)
	}
	return Sort(&op.Ctx{Context: context.Background(), Mem: root, Workers: workers}, root, &keyenc.Codes{Words: w, Skip: s})
}

// TestLongPartitionsAreDivided checks that no worker sorts much more than the others, and that a
// few outliers do not cost a pass over all words.
func TestLongPartitionsAreDivided(t *testing.T) {
	defer smallSorts()()
	r := rand.New(rand.NewPCG(51, 52))
	const n, workers = 40_000, 4
	ctx := &op.Ctx{Context: context.Background(), Workers: workers}
	for name, shape := range codeShapes {
		root := mem.NewRoot("query", 0)
		in := &keyenc.Codes{}
		var err error
		if in.Words, err = mem.Alloc[uint64](root, n); err != nil {
			t.Fatal(err)
		}
		for i := range in.Words.S {
			in.Words.S[i] = shape(r, i, n)
		}
		d, err := sortDigits(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		p, err := partition.Split(ctx, root, in, d)
		if err != nil {
			t.Fatal(err)
		}
		longest := func(start []int) (most int) {
			for i, at := range start[1:] {
				most = max(most, at-start[i])
			}
			return most
		}
		if far := name == "far above" || name == "far below"; far && longest(p.Start) > n/8 {
			t.Errorf("%s: %d of %d words in one partition", name, longest(p.Start), n)
		}
		s := &Order{Codes: p.Codes.S, Rows: p.Rows.S}
		start, err := s.divide(ctx, root, p.Start, longRows(n, workers))
		if err != nil || longest(start) > longRows(n, workers) || start[0] != 0 || start[len(start)-1] != n || !slices.IsSorted(start) {
			t.Errorf("%s: partitions from %v (%v)", name, start, err)
		}
		for i, at := range start[1:] {
			if start[i] < at && at < n && slices.Max(s.Codes[start[i]:at]) > slices.Min(s.Codes[at:]) {
				t.Errorf("%s: words before row %d are above others behind it", name, at)
			}
		}
		in.Free()
		p.Free()
		if root.Used() != 0 {
			t.Errorf("%s: %d bytes are held", name, root.Used())
		}
	}
}
