package colstore

import (
	"math/bits"
	"sync"
	"unsafe"

	"gsql/internal/mem"
)

// headerBytes is the number of bytes charged for a string header.
const headerBytes = int64(unsafe.Sizeof(""))

// spareStrings holds cleared slices of strings that no column uses any more, in pools by size.
// Strings must be on the Go heap. Without the pools, the slices that growing columns discard
// would double the heap if queries repeatedly collect the same large table.
var spareStrings sync.Map

// leastSpare is the least size of slices that are kept.
const leastSpare = 1 << 12

// stringRoom returns the size of a slice for n strings. There are eight sizes between powers of
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

// keepStrings takes back a slice that newStrings returned. If memory is limited, it leaves the
// slice to the garbage collector at once: pools survive two collections, and no account is
// charged for their contents.
func keepStrings(a *mem.Account, s []string) {
	s = s[:cap(s)]
	if len(s) < leastSpare || a.IsLimited() {
		return
	}
	clear(s)
	pool, _ := spareStrings.LoadOrStore(len(s), new(sync.Pool))
	pool.(*sync.Pool).Put(&s)
}

// growStrings makes the column large enough for n strings.
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

// freeStrings releases the strings.
func (c *column) freeStrings(a *mem.Account) {
	a.Discard(int64(cap(c.str)) * headerBytes)
	keepStrings(a, c.str)
	c.str = nil
}
