package render

// minColumn is the width below which a column is dropped rather than truncated.
const minColumn = 8

// colWidth is the width that a column needs and the least to which it can be truncated.
type colWidth struct{ natural, least int }

// fit chooses which part of a table to show in limit terminal columns (0 for no limit): the widths,
// and the columns from left to right, where -1 stands for those dropped in the middle. Wide columns
// are truncated first; once all have their least width, middle ones are dropped.
func fit(cols []colWidth, limit int) (widths, shown []int) {
	for keep := len(cols); ; keep-- {
		shown = outer(len(cols), keep)
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
		case keep <= 1:
			for c := range widths {
				widths[c] = max(widths[c]+spare, 1)
			}
			return widths, shown
		}
	}
}

// outer lists keep of n columns: the first ones, -1 if some are dropped, the last.
func outer(n, keep int) []int {
	shown := make([]int, 0, keep+1)
	for c := range n {
		switch left := keep - keep/2; {
		case c < left || c >= n-keep/2:
			shown = append(shown, c)
		case c == left:
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
