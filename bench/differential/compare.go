package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// differs describes how two answers differ, or returns "". Without an order, rows are compared as
// multisets. Two errors are considered equal, whatever their numbers.
func differs(ours, theirs answer, ordered bool) string {
	switch {
	case ours.timeout || theirs.timeout:
		return ""
	case (ours.code != 0) != (theirs.code != 0):
		return "one fails"
	case len(ours.rows) != len(theirs.rows):
		return "numbers of rows"
	case ours.affected != theirs.affected:
		return "affected rows"
	}
	a, b := ours.rows, theirs.rows
	if len(ours.floats) != len(theirs.floats) {
		return "numbers of columns"
	}
	floats := make([]bool, len(ours.floats))
	for i := range floats {
		floats[i] = ours.floats[i] || theirs.floats[i]
	}
	if !ordered {
		a, b = sorted(a, floats), sorted(b, floats)
	}
	for i := range a {
		for c := range a[i] {
			if !sameCell(a[i][c], b[i][c], floats[c]) {
				return "values"
			}
		}
	}
	return ""
}

// sorted orders rows by columns that are not floats first, since floats may differ slightly.
func sorted(rows [][]string, floats []bool) [][]string {
	var order []int
	for c, f := range floats {
		if !f {
			order = append(order, c)
		}
	}
	exact := len(order)
	for c, f := range floats {
		if f {
			order = append(order, c)
		}
	}
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(x, y []string) int {
		for k, c := range order {
			if k >= exact {
				if n := compareFloats(x[c], y[c]); n != 0 {
					return n
				}
			} else if n := strings.Compare(x[c], y[c]); n != 0 {
				return n
			}
		}
		return 0
	})
	return out
}

func compareFloats(x, y string) int {
	a, aerr := strconv.ParseFloat(x, 64)
	b, berr := strconv.ParseFloat(y, 64)
	if aerr != nil || berr != nil {
		return strings.Compare(x, y)
	}
	if near(a, b) {
		return 0
	}
	if a < b {
		return -1
	}
	return 1
}

func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b), 1)
}

func sameCell(x, y string, float bool) bool {
	return x == y || float && compareFloats(x, y) == 0 && x != null && y != null
}

// show formats an answer for a report.
func (a answer) show() string {
	var b strings.Builder
	if a.code != 0 {
		fmt.Fprintf(&b, "ERROR %d: %s", a.code, a.message)
	}
	if a.affected > 0 {
		fmt.Fprintf(&b, "%d affected; ", a.affected)
	}
	if a.code == 0 || a.rows != nil {
		fmt.Fprintf(&b, "%d rows", len(a.rows))
	}
	for i, row := range a.rows {
		if i == 12 {
			b.WriteString("\n    ...")
			break
		}
		b.WriteString("\n    " + strings.ReplaceAll(strings.Join(row, " | "), "\x00", ""))
	}
	return b.String()
}
