package storage

import (
	"fmt"
	"math/rand"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// twoKeys is a table of id and name with a PRIMARY KEY of the first and a UNIQUE key of the second.
func twoKeys() *catalog.Schema {
	schema := pairs()
	schema.Indexes = append(schema.Indexes, catalog.Index{Name: "by_name", Columns: []int{1}, Unique: true})
	return schema
}

// appendAll loads rows with two writers.
func appendAll(tx *Tx, tbl catalog.Table, ids []int64, names []string) error {
	a, err := NewAppender(tx, tbl)
	if err != nil {
		return err
	}
	ws := []*AppendWriter{a.NewWriter(), a.NewWriter()}
	var wg sync.WaitGroup
	const step = 97
	for i, w := range ws {
		wg.Go(func() {
			for from := i * step; from < len(ids); from += 2 * step {
				to := min(len(ids), from+step)
				if w.Append(int64(from), []*vec.Vector{ints(ids[from:to]...), strs(names[from:to]...)}) != nil {
					break
				}
			}
			_ = w.Close() // Finish returns the error
		})
	}
	wg.Wait()
	_, err = a.Finish(bg)
	return err
}

// TestFirstDuplicate adds rows with a few keys that are taken, by loads and by insertions in bulk. The error
// must be that of adding one row after the other, each of which is checked for one key after the other.
func TestFirstDuplicate(t *testing.T) {
	for seed := range int64(40) {
		rng := rand.New(rand.NewSource(seed))
		s := NewStore(nil)
		s.segmentRows = 800
		create(t, s, "t", twoKeys())
		ids, names := map[int64]bool{}, map[string]bool{}
		for step := range 4 {
			n := 100 + rng.Intn(2500)
			if seed%10 == 0 {
				n += bulkRows
			}
			xs, ns := rowsWithDuplicates(rng, n, step)
			want := ""
			for i := range xs {
				if ids[xs[i]] {
					want = fmt.Sprintf("Duplicate entry '%d' for key 't.PRIMARY'", xs[i])
				} else if names[ns[i]] {
					want = fmt.Sprintf("Duplicate entry '%s' for key 't.by_name'", ns[i])
				}
				if want != "" {
					for j := range i {
						delete(ids, xs[j])
						delete(names, ns[j])
					}
					break
				}
				if ids[xs[i]] = true; ns[i] != "NULL" {
					names[ns[i]] = true
				}
			}
			tx := s.Begin()
			tbl := lookup(t, tx, "t")
			var err error
			if rng.Intn(2) == 0 {
				err = appendAll(tx, tbl, xs, ns)
			} else {
				err = insert(tx, tbl, ints(xs...), strs(ns...))
			}
			if want != "" {
				wantMessage(t, err, want)
				wantCode(t, err, sqlerr.DupEntry)
			} else {
				must(t, err)
			}
			must(t, tx.Commit())
			if got := lookup(t, s.Begin(), "t").(*version).rows(); got != int64(len(ids)) {
				t.Fatalf("seed %d step %d: %d rows, want %d", seed, step, got, len(ids))
			}
		}
	}
}

// rowsWithDuplicates returns rows most of which have keys of their own.
func rowsWithDuplicates(rng *rand.Rand, n, step int) (ids []int64, names []string) {
	few := rng.Intn(3)
	for i := range n {
		id := int64(step)<<40 + int64(i*7919%n)
		if n%7919 == 0 || rng.Intn(2) == 0 && step == 0 {
			id = int64(step)<<40 + int64(n+i)
		}
		name := fmt.Sprint("n", id)
		if few > 0 && rng.Intn(n) < few {
			id = rng.Int63n(int64(n))
		}
		if few > 0 && rng.Intn(n) < few {
			name = fmt.Sprint("n", rng.Intn(n))
		}
		if rng.Intn(50) == 0 {
			name = "NULL"
		}
		ids, names = append(ids, id), append(names, name)
	}
	return ids, names
}

// TestBulkKeysOfTransactions checks keys that are loaded in bulk against other transactions': those that committed before the
// load, between the load and its commit, and rows that they deleted.
func TestBulkKeysOfTransactions(t *testing.T) {
	for _, schema := range []*catalog.Schema{pairs(), byName()} {
		s := NewStore(nil)
		s.segmentRows = 500
		create(t, s, "t", schema)
		load := func(tx *Tx, from, n int) error {
			xs, ns := make([]int64, n), make([]string, n)
			for i := range xs {
				xs[i] = int64(from + i*31%n) // n is no multiple of 31
				ns[i] = fmt.Sprint("n", xs[i])
			}
			return appendAll(tx, lookup(t, tx, "t"), xs, ns)
		}
		begin := s.Begin()
		must(t, load(begin, 0, 2000))
		a, b, old := s.Begin(), s.Begin(), s.Begin()
		must(t, begin.Commit())
		wantCode(t, load(a, 1999, 2000), sqlerr.DupEntry) // by a row that a does not see
		must(t, load(a, 2000, 3000))
		must(t, load(b, 4999, 1000))
		wantCode(t, load(b, 5998, 500), sqlerr.DupEntry) // its own
		must(t, a.Commit())
		wantCode(t, b.Commit(), sqlerr.DupEntry) // 4999
		wantRows(t, lookup(t, old, "t"))

		tx := s.Begin()
		tbl := lookup(t, tx, "t")
		rows, ids := scan(t, tbl, catalog.ScanSpec{})
		var low []int64 // the rows below 1500
		for i, id := range ids {
			x, err := strconv.Atoi(rows[i][:strings.IndexByte(rows[i], '|')])
			must(t, err)
			if x < 1500 {
				low = append(low, id)
			}
		}
		if _, err := tx.Delete(bg, tbl, low); err != nil {
			t.Fatal(err)
		}
		sp := tx.Savepoint()
		must(t, load(tx, 0, 1400))
		wantCode(t, load(tx, 1399, 700), sqlerr.DupEntry)
		tx.RollbackTo(sp)
		must(t, load(tx, 0, 1300))
		tx.Release(sp)
		late := s.Begin()
		must(t, tx.Commit())
		wantCode(t, load(late, 1299, 600), sqlerr.DupEntry)
		if got := lookup(t, s.Begin(), "t").(*version).rows(); got != 5000-1500+1300 {
			t.Fatalf("%d rows", got)
		}
		tx = s.Begin()
		tbl = lookup(t, tx, "t")
		_, ids = scan(t, tbl, catalog.ScanSpec{})
		if _, err := tx.Delete(bg, tbl, ids); err != nil {
			t.Fatal(err)
		}
		must(t, tx.Commit())
		tx = s.Begin()
		must(t, load(tx, 0, 5000))
		must(t, tx.Commit())
	}
}

// byName is the table of pairs with a key of both columns instead of one of the first.
func byName() *catalog.Schema {
	schema := pairs()
	schema.Indexes = []catalog.Index{{Name: "both", Columns: []int{1, 0}, Unique: true}}
	return schema
}

// TestBulkKeysOfText checks that texts which are equal in their collation are duplicates in loads and in a new index, whether the
// segments have dictionaries or not.
func TestBulkKeysOfText(t *testing.T) {
	for names, second := range map[int]string{10: "Ärger 0", 2000: "ÄRGER 0"} { // few texts have a dictionary; the ids then tell the rows apart
		s := NewStore(nil)
		s.segmentRows = 500
		schema := byName()
		schema.Columns[1].Type.Coll = types.UCA
		create(t, s, "t", schema)
		load := func(format string, from int) error {
			xs, ns := make([]int64, 2000), make([]string, 2000)
			for i := range xs {
				xs[i], ns[i] = int64((from+i)/names), fmt.Sprintf(format, (from+i)%names)
			}
			tx := s.Begin()
			if err := appendAll(tx, lookup(t, tx, "t"), xs, ns); err != nil {
				return err
			}
			return tx.Commit()
		}
		must(t, load("Ärger %d", 0))
		wantMessage(t, load("arger %d", 1999), fmt.Sprintf("Duplicate entry 'arger %d-%d' for key 't.both'", 1999%names, 1999/names))
		must(t, load("ÄRGER %d", 2000))
		tx := s.Begin()
		wantMessage(t, tx.DDL().CreateIndex(bg, lookup(t, tx, "t"), catalog.Index{Name: "name", Columns: []int{1}, Unique: true}), "Duplicate entry '"+second+"' for key 't.name'")
	}
}
