package mem

import (
	"runtime"
	"testing"
)

// TestHolding charges an account until the memory that refers to the Holding is garbage.
func TestHolding(t *testing.T) {
	root := NewRoot("db", 1000)
	a := root.Child("tables")
	owner, err := a.Hold(600)
	if err != nil || root.Used() != 600 {
		t.Fatalf("%v, %d bytes are held", err, root.Used())
	}
	if owner.Grow(401) == nil || root.Used() != 600 {
		t.Errorf("%d bytes are held of 1000", root.Used())
	}
	if owner.Grow(300) != nil || owner.Grow(-100) != nil || root.Used() != 800 {
		t.Errorf("%d bytes are held, want 800", root.Used())
	}
	a.Collect()
	if root.Used() != 800 {
		t.Errorf("%d bytes are held of what is in use", root.Used())
	}
	if _, err := a.Hold(300); err == nil {
		t.Error("the limit does not count")
	}
	forced := a.HoldAnyway(300)
	if root.Used() != 1100 || a.Held() != 600+300+300 {
		t.Errorf("%d bytes are held, and %d ever", root.Used(), a.Held())
	}
	forced.Free()
	forced.Free()
	runtime.KeepAlive(owner)
	if owner = nil; root.Used() != 800 {
		t.Errorf("%d bytes are held once some were freed", root.Used())
	}
	if a.Collect(); root.Used() != 0 {
		t.Errorf("%d bytes are held of garbage", root.Used())
	}
}

// TestOnFull has memory freed for reservations that would be refused.
func TestOnFull(t *testing.T) {
	root := NewRoot("db", 1000)
	a := root.Child("tables")
	calls := 0
	root.OnFull(func() { calls++; a.Collect() })
	if _, err := a.Hold(900); err != nil { // garbage at once
		t.Fatal(err)
	}
	if err := root.Child("query").Reserve(500); err != nil || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if err := root.Child("query").Reserve(501); err == nil || calls != 2 {
		t.Errorf("%v after %d calls", err, calls)
	}
	var none *Account
	if h, err := none.Hold(1); h != nil || err != nil || h.Grow(1) != nil {
		t.Error("without an account nothing counts")
	}
}
