package durable

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/chainlog"
	"gsql/storage/segfile"
	"gsql/storage/vfs"
)

// BenchmarkReplay repeats logs of one-row inserts, of one-row updates, and of commits of 5000 rows with 16 columns.
func BenchmarkReplay(b *testing.B) {
	narrow := &catalog.Schema{Columns: []catalog.Column{{Name: "id", Type: types.T(types.Int64), NotNull: true}, {Name: "v", Type: types.T(types.String)}}}
	wide := &catalog.Schema{}
	for i := range 16 {
		wide.Columns = append(wide.Columns, catalog.Column{Name: fmt.Sprint("c", i), Type: []types.Type{types.T(types.Int64), {ID: types.Decimal, Prec: 12, Scale: 2}, types.T(types.String)}[i%3]})
	}
	b.Run("one-row inserts", func(b *testing.B) {
		benchmarkReplay(b, narrow, 400_000, func(c *Commit, i int64) {
			c.Insert(1, i, 1, EncodeRows(nil, [][]*vec.Vector{benchmarkRows(narrow, i, 1)}))
		})
	})
	b.Run("one-row updates", func(b *testing.B) {
		benchmarkReplay(b, narrow, 400_000, func(c *Commit, i int64) {
			if i >= 10_000 {
				c.Delete(1, []int64{i - 10_000})
			}
			c.Insert(1, i, 1, EncodeRows(nil, [][]*vec.Vector{benchmarkRows(narrow, i, 1)}))
		})
	})
	b.Run("commits of 5000 rows", func(b *testing.B) {
		benchmarkReplay(b, wide, 200, func(c *Commit, i int64) {
			c.Insert(1, i*5000, 5000, EncodeRows(nil, [][]*vec.Vector{benchmarkRows(wide, i*5000, 2048), benchmarkRows(wide, i*5000+2048, 2048), benchmarkRows(wide, i*5000+4096, 904)}))
		})
	})
}

func benchmarkRows(s *catalog.Schema, first int64, n int) []*vec.Vector {
	out := make([]*vec.Vector, len(s.Columns))
	for c := range out {
		v := vec.NewFlat(s.Columns[c].Type, n)
		for i := range n {
			x := (first + int64(i)) * int64(c+7) % (int64(1) << (4 * (c%5 + 1)))
			switch {
			case v.I64 != nil:
				v.I64[i] = first + int64(i) + x
			case v.Dec != nil:
				v.Dec[i] = decimal128.FromI64(x)
			default:
				v.Str[i] = fmt.Sprintf("a text of some length, as a row may have %d", x%1000)[:20+x%20]
			}
		}
		out[c] = v
	}
	return out
}

func benchmarkReplay(b *testing.B, s *catalog.Schema, commits int, change func(c *Commit, i int64)) {
	fs, err := vfs.Dir(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	log, err := chainlog.Create(fs, "log", walKind, chainlog.Off)
	if err != nil {
		b.Fatal(err)
	}
	files := segfile.New(fs, nil, 0)
	first := NewCommit(1, files)
	first.PutTable(&Table{ID: 1, DB: "d", Name: "t", Schema: s, SegmentRows: 128 << 10})
	if _, err := log.Append(first.Record()); err != nil {
		b.Fatal(err)
	}
	for i := range commits {
		c := NewCommit(uint64(i+2), files)
		change(c, int64(i))
		if _, err := log.Append(c.Record()); err != nil {
			b.Fatal(err)
		}
	}
	size := log.Size()
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size))
	b.ResetTimer()
	for b.Loop() {
		c := newCatalog(files, nil)
		c.startReplay()
		_, err := chainlog.ScanBatches(fs, "log", walKind, c.replay.divide, func(_ []chainlog.Record, spans []span) error {
			_, err := c.repeat(spans)
			return err
		})
		if err == nil {
			err = c.settle()
		}
		if err != nil || c.Sequence != uint64(commits)+1 {
			b.Fatal(c.Sequence, err)
		}
	}
	b.ReportMetric(float64(commits)*float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}
