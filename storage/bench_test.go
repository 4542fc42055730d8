package storage

import (
	"context"
	"fmt"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func benchTable(b *testing.B, rows int) *Store {
	s := NewStore(nil)
	create(b, s, "t", &catalog.Schema{Columns: []catalog.Column{{Name: "i", Type: types.T(types.Int32)}, {Name: "s", Type: types.T(types.String)}}})
	i, str := vec.NewFlat(types.T(types.Int32), rows), vec.NewFlat(types.T(types.String), rows)
	for r := range rows {
		i.I64[r], str.Str[r] = int64(r), fmt.Sprint("value ", r%100)
	}
	commitRows(b, s, "t", i, str)
	return s
}

func benchScan(b *testing.B, col int) {
	const rows = 4 << 20
	s := benchTable(b, rows)
	tbl := lookup(b, s.Begin(), "t")
	b.ReportAllocs()
	for b.Loop() {
		src, err := tbl.Scan(bg, catalog.ScanSpec{Columns: []int{col}})
		must(b, err)
		r, _ := src.NewReader()
		for {
			batch, err := r.Next()
			must(b, err)
			if batch == nil {
				break
			}
		}
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

func BenchmarkScanInt32(b *testing.B)      { benchScan(b, 0) }
func BenchmarkScanDictionary(b *testing.B) { benchScan(b, 1) }

func BenchmarkBegin(b *testing.B) {
	s := benchTable(b, 10)
	b.ReportAllocs()
	for b.Loop() {
		tx := s.Begin()
		_, err := tx.Table(bg, "", "t")
		must(b, err)
		must(b, tx.Commit())
	}
}

func benchInsert(b *testing.B, schema *catalog.Schema) {
	s := NewStore(nil)
	create(b, s, "t", schema)
	next := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		commitRows(b, s, "t", ints(next), strs("some text"))
		next++
	}
}

func BenchmarkInsertRow(b *testing.B)            { benchInsert(b, &catalog.Schema{Columns: pairs().Columns}) }
func BenchmarkInsertRowWithPrimary(b *testing.B) { benchInsert(b, pairs()) }

// BenchmarkInsertDelete20000 inserts 20,000 rows one at a time and deletes them one at a time; a
// scan limited to the first batch finds each row.
func BenchmarkInsertDelete20000(b *testing.B) {
	for b.Loop() {
		s := NewStore(nil)
		create(b, s, "t", pairs())
		for i := range int64(20_000) {
			commitRows(b, s, "t", ints(i), strs("x"))
		}
		for i := range int64(20_000) {
			tx := s.Begin()
			n, err := tx.Delete(context.Background(), lookup(b, tx, "t"), []int64{(i * 7919) % 20_000})
			if n != 1 || err != nil {
				b.Fatal(n, err)
			}
			must(b, tx.Commit())
		}
	}
}

func BenchmarkDeleteRowOfSegment(b *testing.B) {
	const rows = 4 << 20
	s := benchTable(b, rows)
	next := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		tx := s.Begin()
		_, err := tx.Delete(context.Background(), lookup(b, tx, "t"), []int64{next % rows})
		must(b, err)
		must(b, tx.Commit())
		next += 104729
	}
}

func benchAppend(b *testing.B, schema *catalog.Schema) {
	const rows = 1 << 20
	i, str := vec.NewFlat(types.T(types.Int64), vec.BatchSize), vec.NewFlat(types.T(types.String), vec.BatchSize)
	b.ReportAllocs()
	for b.Loop() {
		s := NewStore(nil)
		create(b, s, "t", schema)
		tx := s.Begin()
		a, err := NewAppender(tx, lookup(b, tx, "t"))
		must(b, err)
		w := a.NewWriter()
		for m := range int64(rows / vec.BatchSize) {
			for r := range i.I64 {
				i.I64[r], str.Str[r] = m*vec.BatchSize+int64(r), "value"
			}
			must(b, w.Append(m, []*vec.Vector{i, str}))
		}
		must(b, w.Close())
		_, err = a.Finish(bg)
		must(b, err)
		must(b, tx.Commit())
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

func BenchmarkAppend(b *testing.B)            { benchAppend(b, &catalog.Schema{Columns: pairs().Columns}) }
func BenchmarkAppendWithPrimary(b *testing.B) { benchAppend(b, pairs()) }

func BenchmarkStats(b *testing.B) {
	v := lookup(b, benchTable(b, 4<<20).Begin(), "t").(*version)
	b.ReportAllocs()
	for b.Loop() {
		describe(context.Background(), v, sampleRows, false)
	}
}

func BenchmarkStatsOfTinyTable(b *testing.B) {
	v := lookup(b, benchTable(b, 3).Begin(), "t").(*version)
	b.ReportAllocs()
	for b.Loop() {
		describe(context.Background(), v, sampleRows, false)
	}
}
