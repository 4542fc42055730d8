package render

import (
	"cmp"
	"slices"
)

// minColumn is the width below which a column is dropped rather than truncated.
const minColumn = 8

// colWidth is the width that a column needs, the least to which it can be truncated, and how
// informative its values are.
type colWidth struct {
	natural, least int
	worth          worth
}

// worth ranks columns by how informative their values are. The least informative are dropped first.
type worth uint8

const (
	allNull worth = iota
	constant
	mostlyNull
	varied
)

// fit chooses which part of a table to show in limit terminal columns (0 for no limit): the widths,
// and the columns from left to right, where -1 stands for adjacent ones that are dropped. Wide columns
// are truncated first; once all have their least width, the least informative are dropped, and of
// equal ones those in the middle.
func fit(cols []colWidth, limit int) (widths, shown []int) {
	order := dropOrder(cols)
	for drop := 0; ; drop++ {
		shown = without(len(cols), order[:drop])
		widths = make([]int, len(cols))
		spare := limit - 1 // the left border
		for _, c := range shown {
			if c < 0 {
				spare -= 4 // " … |"
				continue
			}
			widths[c] = cols[c].least
			spare -= widths[c] + len(" | ")
		}
		switch {
		case limit <= 0:
			for c := range cols {
				widths[c] = cols[c].natural
			}
			return widths, shown
		case spare >= 0:
			widen(cols, widths, shown, spare)
			return widths, shown
		case drop >= len(order):
			for c := range widths {
				widths[c] = max(widths[c]+spare, 1)
			}
			return widths, shown
		}
	}
}

// dropOrder lists all columns but the first in the order in which they are dropped.
func dropOrder(cols []colWidth) []int {
	order := make([]int, 0, len(cols))
	for c := 1; c < len(cols); c++ {
		order = append(order, c)
	}
	fromMiddle := func(c int) int { // twice the distance, and less to the right
		if d := 2*c - (len(cols) - 1); d < 0 {
			return 2*-d + 1
		} else {
			return 2 * d
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(cols[a].worth, cols[b].worth), cmp.Compare(fromMiddle(a), fromMiddle(b)))
	})
	return order
}

// without lists n columns except the dropped ones, with -1 where some are missing.
func without(n int, dropped []int) []int {
	shown := make([]int, 0, n)
	for c := range n {
		switch {
		case !slices.Contains(dropped, c):
			shown = append(shown, c)
		case shown[len(shown)-1] >= 0:
			shown = append(shown, -1)
		}
	}
	return shown
}

// widen gives spare characters to the narrowest columns that need more, one at a time until all are
// as wide as they need.
func widen(cols []colWidth, widths, shown []int, spare int) {
	for ; spare > 0; spare-- {
		narrow := -1
		for _, c := range shown {
			if c >= 0 && widths[c] < cols[c].natural && (narrow < 0 || widths[c] < widths[narrow]) {
				narrow = c
			}
		}
		if narrow < 0 {
			return
		}
		widths[narrow]++
	}
}
