package partition

import (
	"context"
	"math/rand/v2"
	"testing"

	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
	"gsql/internal/simd"
)

// TestPartition partitions few rows, and enough rows to go through buffers, with skipped rows and
// with explicit row numbers. Each row must occur once, in its partition, and the rows of a
// partition must ascend.
func TestPartition(t *testing.T) {
	simd.EachLevel(t.Run, func(t *testing.T) {
		r := rand.New(rand.NewPCG(91, 91))
		for _, n := range []int{1, 5000, 4 * combinedRows} {
			for workers := 1; workers < 4; workers++ {
				for _, d := range []Digits{{Hashed: true, Shift: 56, Count: 256}, {Shift: 57, Count: 128}, {Hashed: true, Shift: 62, Count: 4}} {
					acct := mem.NewRoot("query", 0)
					in := &keyenc.Codes{Words: mustAlloc[uint64](t, acct, n), Skip: mustAlloc[bool](t, acct, n)}
					for i := range in.Words.S {
						in.Words.S[i] = r.Uint64() >> (r.Uint32() % 8)
						in.Skip.S[i] = r.IntN(50) == 0
					}
					if workers == 2 {
						for i := range n {
							in.Rows = append(in.Rows, int32(3*i))
						}
					}
					p, err := Split(&op.Ctx{Context: context.Background(), Mem: acct, Workers: workers}, acct, in, d)
					if err != nil {
						t.Fatal(err)
					}
					checkPartitions(t, in, p, d)
					p.Free()
					in.Free()
					if acct.Used() != 0 {
						t.Errorf("%d bytes are left", acct.Used())
					}
				}
			}
		}
	})
}

func checkPartitions(t *testing.T, in *keyenc.Codes, p *Parts, d Digits) {
	t.Helper()
	factor := int32(1)
	if in.Rows != nil {
		factor = 3
	}
	seen := 0
	for x := range d.Count + 1 {
		from, to := p.Start[x], len(p.Rows.S)
		if x < d.Count {
			to = p.Start[x+1]
		}
		last := int32(-1)
		for i := from; i < to; i++ {
			row := p.Rows.S[i] / factor
			want := int((in.Words.S[row] - d.Min) >> d.Shift)
			if d.Hashed {
				want = int(rowhash.Mix(in.Words.S[row]) >> d.Shift)
			}
			if in.Skip.S[row] {
				want = d.Count
			}
			if row <= last || p.Rows.S[i]%factor != 0 || p.Codes.S[i] != in.Words.S[row] || want != x {
				t.Fatalf("row %d of code %d in partition %d behind row %d", row, p.Codes.S[i], x, last)
			}
			last = row
			seen++
		}
	}
	if seen != len(in.Words.S) {
		t.Fatalf("%d of %d rows", seen, len(in.Words.S))
	}
}

func mustAlloc[T any](t *testing.T, acct *mem.Account, n int) *mem.Buffer[T] {
	t.Helper()
	b, err := mem.Alloc[T](acct, n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
