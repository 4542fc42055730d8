package mem

import (
	"errors"
	"testing"
)

// TestYieldingLeavesMemory fills a limit from an account that yields and then from one that
// does not.
func TestYieldingLeavesMemory(t *testing.T) {
	root := NewRoot("query", 1600)
	a, b := root.Child("sort").Yielding(), root.Child("sum")
	if n := a.Left(); n != 1500 {
		t.Errorf("%d bytes are within reach of who yields", n)
	}
	if a.Reserve(1501) == nil || a.Reserve(1500) != nil || a.Child("run").Reserve(1) == nil {
		t.Error("who yields does not stop at its part")
	}
	if b.Reserve(101) == nil || b.Reserve(100) != nil {
		t.Error("the others do not have the rest")
	}
	if a.Left() != 0 || b.Left() != 0 || root.Used() != 1600 {
		t.Errorf("%d and %d are left, %d used", a.Left(), b.Left(), root.Used())
	}
}

func TestCrowding(t *testing.T) {
	root := NewRoot("query", 1000)
	a := root.Child("a")
	_ = a.Reserve(750)
	if a.Crowds() {
		t.Error("a third of what it takes is left")
	}
	if _ = a.Reserve(1); !a.Crowds() {
		t.Error("less than a third is left")
	}
	if NewRoot("query", 0).Crowds() {
		t.Error("there is no limit")
	}
}

// TestStoppedAccounts reserves on accounts below one that is stopped, and on others.
func TestStoppedAccounts(t *testing.T) {
	root := NewRoot("database", 0)
	stop := errors.New("interrupted")
	var now error
	query := root.Child("query").StopWhen(func() error { return now })
	sort := query.Child("sort")
	b, err := Alloc[int64](sort, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	now = stop
	if err := sort.Reserve(1); err != stop {
		t.Errorf("a reservation of a stopped statement: %v", err)
	}
	if err := b.Grow(1 << 20); err != stop || len(b.S) != 10 {
		t.Errorf("a buffer of a stopped statement grows to %d: %v", len(b.S), err)
	}
	if err := sort.Reserve(-8); err != nil {
		t.Errorf("memory is given back: %v", err)
	}
	if err := root.Child("another").Reserve(1); err != nil {
		t.Errorf("another statement: %v", err)
	}
}
