package colstore

import (
	"math/bits"
	"sync"
	"unsafe"

	"gsql/internal/mem"
)

// headerBytes is what a string costs the account.
const headerBytes = int64(unsafe.Sizeof(""))

// spareStrings are cleared slices of strings that no column uses any more, as pools by their
// size. Strings cannot lie off the Go heap, and without this a table of some size that queries
// collect again and again would double the heap with what columns outgrew and left behind.
var spareStrings sync.Map

// leastSpare is the size from which slices are kept.
const leastSpare = 1 << 12

// stringRoom returns the size of the slice for n strings: there are eight sizes between powers of
// two, so that sizes recur.
func stringRoom(n int) int {
	if n < leastSpare {
		return n
	}
	step := 1 << (bits.Len(uint(n-1)) - 4)
	return (n + step - 1) &^ (step - 1)
}

// newStrings returns n empty strings; n comes from stringRoom.
func newStrings(n int) []string {
	if pool, ok := spareStrings.Load(n); ok {
		if s, ok := pool.(*sync.Pool).Get().(*[]string); ok {
			return *s
		}
	}
	return make([]string, n)
}

// keepStrings takes back what newStrings returned. Where memory is limited, the collector gets it at
// once: pools outlive two of its cycles, and no account is charged for what they hold.
func keepStrings(a *mem.Account, s []string) {
	s = s[:cap(s)]
	if len(s) < leastSpare || a.IsLimited() {
		return
	}
	clear(s)
	pool, _ := spareStrings.LoadOrStore(len(s), new(sync.Pool))
	pool.(*sync.Pool).Put(&s)
}

// growStrings makes room for n strings.
func (c *column) growStrings(a *mem.Account, n int) error {
	if n <= cap(c.str) {
		c.str = c.str[:cap(c.str)]
		return nil
	}
	n = stringRoom(max(n, 2*cap(c.str)))
	if err := a.Reserve(int64(n-cap(c.str)) * headerBytes); err != nil {
		return err
	}
	s := newStrings(n)
	copy(s, c.str)
	keepStrings(a, c.str)
	c.str = s
	return nil
}

// freeStrings returns the strings.
func (c *column) freeStrings(a *mem.Account) {
	a.Release(int64(cap(c.str)) * headerBytes)
	keepStrings(a, c.str)
	c.str = nil
}
