package merge

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/cputime"
	"gsql/internal/mem"
)

// BenchmarkSort sorts 10^7 words of several distributions on two workers.
func BenchmarkSort(b *testing.B) {
	const n = 10_000_000
	r := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(r, 1.1, 1, 1<<20)
	for _, c := range []struct {
		name string
		word func(i int) uint64
	}{
		{"dense", func(int) uint64 { return r.Uint64N(n) }},
		{"random", func(int) uint64 { return r.Uint64() }},
		{"few", func(int) uint64 { return r.Uint64N(10) << 50 }},
		{"mostlyEqual", func(i int) uint64 { return uint64(i/(n-1)) << 40 }},
		{"zipf", func(int) uint64 { return zipf.Uint64() }},
		{"outlier", func(i int) uint64 {
			if i == n/2 {
				return math.MaxUint64
			}
			return r.Uint64N(n)
		}},
		{"clusters", func(int) uint64 { return r.Uint64N(2)<<60 + r.Uint64N(n) }},
		{"floats", func(i int) uint64 { return math.Float64bits(float64(i%3) * r.Float64() * 1000) }},
	} {
		words := make([]uint64, n)
		for i := range words {
			words[i] = c.word(i)
		}
		words[0], words[n-1] = words[n-1], words[0] // not in order
		b.Run(fmt.Sprint(c.name), func(b *testing.B) {
			ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 2}
			before := cputime.Used().Seconds()
			for b.Loop() {
				b.StopTimer()
				in, err := mem.Alloc[uint64](ctx.Mem, n)
				if err != nil {
					b.Fatal(err)
				}
				copy(in.S, words)
				b.StartTimer()
				o, err := Sort(ctx, ctx.Mem, &keyenc.Codes{Words: in})
				if err != nil {
					b.Fatal(err)
				}
				o.Free()
			}
			b.ReportMetric((cputime.Used().Seconds()-before)/float64(b.N), "cpu-s/op")
		})
	}
}
