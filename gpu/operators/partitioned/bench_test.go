package partitioned

import (
	"testing"

	"gsql/gpu/column"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// BenchmarkDivide divides rows of a key and a value of 8 bytes by one core, into 16 and 256 partitions.
func BenchmarkDivide(b *testing.B) {
	for _, bits := range []uint{4, 8} {
		b.Run(map[uint]string{4: "16", 8: "256"}[bits], func(b *testing.B) {
			const rows = 1 << 21
			batches := make([][]*vec.Vector, rows/vec.BatchSize)
			for i := range batches {
				batches[i] = []*vec.Vector{vec.NewFlat(types.T(types.Int64), vec.BatchSize), vec.NewFlat(types.T(types.Int64), vec.BatchSize)}
				for k := range vec.BatchSize {
					batches[i][0].I64[k], batches[i][1].I64[k] = int64(i*vec.BatchSize+k)*0x5851f42d4c957f2d, int64(k)<<33
				}
			}
			columns := []Column{{Format: column.Format{Kind: column.I64}, Key: true}, {Format: column.Format{Kind: column.I64}}}
			acct := mem.NewRoot("test", 0)
			b.SetBytes(16 * rows)
			for b.Loop() {
				s, err := NewSide(columns, bits, rows, acct)
				if err != nil {
					b.Fatal(err)
				}
				w, err := s.NewWriter()
				if err != nil {
					b.Fatal(err)
				}
				for _, batch := range batches {
					if err := w.Add(batch); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Close(false); err != nil {
					b.Fatal(err)
				}
				s.Free()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}
