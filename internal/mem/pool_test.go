package mem

import (
	"sync"
	"testing"
)

// TestSharesAreKept has one operator take all that it can get: the other one's share stays.
func TestSharesAreKept(t *testing.T) {
	PoisonFreed()
	defer poisoning.Store(false)
	db := NewRoot("gsql", 10_000)
	query := db.Limited("query", 1000)
	pool := NewPool(query, 2, 1<<20)
	if query.Used() != 0 || query.Left() != 500 || db.Left() != 9500 {
		t.Errorf("%d bytes are used, %d and %d left", query.Used(), query.Left(), db.Left())
	}
	node := query.Child("node")
	a := pool.Child(node, "join")
	if n := a.Left(); n != 750 {
		t.Errorf("the first operator may take %d bytes", n)
	}
	if a.Reserve(751) == nil || a.Used() != 0 || a.Reserve(750) != nil || a.Reserve(1) == nil || a.Left() != 0 {
		t.Error("the first operator does not get its share and the rest")
	}
	b := pool.Child(query, "sort")
	if n := b.Left(); n != 250 || b.Reserve(250) != nil || b.Reserve(1) == nil {
		t.Errorf("the second operator may take %d bytes", n)
	}
	if node.Used() != 750 || query.Used() != 1000 || db.Used() != 1000 || db.Peak() != 1000 {
		t.Errorf("%d, %d and %d bytes are used, %d were", node.Used(), query.Used(), db.Used(), db.Peak())
	}
	a.Release(700)
	if n := b.Left(); n != 500 {
		t.Errorf("%d bytes are left to the second operator, not what the first one has beyond its share", n)
	}
	a.End()
	c := pool.Child(query, "window")
	if n := c.Left(); n != 750 {
		t.Errorf("the third operator, in place of the first, may take %d bytes", n)
	}
	for _, x := range []*Account{a, b, c} {
		x.End()
		x.End()
	}
	if pool.Close(); query.Used() != 0 || query.Left() != 1000 || db.Left() != 10_000 || node.Used() != 0 || db.aside.Load() != 0 {
		t.Errorf("%d bytes are used in the end, %d and %d left", query.Used(), query.Left(), db.Left())
	}
}

// TestPoolsNeedALimit makes a pool where memory has none, and one of many operators.
func TestPoolsNeedALimit(t *testing.T) {
	if NewPool(NewRoot("query", 0), 3, 100) != nil || NewPool(NewRoot("query", 10), 0, 100) != nil {
		t.Error("there is a pool")
	}
	var none *Pool
	if a := none.Child(NewRoot("query", 10), "sort"); a.Left() != 10 {
		t.Errorf("%d bytes are left", a.Left())
	}
	none.Close()
	query := NewRoot("query", 1<<30)
	if NewPool(query, 3, 100); query.Left() != 1<<30-300 {
		t.Errorf("%d bytes are set aside", 1<<30-query.Left())
	}
}

// TestSharesSideBySide has goroutines take and give back memory within a share and beyond it, and
// be refused some: what is counted is right in the end.
func TestSharesSideBySide(t *testing.T) {
	query := NewRoot("gsql", 1<<20).Limited("query", 1000)
	pool := NewPool(query, 2, 200)
	a, b := pool.Child(query.Child("node"), "join"), pool.Child(query, "sort")
	var all sync.WaitGroup
	for i := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			x := []*Account{a, b}[i%2]
			for n := range int64(20_000) {
				if size := n%397 + 1; x.Reserve(size) == nil {
					x.Release(size)
				}
			}
		}()
	}
	all.Wait()
	if query.used.Load() != 400 || query.aside.Load() != 400 || query.parent.used.Load() != 400 || a.Left() != 800 {
		t.Errorf("%d of %d bytes are not used, %d are left", query.aside.Load(), query.used.Load(), a.Left())
	}
}
