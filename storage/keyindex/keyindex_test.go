package keyindex

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// keysOf returns columns with keys for numbers, which differ if the numbers do: one integer, two integers, or a text and
// an integer. Negative numbers are NULL.
func keysOf(form Form, numbers []int64) (Columns, []*vec.Vector) {
	n := len(numbers)
	i64 := types.T(types.Int64)
	a, b, s := vec.NewFlat(i64, n), vec.NewFlat(i64, n), vec.NewFlat(types.T(types.String), n)
	for i, x := range numbers {
		if x < 0 && a.Null == nil {
			a.Null = make([]bool, n)
		}
		if x < 0 {
			a.Null[i] = true
			continue
		}
		a.I64[i] = x
		if form != Integer {
			a.I64[i], b.I64[i] = x%7, x/7
		}
		s.Str[i] = fmt.Sprint("key ", x/7)
	}
	switch form {
	case Integer:
		return Columns{At: []int{0}, Form: Integer}, []*vec.Vector{a}
	case Pair:
		return Columns{At: []int{0, 1}, Form: Pair}, []*vec.Vector{a, b}
	}
	return Columns{At: []int{1, 0}}, []*vec.Vector{a, s}
}

// model is what an index must hold: the row of each key.
type model map[int64]int64

// TestIndexAgainstMap enters keys in bulk and one by one, moves them between indexes, sweeps and resets, and compares
// every answer with a map's.
func TestIndexAgainstMap(t *testing.T) {
	for seed := range int64(9) {
		runModel(t, seed, Form(seed%3))
	}
}

func runModel(t *testing.T, seed int64, form Form) {
	rng := rand.New(rand.NewSource(seed))
	account := mem.NewRoot("test", 0)
	x, want, dead := New(account, form), model{}, map[int64]bool{}
	next := int64(rng.Intn(1000))
	space := int64(40 + rng.Intn(200_000))
	alive := func(id int64) bool { return !dead[id] }
	for step := range 12 {
		frozen, was, deadThen := x.Frozen(), maps.Clone(want), maps.Clone(dead)
		own, mine, start := New(account, form), model{}, next
		for range 1 + rng.Intn(2) {
			numbers := someKeys(rng, space)
			taken := firstTaken(numbers, next, want, mine, dead)
			cols, vs := keysOf(form, numbers)
			before, rows := own.Mark(), own.Len()
			got, err := own.Enter(context.Background(), chunksOf(rng, &cols, vs, next), Others{x, alive}, Others{own, alive})
			if err != nil || got != taken {
				t.Fatalf("seed %d step %d: %d rows: taken %d, want %d: %v", seed, step, len(numbers), got, taken, err)
			}
			if got >= 0 || rng.Intn(5) == 0 {
				if own.Reset(before); own.Len() != rows {
					t.Fatalf("seed %d step %d: %d entries after a reset, want %d", seed, step, own.Len(), rows)
				}
				next += int64(len(numbers))
				continue
			}
			for i, k := range numbers {
				if k >= 0 {
					mine[k] = next + int64(i)
				}
			}
			next += int64(len(numbers))
		}
		for range rng.Intn(100) {
			k := rng.Int63n(space)
			cols, vs := keysOf(form, []int64{k})
			kv := cols.Values(vs, 1)
			if old, in := mine[k]; in {
				dead[old] = true
			}
			own.Put(&kv, 0, next)
			mine[k] = next
			next++
		}
		checkCommon(t, seed, x, own, want, mine, dead)
		shift := int64(rng.Intn(3))
		if rng.Intn(20) == 0 {
			shift = 1 << 33
		}
		for id := next - 1; id >= start; id-- { // ids that move
			if dead[id] {
				delete(dead, id)
				dead[id+shift] = true
			}
		}
		x.TakeBulk(own, shift)
		own.EachSingle(func(key *Values, id int64) { x.Put(key, 0, id+shift) })
		for k, id := range mine {
			if old, in := want[k]; in {
				dead[old] = true
			}
			want[k] = id + shift
		}
		next += shift
		if rng.Intn(4) == 0 {
			x.fold(rng.Intn(50))
		}
		for k, id := range want {
			if rng.Intn(3) == 0 {
				dead[id] = true
				if rng.Intn(2) == 0 {
					delete(want, k) // it may still be found
				}
			}
		}
		if rng.Intn(5) == 0 {
			x.Sweep(alive)
			for k, id := range want {
				if dead[id] {
					delete(want, k)
				}
			}
		}
		compare(t, seed, step, x, form, want, dead)
		compare(t, seed, step, frozen, form, was, deadThen)
	}
}

// someKeys returns keys of new rows: scattered or ascending, few or many, some NULL.
func someKeys(rng *rand.Rand, space int64) []int64 {
	n := 1 + rng.Intn(50)
	if rng.Intn(3) == 0 {
		n = rng.Intn(40_000) + 1
	}
	out := make([]int64, n)
	from, step := rng.Int63n(space), 1+rng.Int63n(3)
	kind := rng.Intn(4)
	for i := range out {
		switch kind {
		case 0:
			out[i] = rng.Int63n(space)
		case 1:
			out[i] = from + int64(i)*step
		case 2:
			out[i] = space + rng.Int63()>>2
		default:
			out[i] = space*10 + from + int64(i)*step
		}
		if kind < 3 && rng.Intn(100) == 0 {
			out[i] = -1
		}
	}
	if kind == 1 {
		rng.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

// firstTaken returns the id of the first row with a key that a live row or a row before it has, -1 if there is none.
func firstTaken(numbers []int64, next int64, want, mine model, dead map[int64]bool) int64 {
	seen := map[int64]bool{}
	for i, k := range numbers {
		if k < 0 {
			continue
		}
		id, in := want[k]
		if _, own := mine[k]; own || seen[k] || in && !dead[id] {
			return next + int64(i)
		}
		seen[k] = true
	}
	return -1
}

func chunksOf(rng *rand.Rand, k *Columns, cols []*vec.Vector, first int64) (out []*Chunk) {
	n := cols[0].N
	for from := 0; from < n; {
		to := min(n, from+1+rng.Intn(n))
		part := make([]*vec.Vector, len(cols))
		ids := make([]int64, to-from)
		for i := range cols {
			part[i] = cols[i].Slice(from, to)
		}
		for i := range ids {
			ids[i] = first + int64(from+i)
		}
		c := k.Chunk(part, to-from).WithFirst(ids[0])
		if rng.Intn(2) == 0 {
			c = k.Chunk(part, to-from).WithIDs(ids)
		}
		out, from = append(out, c), to
	}
	return out
}

func checkCommon(t *testing.T, seed int64, x, own *Index, want, mine model, dead map[int64]bool) {
	t.Helper()
	common := map[[2]int64]bool{}
	for k, id := range mine {
		if of, in := want[k]; in && !dead[of] {
			common[[2]int64{id, of}] = true
		}
	}
	got := map[[2]int64]bool{}
	x.Common(own, func(a, b int64) bool {
		if !dead[b] {
			got[[2]int64{a, b}] = true
		}
		return false
	})
	for pair := range common {
		if !got[pair] {
			t.Fatalf("seed %d: rows %v have a key in common, got %d of %d pairs", seed, pair, len(got), len(common))
		}
	}
	if found := x.Common(own, func(_, b int64) bool { return !dead[b] }); found != (len(common) > 0) {
		t.Fatalf("seed %d: %v with %d keys in common", seed, found, len(common))
	}
}

func compare(t *testing.T, seed int64, step int, x *Index, form Form, want model, dead map[int64]bool) {
	t.Helper()
	keys := make([]int64, 0, len(want)+100)
	for k := range want {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for k := range int64(100) {
		keys = append(keys, k*k)
	}
	cols, vs := keysOf(form, keys)
	kv := cols.Values(vs, len(keys))
	for i, k := range keys {
		id, ok := x.Get(&kv, i)
		of, in := want[k]
		if in != (ok && !dead[id]) && !(in && dead[of]) || in && id != of {
			t.Fatalf("seed %d step %d: key %d has row %d, %v; want %d, %v", seed, step, k, id, ok, of, in)
		}
	}
}

// TestEnterRefused checks that keys for which there is no memory leave no trace and no charge.
func TestEnterRefused(t *testing.T) {
	for _, form := range []Form{Encoded, Integer, Pair} {
		account := mem.NewRoot("test", 1<<20)
		x := New(account, form)
		numbers := make([]int64, 200_000)
		for i := range numbers {
			numbers[i] = int64(i * 7919 % 200_000)
		}
		cols, vs := keysOf(form, numbers)
		if _, err := x.Enter(context.Background(), []*Chunk{cols.Chunk(vs, len(numbers))}, Others{x, nil}); err == nil {
			t.Fatalf("form %d: %d keys in a megabyte", form, len(numbers))
		}
		if x.Len() != 0 || account.Used() != 0 {
			t.Errorf("form %d: %d entries, %d bytes", form, x.Len(), account.Used())
		}
	}
}

// TestCancelledEnter checks that entering stops with its context.
func TestCancelledEnter(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x := New(nil, Integer)
	cols, vs := keysOf(Integer, []int64{3, 1, 2})
	if _, err := x.Enter(ctx, []*Chunk{cols.Chunk(vs, 3)}, Others{x, nil}); err == nil || x.Len() != 0 {
		t.Fatal(err, x.Len())
	}
}

// TestPrintsAreReversible checks that prints of integers determine them.
func TestPrintsAreReversible(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 1000 {
		x := int64(rng.Uint64()) >> rng.Intn(64)
		if got := intOf(printOfInt(x)); got != x {
			t.Fatalf("%d became %d", x, got)
		}
	}
	seen := map[print]bool{}
	for a := range uint64(300) {
		for b := range uint64(300) {
			seen[printOfPair(a-150, b<<40)] = true
		}
	}
	if len(seen) != 300*300 {
		t.Fatalf("%d prints", len(seen))
	}
}

// TestTakenTwice enters a key twice that a single entry has: the first of both rows is the one to report.
func TestTakenTwice(t *testing.T) {
	for _, form := range []Form{Encoded, Integer, Pair} {
		x, own := New(nil, form), New(nil, form)
		cols, vs := keysOf(form, []int64{5})
		kv := cols.Values(vs, 1)
		x.Put(&kv, 0, 3)
		cols, vs = keysOf(form, []int64{1, 5, 2, 5})
		any := func(int64) bool { return true }
		taken, err := own.Enter(context.Background(), []*Chunk{cols.Chunk(vs, 4).WithFirst(10)}, Others{x, any}, Others{own, any})
		if taken != 11 || err != nil {
			t.Errorf("form %d: row %d, want 11: %v", form, taken, err)
		}
	}
}

// TestRowsFarApart takes single keys, whose rows are in no order, and a block whose rows are too far from theirs for a
// block of both.
func TestRowsFarApart(t *testing.T) {
	x, own, want := New(nil, Integer), New(nil, Integer), model{}
	for k := range int64(40) {
		cols, vs := keysOf(Integer, []int64{k})
		kv := cols.Values(vs, 1)
		want[k] = 1<<33 + (39-k)<<26
		x.Put(&kv, 0, want[k])
	}
	x.fold(1)
	numbers := make([]int64, 40)
	for i := range numbers {
		numbers[i] = int64(139 - i)
		want[numbers[i]] = 1<<33 - 1<<31 + int64(i)
	}
	cols, vs := keysOf(Integer, numbers)
	if taken, err := own.Enter(context.Background(), []*Chunk{cols.Chunk(vs, 40).WithFirst(1<<33 - 1<<31)}, Others{own, nil}); taken >= 0 || err != nil {
		t.Fatal(taken, err)
	}
	x.TakeBulk(own, 0)
	compare(t, 0, 0, x, Integer, want, nil)
}

// TestFrozenRuns checks that a frozen index keeps the runs that a sweep removes from the original.
func TestFrozenRuns(t *testing.T) {
	x := New(nil, Integer)
	keys := make([]int64, runRows)
	for run := range int64(3) {
		for i := range keys {
			keys[i] = run<<20 + int64(i)
		}
		x.AddRun(keys, run*runRows)
	}
	frozen := x.Frozen()
	x.Sweep(func(id int64) bool { return id >= 2*runRows })
	for run := range int64(3) {
		kv := Values{Ints: []int64{run<<20 + 7}}
		if id, ok := frozen.Get(&kv, 0); !ok || id != run*runRows+7 {
			t.Errorf("run %d: row %d, %v", run, id, ok)
		}
		if _, ok := x.Get(&kv, 0); ok != (run == 2) {
			t.Errorf("run %d after the sweep: %v", run, ok)
		}
	}
}
