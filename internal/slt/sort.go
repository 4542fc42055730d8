package slt

import (
	"encoding/binary"
	"slices"
)

// sortKey represents a row in sorting: the first bytes of its first value decide most comparisons.
type sortKey struct {
	prefix uint64
	row    int
}

// sortValues sorts the values of rows of width columns.
func (f *formatter) sortValues(values []string, width int, mode SortMode) []string {
	switch {
	case mode == ValueSort:
		width = 1
	case mode == NoSort || width == 0:
		return values
	}
	f.keys = f.keys[:0]
	for i := 0; i+width <= len(values); i += width {
		f.keys = append(f.keys, sortKey{prefix(values[i]), i})
	}
	f.sortByPrefix()
	for ties := f.keys; len(ties) > 0; {
		n, undecided := 0, width > 1
		for n < len(ties) && ties[n].prefix == ties[0].prefix {
			undecided = undecided || len(values[ties[n].row]) >= 8
			n++
		}
		if n > 1 && undecided {
			slices.SortFunc(ties[:n], func(a, b sortKey) int {
				return slices.Compare(values[a.row:a.row+width], values[b.row:b.row+width])
			})
		}
		ties = ties[n:]
	}
	f.sorted = f.sorted[:0]
	for _, k := range f.keys {
		f.sorted = append(f.sorted, values[k.row:k.row+width]...)
	}
	return f.sorted
}

// sortByPrefix sorts keys by their prefixes, one byte per pass starting with the last; passes over
// bytes that all keys share are skipped.
func (f *formatter) sortByPrefix() {
	var some, all uint64 = 0, ^uint64(0)
	for _, k := range f.keys {
		some, all = some|k.prefix, all&k.prefix
	}
	f.moved = slices.Grow(f.moved[:0], len(f.keys))[:len(f.keys)]
	for shift := 0; shift < 64; shift += 8 {
		if (some^all)>>shift&0xff == 0 {
			continue
		}
		var at [256]int
		for _, k := range f.keys {
			at[k.prefix>>shift&0xff]++
		}
		from := 0
		for i, n := range at {
			at[i] = from
			from += n
		}
		for _, k := range f.keys {
			b := k.prefix >> shift & 0xff
			f.moved[at[b]] = k
			at[b]++
		}
		f.keys, f.moved = f.moved, f.keys
	}
}

// prefix returns the first eight bytes of s as a number in their order; missing bytes count as
// zeros.
func prefix(s string) uint64 {
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}
