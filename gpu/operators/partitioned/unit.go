package partitioned

import (
	"cmp"
	"slices"
)

// Span is a range of rows of a partition.
type Span struct{ From, To int64 }

// Rows returns the number of rows.
func (s Span) Rows() int64 { return s.To - s.From }

// Unit is what a device joins at once: rows of a partition of both sides.
type Unit struct {
	Partition int
	Rows      [2]Span // of the left and of the right side
	Bytes     int64
}

// Units returns the work of a join, the largest units first. A unit takes at most the given bytes. A partition that
// takes more is cut: with half of the bytes or less, all of a side is in each of its units; otherwise both sides are
// cut, and there is a unit for each pair of their parts.
func Units(left, right *Side, most int64) (units []Unit) {
	sides := [2]*Side{left, right}
	var each [2]int64 // bytes of a row
	for i, s := range sides {
		each[i] = max(s.RowBytes(), 1)
	}
	for p := range left.Partitions() {
		rows := [2]int64{left.Rows(p), right.Rows(p)}
		if rows[0] == 0 || rows[1] == 0 {
			continue
		}
		parts := partRows(rows, each, most)
		for l := int64(0); l < rows[0]; l += parts[0] {
			for r := int64(0); r < rows[1]; r += parts[1] {
				u := Unit{Partition: p, Rows: [2]Span{{l, min(l+parts[0], rows[0])}, {r, min(r+parts[1], rows[1])}}}
				u.Bytes = u.Rows[0].Rows()*each[0] + u.Rows[1].Rows()*each[1]
				units = append(units, u)
			}
		}
	}
	slices.SortStableFunc(units, func(a, b Unit) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return units
}

// partRows returns the rows of each side in the units of a partition. Parts of a side are about equal.
func partRows(rows, each [2]int64, most int64) [2]int64 {
	whole := [2]int64{rows[0] * each[0], rows[1] * each[1]}
	room := [2]int64{most / 2, most / 2}
	switch {
	case whole[0]+whole[1] <= most:
		return rows
	case whole[0] <= most/2:
		room = [2]int64{whole[0], most - whole[0]}
	case whole[1] <= most/2:
		room = [2]int64{most - whole[1], whole[1]}
	}
	var out [2]int64
	for i := range out {
		n := max(room[i]/each[i], 1)
		parts := (rows[i] + n - 1) / n
		out[i] = (rows[i] + parts - 1) / parts
	}
	return out
}
