package storage

import (
	"context"
	"math/rand"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// TestKeysInRuns loads ascending keys in bulk, consecutive ones and others, mixed with single
// insertions, deletions and rollbacks, and compares the duplicates with a set.
func TestKeysInRuns(t *testing.T) {
	for seed := range int64(3) {
		rng := rand.New(rand.NewSource(seed))
		s := NewStore(nil)
		s.segmentRows = 3000
		create(t, s, "t", &catalog.Schema{Columns: pairs().Columns[:1], Indexes: pairs().Indexes})
		have := map[int64]bool{}
		top, sawRun := int64(0), false
		for range 40 {
			tx := s.Begin()
			now := map[int64]bool{}
			for k := range have {
				now[k] = true
			}
			for range 1 + rng.Intn(3) {
				keys := randomKeys(rng, &top)
				dup := false
				seen := map[int64]bool{}
				for _, k := range keys {
					dup = dup || now[k] || seen[k]
					seen[k] = true
				}
				err := tx.Insert(bg, lookup(t, tx, "t"), [][]*vec.Vector{{ints(keys...)}})
				if dup != (err != nil) {
					t.Fatalf("seed %d: %d keys from %d: %v, duplicates expected: %v", seed, len(keys), keys[0], err, dup)
				}
				if err != nil {
					wantCode(t, err, sqlerr.DupEntry)
				} else {
					for _, k := range keys {
						now[k] = true
					}
				}
				deleteSome(t, rng, tx, now)
			}
			if rng.Intn(4) == 0 {
				tx.Rollback()
				continue
			}
			must(t, tx.Commit())
			have = now
			sawRun = sawRun || lookup(t, s.Begin(), "t").(*version).keys[0].rows.Runs() > 0
		}
		if rows, _ := scan(t, lookup(t, s.Begin(), "t"), catalog.ScanSpec{}); len(rows) != len(have) || distinct(rows) != len(have) {
			t.Fatalf("seed %d: %d rows, want %d", seed, len(rows), len(have))
		}
		if !sawRun {
			t.Fatal("no run was made")
		}
	}
}

// randomKeys returns either few random keys or many ascending ones, mostly above all previous
// keys.
func randomKeys(rng *rand.Rand, top *int64) []int64 {
	if rng.Intn(2) == 0 {
		return []int64{rng.Int63n(*top + 10), rng.Int63n(*top + 10)}
	}
	from, step := *top+1, 1+rng.Int63n(2)
	if rng.Intn(5) == 0 {
		from = rng.Int63n(*top + 1)
	}
	keys := make([]int64, 1024+rng.Intn(100))
	for i := range keys {
		keys[i] = from + int64(i)*step
	}
	*top = max(*top, keys[len(keys)-1])
	return keys
}

func deleteSome(t *testing.T, rng *rand.Rand, tx *Tx, now map[int64]bool) {
	t.Helper()
	tbl := lookup(t, tx, "t")
	src, err := tbl.Scan(bg, catalog.ScanSpec{Columns: []int{0, catalog.RowID}})
	must(t, err)
	r, _ := src.NewReader()
	var ids []int64
	share := 1 + rng.Intn(40)
	for {
		b, err := r.Next()
		must(t, err)
		if b == nil {
			break
		}
		for i := range b.N {
			if rng.Intn(share) == 0 && rng.Intn(2) == 0 {
				ids = append(ids, b.Cols[1].I64[i])
				delete(now, catalog.DatumAt(b.Cols[0], i).I64)
			}
		}
	}
	if n, err := tx.Delete(context.Background(), tbl, ids); err != nil || n != int64(len(ids)) {
		t.Fatal(n, err)
	}
}
