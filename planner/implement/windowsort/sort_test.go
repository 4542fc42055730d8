package windowsort

import (
	"fmt"
	"testing"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// TestShareSorts checks how many sorts the windows need, and that the keys of each window
// are the first ones of its sort.
func TestShareSorts(t *testing.T) {
	col := func(i int) expr.Expr {
		return &expr.Col{ID: expr.ColID(i), Name: fmt.Sprint("c", i), T: types.T(types.Int64)}
	}
	window := func(partition []int, order ...int) *logical.Window {
		w := &logical.Window{}
		for _, i := range partition {
			w.Partition = append(w.Partition, col(i))
		}
		for _, i := range order {
			w.Order = append(w.Order, expr.SortKey{Expr: col(max(i, -i)), Desc: i < 0})
		}
		return w
	}
	by := func(is ...int) []int { return is }
	for _, c := range []struct {
		sorts   int
		windows []*logical.Window
	}{
		{1, []*logical.Window{window(nil)}},
		{1, []*logical.Window{window(nil), window(by(1)), window(by(1), 2), window(by(1), 2, -3)}},
		{1, []*logical.Window{window(by(1, 2), 3), window(by(2)), window(by(2, 1))}},
		{1, []*logical.Window{window(by(1, 2), 3), window(by(2), 1), window(nil, 2, 1, 3)}},
		{1, []*logical.Window{window(by(1, 2)), window(nil, -2, 1)}},
		{1, []*logical.Window{window(by(1, 1), 1, 2), window(by(1), 2)}},
		{2, []*logical.Window{window(by(1, 2), 3), window(by(1)), window(by(2))}},
		{2, []*logical.Window{window(by(1), 2), window(by(1), -2)}},
		{2, []*logical.Window{window(nil, 1, 2), window(nil, 2)}},
		{2, []*logical.Window{window(by(1), 2, 3), window(by(1, 3))}},
		{3, []*logical.Window{window(by(1)), window(by(2)), window(by(3))}},
	} {
		sorts := Share(c.windows)
		if len(sorts) != c.sorts {
			t.Errorf("%v: %d sorts, want %d", c.windows, len(sorts), c.sorts)
		}
		served := 0
		for _, s := range sorts {
			for _, w := range s.Windows {
				served++
				checkServed(t, s, w)
			}
		}
		if served != len(c.windows) {
			t.Errorf("%d of %d windows are served", served, len(c.windows))
		}
	}
}

func checkServed(t *testing.T, s *Sort, w *logical.Window) {
	t.Helper()
	keys := s.SortKeys()
	partition, order := s.Position(w)
	first := map[expr.ColID]bool{}
	for _, k := range keys[:partition] {
		first[k.Expr.(*expr.Col).ID] = true
	}
	for _, e := range w.Partition {
		if !first[e.(*expr.Col).ID] {
			t.Errorf("partition key %s is not among the first %d of %v", e, partition, keys)
		}
	}
	at := partition
	for _, k := range w.Order {
		if first[k.Expr.(*expr.Col).ID] {
			continue
		}
		if !expr.Equal(keys[at].Expr, k.Expr) || keys[at].Desc != k.Desc {
			t.Errorf("order key %s is not number %d of %v", k, at, keys)
		}
		at++
	}
	if at != order {
		t.Errorf("%d leading keys, want %d", order, at)
	}
}
