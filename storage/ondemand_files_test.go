package storage

import (
	"fmt"
	"math/rand"
	"slices"
	"sync"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/vec"
	"gsql/storage/segfile"
	"gsql/storage/vfs"
)

// inFiles makes the columns of the table's segments be loaded from files of their own.
func inFiles(t *testing.T, s *Store, table string, files *segfile.Files) {
	v := lookup(t, s.Begin(), table).(*version)
	for i := range v.Segs {
		w, err := files.NewWriter(uint64(i))
		must(t, err)
		seg, err := w.Add(v.schema, v.Segs[i].Segment)
		must(t, err)
		must(t, w.Finish())
		seg, _, err = files.Decode(files.Encode(nil, seg), v.schema)
		must(t, err)
		v.Segs[i].Segment = seg
	}
}

// TestScansOfFiles runs scans of columns of all types in several goroutines, with a cache that
// holds few of the columns, before and after the files are removed.
func TestScansOfFiles(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	schema := &catalog.Schema{}
	for i, x := range allTypes {
		schema.Columns = append(schema.Columns, catalog.Column{Name: fmt.Sprint("c", i), Type: x})
	}
	const rows, segRows = 6000, 1000
	s := NewStore(nil)
	s.segmentRows = segRows
	create(t, s, "t", schema)
	cols := make([]*vec.Vector, len(schema.Columns))
	for i := range cols {
		cols[i] = randomRuns(rng, schema.Columns[i].Type, rows, 1+19*(i%3))
	}
	commitRows(t, s, "t", cols...)
	v := lookup(t, s.Begin(), "t").(*version)
	bytes := int64(0)
	for i := range v.Segs {
		bytes += v.Segs[i].Bytes
	}
	want, _ := scan(t, v, catalog.ScanSpec{})
	fs, err := vfs.Dir(t.TempDir())
	must(t, err)
	account := mem.NewRoot("test", 10*bytes) // readers keep the columns of a segment, and garbage counts
	files := segfile.New(fs, account, bytes/4)
	inFiles(t, s, "t", files)
	v = lookup(t, s.Begin(), "t").(*version)
	for removed := range 2 {
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for round := range 2 {
					if got := readRows(t, v, 100+g*round); !slices.Equal(got, want) {
						t.Errorf("goroutine %d reads other rows", g)
					}
				}
			})
		}
		wg.Wait()
		if n := files.Cached(); n > bytes/4 {
			t.Errorf("%d bytes are cached", n)
		}
		for i := range v.Segs {
			if removed == 0 {
				must(t, files.Remove(uint64(i)))
			}
		}
	}
	must(t, files.Close())
}

// readRows returns all rows as scan does.
func readRows(t *testing.T, v *version, batch int) (rows []string) {
	spec := catalog.ScanSpec{BatchSize: batch}
	for c := range v.schema.Columns {
		spec.Columns = append(spec.Columns, c)
	}
	src, err := v.Scan(bg, spec)
	must(t, err)
	r, err := src.NewReader()
	must(t, err)
	for {
		b, err := r.Next()
		must(t, err)
		if b == nil {
			return rows
		}
		for i := range b.N {
			row := ""
			for _, c := range b.Cols {
				row += catalog.DatumAt(c, i).Text() + "|"
			}
			rows = append(rows, row)
		}
	}
}
