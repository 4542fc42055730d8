package main

// domain is the number of values that comparisons draw from.
const domain = 1_000_000

// comparisons returns joins by inequalities of a few rows r with more rows s. All pairs are
// aggregated.
func comparisons() (out []*Series) {
	add := func(name, on string, ways []string, sizes []int, s, r []column, many int) {
		out = append(out, &Series{Family: "comparison", Name: name + ", " + count(many) + " rows beside", Axis: "rows of the smaller side", Ways: ways,
			SQL: "SELECT %s COUNT(*), SUM(r.v) FROM s JOIN r ON " + on, sizes: sizes,
			base: []table{{name: "s", rows: many, columns: s}},
			tables: func(x int) []table {
				return []table{{name: "r", rows: x, columns: append(append([]column{}, r...), rowNumbers("v"))}}
			}})
	}
	two := []string{byRange, loop}
	values := func(name string, most int, seed uint64) column { return integers(name, below(most, seed)) }
	for _, many := range []int{1e4, 1e6} {
		sizes := []int{1, 4, 16, 64, 256, 1e3, 1e4}
		if many == 1e6 {
			sizes = []int{1, 4, 16, 64, 256, 1e3}
		}
		add("s.a < r.a, 1 % of pairs", "s.a < r.a", two, sizes, []column{values("a", domain, 1)}, []column{values("a", domain/50, 2)}, many)
		add("band, 0.1 % of pairs", "s.a BETWEEN r.a - 500 AND r.a + 500", two, sizes, []column{values("a", domain, 1)}, []column{values("a", domain, 2)}, many)
		add("two columns, 1 % of pairs", "s.a < r.a AND s.b < r.b", two, sizes, []column{values("a", domain, 1), values("b", domain, 3)},
			[]column{values("a", domain/5, 2), values("b", domain/5, 4)}, many)
		add("equality of 100 values and comparison", "s.k = r.k AND s.a < r.a", []string{hash, radix, merge, byRange, loop}, sizes,
			[]column{values("k", 100, 5), values("a", domain, 1)}, []column{values("k", 100, 6), values("a", domain/5, 2)}, many)
		add("equality of 100 values and comparison of a product", "s.k = r.k AND s.a * s.b < r.a", []string{hash, radix, merge, byRange, loop}, sizes,
			[]column{values("k", 100, 5), values("a", 1000, 1), values("b", 1000, 3)}, []column{values("k", 100, 6), values("a", domain/5, 2)}, many)
	}
	return out
}
