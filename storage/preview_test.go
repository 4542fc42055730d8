package storage

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func previewTable(t *testing.T, s *Store, rows int) {
	create(t, s, "t", &catalog.Schema{Columns: []catalog.Column{{Name: "id", Type: types.T(types.Int64)}, {Name: "name", Type: types.T(types.String)}, {Name: "text", Type: types.T(types.String)}}})
	ids, names, texts := make([]int64, rows), make([]string, rows), make([]string, rows)
	for i := range ids {
		ids[i], names[i], texts[i] = int64(i), fmt.Sprint("name ", i), strings.Repeat("long ", 200)
	}
	commitRows(t, s, "t", ints(ids...), strs(names...), strs(texts...))
}

// checkPreview checks that the sampled rows are rows of the table and come from all of its
// quarters.
func checkPreview(t *testing.T, when string, b *vec.Batch, rows int, gone func(id int64) bool) {
	t.Helper()
	if b == nil || b.N < min(rows-20, previewRows/2) || b.N > 2*previewRows+previewStretch {
		t.Fatalf("%s: %+v", when, b)
	}
	for i := range b.N {
		id, name := b.Cols[1].I64[i], b.Cols[0].Str[i]
		if name != fmt.Sprint("name ", id) || gone(id) {
			t.Fatalf("%s: row %d is %d, %q", when, i, id, name)
		}
	}
	checkQuarters(t, b, rows)
}

// checkQuarters checks that rows come from all quarters of the table.
func checkQuarters(t *testing.T, b *vec.Batch, rows int) {
	t.Helper()
	quarters := map[int64]int{}
	for _, id := range b.Cols[1].I64[:b.N] {
		quarters[4*id/int64(rows)]++
	}
	for q := range int64(4) {
		if quarters[q] < b.N/8 {
			t.Errorf("%d rows by quarter of %d: %v", b.N, rows, quarters)
		}
	}
}

// TestPreview checks that samples have the same rows for all columns, no deleted rows, and no
// long texts.
func TestPreview(t *testing.T) {
	for _, rows := range []int{300, 3000, 50000} {
		s := NewStore(nil)
		s.segmentRows = 7000
		previewTable(t, s, rows)
		gone := func(id int64) bool { return id >= 100 && id < 120 }
		tx := s.Begin()
		_, ids := scan(t, lookup(t, tx, "t"), catalog.ScanSpec{})
		if _, err := tx.Delete(context.Background(), lookup(t, tx, "t"), ids[100:120]); err != nil {
			t.Fatal(err)
		}
		must(t, tx.Commit())
		v := lookup(t, s.Begin(), "t").(catalog.Sampler)
		first, _ := v.Sample([]int{0})
		if first.N == 0 {
			t.Fatal("no rows")
		}
		all, _ := v.Sample([]int{1, 0})
		if all.Cols[1] != first.Cols[0] {
			t.Error("a column is read again beside another one")
		}
		checkPreview(t, fmt.Sprint(rows, " rows"), all, rows, gone)
		if all.N > 4*previewStretch {
			checkQuarters(t, all.Slice(0, all.N/4), rows)
		}
		if long, _ := v.Sample([]int{0, 2}); long != nil {
			t.Error("long texts are shown")
		}
	}
}

// TestReview checks that all rows are shown, but none that were deleted, and no more than requested.
func TestReview(t *testing.T) {
	const rows = 20000
	s := NewStore(nil)
	s.segmentRows = 7000
	previewTable(t, s, rows)
	tx := s.Begin()
	_, ids := scan(t, lookup(t, tx, "t"), catalog.ScanSpec{})
	if _, err := tx.Delete(context.Background(), lookup(t, tx, "t"), ids[100:120]); err != nil {
		t.Fatal(err)
	}
	must(t, tx.Commit())
	v := lookup(t, s.Begin(), "t").(catalog.Reviewer)
	b := v.Review([]int{0}, rows)
	if b == nil || b.N != rows-20 {
		t.Fatalf("%v, want %d rows", b, rows-20)
	}
	seen := map[int64]bool{}
	for _, id := range b.Cols[0].I64[:b.N] {
		if seen[id] || id < 0 || id >= rows || id >= 100 && id < 120 {
			t.Fatalf("row %d", id)
		}
		seen[id] = true
	}
	if v.Review([]int{0}, rows-21) != nil || v.Review([]int{0, 2}, rows) != nil || v.Review([]int{catalog.RowID}, rows) != nil {
		t.Error("too many rows, long texts or row ids are shown")
	}
}

// TestPreviewStays checks that versions with a few more rows return the rows read before, and
// that recomputed statistics read rows again.
func TestPreviewStays(t *testing.T) {
	s := NewStore(nil)
	s.segmentRows = 7000
	previewTable(t, s, 50000)
	first, found := lookup(t, s.Begin(), "t").(catalog.Sampler).Sample([]int{1, 0})
	commitRows(t, s, "t", ints(50000), strs("name 50000"), strs(""))
	second, same := lookup(t, s.Begin(), "t").(catalog.Sampler).Sample([]int{1, 0})
	if found != same || first.Cols[0] != second.Cols[0] || first.Cols[1] != second.Cols[1] {
		t.Error("a row more makes rows be read again")
	}
	tx := s.Begin()
	_, ids := scan(t, lookup(t, tx, "t"), catalog.ScanSpec{})
	if _, err := tx.Delete(context.Background(), lookup(t, tx, "t"), ids[:25000]); err != nil {
		t.Fatal(err)
	}
	must(t, tx.Commit())
	third, other := lookup(t, s.Begin(), "t").(catalog.Sampler).Sample([]int{1, 0})
	if other == found {
		t.Error("what was found of rows that are gone is kept")
	}
	for i := range third.N {
		if third.Cols[1].I64[i] < 25000 {
			t.Fatal("rows that are gone are shown after half of them went")
		}
	}
}
