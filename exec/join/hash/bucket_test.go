package hash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/join/match"
	"gsql/exec/join/partition"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestClustered looks up codes that are in the table and others. The codes are distinct, or some
// are frequent, or all are in one bucket, or some rows have no code. The pairs must be those of a
// map, for columns that were put in the table's order.
func TestClustered(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	sparse := func(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 }
	var near []uint64 // codes whose hashes have the same top bits
	for i := 0; len(near) < 50; i++ {
		if rowhash.Mix(uint64(i))>>52 == 77 {
			near = append(near, uint64(i))
		}
	}
	most := 40_000
	if testing.Short() { // a key repeats 2,000 times, not 20,000
		most = 22_000
	}
	for name, code := range map[string]func(i int) uint64{
		"unique":     sparse,
		"twice":      func(i int) uint64 { return sparse(i / 2) },
		"one often":  func(i int) uint64 { return sparse(max(0, i-20_000)) },
		"one bucket": func(i int) uint64 { return near[i%len(near)] },
	} {
		for _, rows := range []int{0, 1, 700, most} {
			checkClustered(t, fmt.Sprintf("%s, %d rows", name, rows), rows, code, func() uint64 { return code(r.IntN(rows+2) * 3 / 2) })
		}
	}
}

func checkClustered(t *testing.T, name string, rows int, code func(i int) uint64, probe func() uint64) {
	t.Helper()
	root := mem.NewRoot("query", 0)
	ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: 3}
	in := &keyenc.Codes{}
	var err error
	if in.Words, err = mem.Alloc[uint64](root, rows); err != nil {
		t.Fatal(err)
	}
	if in.Skip, err = mem.Alloc[bool](root, rows); err != nil {
		t.Fatal(err)
	}
	number, label := vec.NewFlat(types.T(types.Int64), rows), vec.NewFlat(types.T(types.String), rows)
	want := map[uint64][]int64{}
	labels := make([]string, rows) // by number
	for i := range rows {
		labels[i] = fmt.Sprint(i)
		in.Words.S[i], in.Skip.S[i] = code(i), i%7 == 3
		number.I64[i], label.Str[i] = int64(i), labels[i]
		if i%11 == 5 {
			number.SetNull(i)
		}
		if !in.Skip.S[i] {
			want[code(i)] = append(want[code(i)], int64(i))
		}
	}
	partBits := BucketPartitionBits(rows)
	p, err := partition.Split(ctx, root, in, partition.Digits{Hashed: true, Shift: 64 - partBits, Count: 1 << partBits})
	if err != nil {
		t.Fatal(err)
	}
	c, order, err := NewBucketTable(ctx, root, p, partBits)
	if err == nil {
		err = Reorder(ctx, root, []*vec.Vector{number, label, number}, order.S)
	}
	if err != nil {
		t.Fatal(err)
	}
	codes := make([]uint64, 3*op.Block/2)
	for i := range codes {
		codes[i] = probe()
	}
	e := &match.Expander{Runs: c.Start != nil}
	c.Lookup(codes, &e.Hits, &BucketScan{})
	e.Begin()
	got := make([][]int64, len(codes))
	for done := false; !done; {
		var pairs match.Pairs
		pairs, done = e.NextPairs(500)
		for i, b := range pairs.Build {
			if null := number.Null != nil && number.Null[b]; label.Str[b] != labels[number.I64[b]] || null != (number.I64[b]%11 == 5) {
				t.Fatalf("%s: the columns of row %d do not go together", name, b)
			}
			got[pairs.Probe[i]] = append(got[pairs.Probe[i]], number.I64[b])
		}
	}
	for i, x := range codes {
		if !slices.Equal(got[i], want[x]) {
			t.Fatalf("%s: code %d has %d rows, want %d", name, x, len(got[i]), len(want[x]))
		}
	}
	in.Free()
	order.Free()
	c.Free()
	if root.Used() != 0 {
		t.Errorf("%s: %d bytes are left", name, root.Used())
	}
}
