package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// model is the expected view of a transaction: rows by key.
type model struct {
	tx      *Tx
	rows    map[int64]string
	written map[int64]int // the commit that last wrote each key, shared by all models
	touched map[int64]bool
	begun   int
}

// TestAgainstModel runs random interleaved transactions on a table with tiny segments. It
// compares each transaction with a map, and the results of commits with the rules of snapshot
// isolation.
func TestAgainstModel(t *testing.T) {
	for seed := range int64(12) {
		runModel(t, seed, 1+rand.New(rand.NewSource(seed)).Intn(60))
	}
}

func runModel(t *testing.T, seed int64, segRows int) {
	rng := rand.New(rand.NewSource(seed))
	s := NewStore(nil)
	s.segmentRows = segRows
	create(t, s, "t", pairs())
	committed, written := map[int64]string{}, map[int64]int{}
	commits := 0
	var open []*model
	for step := range 300 {
		if len(open) < 3 && rng.Intn(4) == 0 || len(open) == 0 {
			open = append(open, &model{tx: s.Begin(), rows: maps.Clone(committed), written: written, touched: map[int64]bool{}, begun: commits})
		}
		at := rng.Intn(len(open))
		m := open[at]
		what := fmt.Sprintf("seed %d step %d", seed, step)
		if rng.Intn(5) > 0 {
			m.statement(t, rng, what)
			m.compare(t, rng, what)
			continue
		}
		open = slices.Delete(open, at, at+1)
		if rng.Intn(4) == 0 {
			m.tx.Rollback()
			continue
		}
		m.commit(t, what, committed, &commits)
		check := &model{tx: s.Begin(), rows: committed}
		check.compare(t, rng, what+" committed")
	}
}

// commit commits the transaction and, if that must succeed, applies the model's rows.
func (m *model) commit(t *testing.T, what string, committed map[int64]string, commits *int) {
	clash := m.doomed()
	err := m.tx.Commit()
	if clash != (err != nil) {
		t.Fatalf("%s: commit gave %v, conflict expected: %v", what, err, clash)
	}
	if err != nil {
		if !errors.Is(err, sqlerr.WriteConflict) && !errors.Is(err, sqlerr.DupEntry) {
			t.Fatalf("%s: %v", what, err)
		}
		return
	}
	*commits++
	for k := range m.touched {
		m.written[k] = *commits
		if x, ok := m.rows[k]; ok {
			committed[k] = x
		} else {
			delete(committed, k)
		}
	}
}

// doomed reports whether another transaction has changed a row that this one has changed, too.
func (m *model) doomed() bool {
	for k := range m.touched {
		if m.written[k] > m.begun {
			return true
		}
	}
	return false
}

// statement makes one change or, one time in four, several changes that it rolls back.
func (m *model) statement(t *testing.T, rng *rand.Rand, what string) {
	if rng.Intn(4) > 0 {
		m.change(t, rng, what)
		return
	}
	sp := m.tx.Savepoint()
	rows, touched := maps.Clone(m.rows), maps.Clone(m.touched)
	for range rng.Intn(4) {
		m.change(t, rng, what)
	}
	if rng.Intn(4) > 0 {
		m.tx.RollbackTo(sp)
		m.rows, m.touched = rows, touched
	}
	m.tx.Release(sp)
}

// change runs one random statement.
func (m *model) change(t *testing.T, rng *rand.Rand, what string) {
	tbl := lookup(t, m.tx, "t")
	switch rng.Intn(4) {
	case 0, 1:
		m.insert(t, rng, tbl, what)
	case 2:
		keys, ids := m.pick(t, rng, tbl)
		n, err := m.tx.Delete(context.Background(), tbl, ids)
		if err != nil || n != int64(len(keys)) {
			t.Fatalf("%s: deleted %d of %d, %v", what, n, len(keys), err)
		}
		for _, k := range keys {
			delete(m.rows, k)
			m.touched[k] = true
		}
	case 3:
		m.update(t, rng, tbl, what)
	}
}

// update sets values. Rows that already have the value do not count.
func (m *model) update(t *testing.T, rng *rand.Rand, tbl catalog.Table, what string) {
	keys, ids := m.pick(t, rng, tbl)
	vals := make([]string, len(keys))
	clash, changed := m.doomed(), 0
	for i, k := range keys {
		vals[i] = fmt.Sprint("u", rng.Intn(5))
		if vals[i] != m.rows[k] {
			changed++
			clash = clash || m.written[k] > m.begun
		}
	}
	n, err := m.tx.Update(bg, tbl, ids, []int{1}, []*vec.Vector{strs(vals...)})
	if clash && errors.Is(err, sqlerr.WriteConflict) {
		return
	}
	for i, k := range keys {
		if vals[i] != m.rows[k] {
			m.rows[k] = vals[i]
			m.touched[k] = true
		}
	}
	if err != nil || n != int64(changed) {
		t.Fatalf("%s: updated %d of %d, %v", what, n, changed, err)
	}
}

// pick chooses some of the rows that the transaction sees.
func (m *model) pick(t *testing.T, rng *rand.Rand, tbl catalog.Table) (keys, ids []int64) {
	rows, all := scan(t, tbl, catalog.ScanSpec{})
	for i, r := range rows {
		if rng.Intn(len(rows)) < 6 {
			var k int64
			if _, err := fmt.Sscanf(r, "%d|", &k); err != nil {
				t.Fatal(err)
			}
			keys, ids = append(keys, k), append(ids, all[i])
		}
	}
	return keys, ids
}

func (m *model) insert(t *testing.T, rng *rand.Rand, tbl catalog.Table, what string) {
	n := 1 + rng.Intn(5)
	if rng.Intn(8) == 0 {
		n = 100
	}
	keys, vals, dup := make([]int64, n), make([]string, n), false
	seen := map[int64]bool{}
	for i := range keys {
		keys[i] = rng.Int63()
		if rng.Intn(40) == 0 && len(m.rows) > 0 {
			// A key that another transaction has freed in the meantime may be reused. Leave such
			// keys out: the outcome would differ from the model's.
			if k := slices.Min(slices.Collect(maps.Keys(m.rows))); m.written[k] <= m.begun {
				keys[i] = k
			}
		}
		_, have := m.rows[keys[i]]
		dup = dup || have || seen[keys[i]]
		seen[keys[i]] = true
		vals[i] = fmt.Sprint("v", rng.Intn(100))
	}
	if rng.Intn(2) == 0 { // all rows get the same value
		for i := range vals {
			vals[i] = vals[0]
		}
	}
	cut := rng.Intn(n)
	batches := [][]*vec.Vector{{ints(keys[:cut]...), strs(vals[:cut]...)}, {ints(keys[cut:]...), strs(vals[cut:]...)}}
	err := m.tx.Insert(bg, tbl, batches)
	if dup {
		if !m.doomed() || !errors.Is(err, sqlerr.WriteConflict) {
			wantCode(t, err, sqlerr.DupEntry)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for i, k := range keys {
		m.rows[k] = vals[i]
		m.touched[k] = true
	}
}

func (m *model) compare(t *testing.T, rng *rand.Rand, what string) {
	t.Helper()
	tbl := lookup(t, m.tx, "t")
	got, ids := scan(t, tbl, catalog.ScanSpec{BatchSize: []int{0, 1, 3}[rng.Intn(3)]})
	checkPlaces(t, rng, tbl, got)
	var want []string
	for k, x := range m.rows {
		want = append(want, fmt.Sprintf("%d|%s|", k, x))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("%s: got %d rows %v, want %d rows %v", what, len(got), got, len(want), want)
	}
	slices.SortFunc(ids, cmp.Compare[int64])
	if len(slices.Compact(ids)) != len(got) {
		t.Fatalf("%s: row ids repeat", what)
	}
	if st := tbl.Stats(); st.Rows != int64(len(want)) {
		t.Fatalf("%s: statistics count %d rows of %d", what, st.Rows, len(want))
	}
	keys := append(slices.Collect(maps.Keys(m.rows)), slices.Collect(maps.Keys(m.written))...)
	for range min(3, len(keys)) {
		m.lookUp(t, tbl, keys[rng.Intn(len(keys))], what)
	}
}

// lookUp reads one key, which some transaction has or had, through the key's index.
func (m *model) lookUp(t *testing.T, tbl catalog.Table, key int64, what string) {
	t.Helper()
	d := catalog.Int(key)
	rows, _ := scan(t, tbl, catalog.ScanSpec{Prune: []catalog.Range{{Column: 0, Lo: &d, Hi: &d}}})
	want, ok := m.rows[key]
	line := fmt.Sprintf("%d|%s|", key, want)
	if slices.Contains(rows, line) != ok {
		t.Fatalf("%s: a scan for key %d gave %v, want %v %s", what, key, rows, ok, line)
	}
}
