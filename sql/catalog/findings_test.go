package catalog

import (
	"fmt"
	"strings"
	"testing"
)

func TestFindings(t *testing.T) {
	var f Findings
	if _, ok := f.Of([]byte("a")); ok {
		t.Error("something was found of nothing")
	}
	f.Keep([]byte("a"), 1)
	f.Keep([]byte("a"), 2)
	long := []byte(strings.Repeat("long", longestKey))
	f.Keep(long, 3)
	if x, ok := f.Of([]byte("a")); !ok || x != 2 {
		t.Errorf("found %v", x)
	}
	if _, ok := f.Of(long); ok {
		t.Error("a long key is kept")
	}
	last := 3 * mostFindings
	for i := range last + 1 {
		f.Keep(fmt.Appendf(nil, "key %d", i), i)
	}
	if x, ok := f.Of(fmt.Appendf(nil, "key %d", last)); !ok || x != last || len(f.known) > mostFindings {
		t.Errorf("found %v among %d", x, len(f.known))
	}
}
