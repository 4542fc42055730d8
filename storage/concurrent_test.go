package storage

import (
	"errors"
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// TestTransfers moves amounts between rows from many goroutines while readers check that every
// snapshot has the same sum: no update may be lost or partly visible.
func TestTransfers(t *testing.T) {
	const accounts, writers, transfers = 20, 4, 150
	s := NewStore(nil)
	s.segmentRows = 64
	schema := pairs()
	schema.Columns[1] = catalog.Column{Name: "amount", Type: schema.Columns[0].Type}
	create(t, s, "t", schema)
	keys, amounts := make([]int64, accounts), make([]int64, accounts)
	for i := range keys {
		keys[i], amounts[i] = int64(i), 100
	}
	commitRows(t, s, "t", ints(keys...), ints(amounts...))
	var stop atomic.Bool
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			rng := rand.New(rand.NewSource(int64(w)))
			for done := 0; done < transfers; {
				switch err := transfer(s, rng); {
				case err == nil:
					done++
				case !errors.Is(err, sqlerr.WriteConflict):
					t.Error(err)
					return
				}
			}
		})
	}
	for range 2 {
		reading.Go(func() {
			for !stop.Load() {
				if rows, sum, err := total(s); err != nil || rows != accounts || sum != 100*accounts {
					t.Errorf("%d rows with sum %d, %v", rows, sum, err)
					return
				}
			}
		})
	}
	reading.Go(func() { // meanwhile, other tables and definitions come and go
		for !stop.Load() {
			tx := s.Begin()
			if err := errors.Join(tx.DDL().CreateTable("", "other", pairs()), tx.Commit()); err != nil {
				t.Error(err)
				return
			}
			tx = s.Begin()
			o, err := tx.Table(bg, "", "other")
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(insert(tx, o.Table, ints(1), strs("x")), tx.DDL().DropTable("", "other"), tx.Commit()); err != nil {
				t.Error(err)
				return
			}
		}
	})
	writing.Wait()
	stop.Store(true)
	reading.Wait()
	if rows, sum, err := total(s); err != nil || rows != accounts || sum != 100*accounts {
		t.Fatalf("%d rows with sum %d, %v", rows, sum, err)
	}
}

func transfer(s *Store, rng *rand.Rand) error {
	tx := s.Begin()
	o, err := tx.Table(bg, "", "t")
	if err != nil {
		return err
	}
	var ids []int64
	var amounts []int64
	err = each(o.Table, func(b *vec.Batch) {
		amounts = append(amounts, b.Cols[0].Flatten(nil).I64...)
		ids = append(ids, b.Cols[1].I64...)
	})
	if err != nil {
		return err
	}
	from := rng.Intn(len(ids))
	to := (from + 1 + rng.Intn(len(ids)-1)) % len(ids)
	_, err = tx.Update(bg, o.Table, []int64{ids[from], ids[to]}, []int{1}, []*vec.Vector{ints(amounts[from]-7, amounts[to]+7)})
	if err != nil {
		return err
	}
	return tx.Commit()
}

func total(s *Store) (rows int, sum int64, err error) {
	o, err := s.Begin().Table(bg, "", "t")
	if err != nil {
		return 0, 0, err
	}
	if got := o.Table.Stats().Rows; got != 20 {
		return int(got), 0, errors.New("the statistics count other rows")
	}
	err = each(o.Table, func(b *vec.Batch) {
		for _, x := range b.Cols[0].Flatten(nil).I64 {
			sum += x
		}
		rows += b.N
	})
	return rows, sum, err
}

func each(tbl catalog.Table, f func(*vec.Batch)) error {
	src, err := tbl.Scan(bg, catalog.ScanSpec{Columns: []int{1, catalog.RowID}})
	if err != nil {
		return err
	}
	r, err := src.NewReader()
	if err != nil {
		return err
	}
	for {
		b, err := r.Next()
		if err != nil || b == nil {
			return err
		}
		f(b)
	}
}

// TestConcurrentInserts appends from several goroutines, with some keys twice: the table must end
// up with each key once.
func TestConcurrentInserts(t *testing.T) {
	const writers, each = 4, 300
	s := NewStore(nil)
	s.segmentRows = 100
	create(t, s, "t", pairs())
	var wg sync.WaitGroup
	var inserted atomic.Int64
	for w := range writers {
		wg.Go(func() {
			for i := range int64(each) {
				tx := s.Begin()
				o, err := tx.Table(bg, "", "t")
				if err == nil {
					if err = insert(tx, o.Table, ints(i*2+int64(w)%2), strs("x")); err == nil {
						err = tx.Commit()
					}
				}
				if err == nil {
					inserted.Add(1)
				} else if !errors.Is(err, sqlerr.DupEntry) {
					t.Error(err)
					return
				}
				o.Table.Stats()
			}
		})
	}
	wg.Wait()
	tbl := lookup(t, s.Begin(), "t")
	rows, _ := scan(t, tbl, catalog.ScanSpec{})
	if len(rows) != 2*each || distinct(rows) != 2*each || inserted.Load() != 2*each || tbl.Stats().Columns[0].NDV != 2*each {
		t.Fatal(len(rows), distinct(rows), inserted.Load(), tbl.Stats().Columns[0].NDV)
	}
}
