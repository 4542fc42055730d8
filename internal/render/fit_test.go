package render

import (
	"fmt"
	"testing"
)

// TestDropsLeastInformative checks which columns of a table that is too wide are dropped: those that are NULL,
// those with one value, then those in the middle, and never the first.
func TestDropsLeastInformative(t *testing.T) {
	col := func(w worth) colWidth { return colWidth{10, 10, w} } // takes 13 terminal columns
	v, n, c, m := varied, allNull, constant, mostlyNull
	for _, x := range []struct {
		worths []worth
		limit  int
		shown  string
	}{
		{[]worth{v, v, v, v, v, v}, 79, "[0 1 2 3 4 5]"},
		{[]worth{v, v, v, v, v, v}, 70, "[0 1 2 -1 4 5]"},
		{[]worth{v, v, v, v, v, v}, 57, "[0 1 -1 4 5]"},
		{[]worth{v, v, v, v, v, v}, 44, "[0 1 -1 5]"},
		{[]worth{v, n, v, v, v, v}, 70, "[0 -1 2 3 4 5]"},
		{[]worth{v, c, v, v, n, v}, 70, "[0 1 2 3 -1 5]"},
		{[]worth{v, c, v, v, n, v}, 65, "[0 -1 2 3 -1 5]"},
		{[]worth{n, m, v, v, c, v}, 61, "[0 -1 2 3 -1 5]"},
		{[]worth{c, c, c}, 18, "[0 -1]"},
	} {
		var cols []colWidth
		for _, w := range x.worths {
			cols = append(cols, col(w))
		}
		if _, shown := fit(cols, x.limit); fmt.Sprint(shown) != x.shown {
			t.Errorf("%v in %d columns: %v, want %s", x.worths, x.limit, shown, x.shown)
		}
	}
}
