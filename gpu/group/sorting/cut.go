package sorting

import (
	"slices"

	"gsql/gpu/group"
	"gsql/gpu/prim"
)

// allBits is above every digit.
const allBits = 64

// bucket is pairs that agree in all bits from below on: the device's are [first, first+rows), and
// before are the pairs of all devices that precede the bucket.
type bucket struct {
	first, rows, before int64
	below               int64
}

// target returns how many pairs precede device d's range if all ranges are even.
func (w *worker) target(d int) int64 {
	return w.total/int64(w.devices)*int64(d) + w.total%int64(w.devices)*int64(d)/int64(w.devices)
}

// slack returns by how many pairs a cut may be off its target.
func (w *worker) slack() int64 { return int64(tolerance * float64(w.total/int64(w.devices))) }

// cutAll moves the input into w.pairs, by so many bits that it can be cut into even ranges, and sets
// the cuts.
func (w *worker) cutAll(in Part) error {
	var ends []int
	for d := 1; d < w.devices; d++ {
		ends = append(ends, d)
	}
	return w.cut(bucket{rows: in.Rows, below: allBits}, ends, in.Pairs)
}

// cut sets the cuts before the given devices, which all are within a bucket whose pairs are at from,
// and moves the pairs to their place in w.pairs. All devices cut the same buckets in the same order.
func (w *worker) cut(b bucket, devices []int, from prim.Pairs) error {
	digit := w.order.Highest(b.below)
	if digit.Bits == 0 {
		return w.cutEqual(b, devices, from)
	}
	mine, err := w.order.Counts(w.Task, from.Keys, digit, b.rows)
	if err != nil {
		return err
	}
	all, err := group.Share(w.Member, mine)
	if err != nil {
		return err
	}
	if err := w.moveBy(digit, b, from, mine); err != nil {
		return err
	}
	inner := bucket{first: b.first, before: b.before, below: digit.Low}
	for v := range digit.Values() {
		inner.rows = mine[v]
		var together int64
		for _, counts := range all {
			together += counts[v]
		}
		var within []int
		for len(devices) > 0 && w.target(devices[0]) < inner.before+together {
			d := devices[0]
			devices = devices[1:]
			switch target := w.target(d); {
			case target-inner.before <= w.slack():
				w.cuts[d] = inner.first
			case inner.before+together-target <= w.slack():
				w.cuts[d] = inner.first + inner.rows
			default:
				within = append(within, d)
			}
		}
		if len(within) > 0 {
			if err := w.cutInner(inner, within); err != nil {
				return err
			}
		}
		inner.first += inner.rows
		inner.before += together
	}
	for _, d := range devices { // targets at the bucket's very end
		w.cuts[d] = b.first + b.rows
	}
	return nil
}

// moveBy writes a bucket's pairs to their place by a digit.
func (w *worker) moveBy(digit prim.Digit, b bucket, from prim.Pairs, counts []int64) error {
	to := w.at(w.pairs, b.first)
	if slices.Contains(counts, b.rows) { // all have the same value
		return w.copyPairs(to, from, b.rows)
	}
	return w.order.MoveBy(w.Task, digit, from, to, w.width, b.rows)
}

// cutInner cuts a bucket whose pairs are in w.pairs. They are copied, as kernels read keys from an
// aligned address on.
func (w *worker) cutInner(b bucket, devices []int) error {
	m := w.Mark()
	copied, err := w.alloc(b.rows)
	if err == nil {
		err = w.copyPairs(copied, w.at(w.pairs, b.first), b.rows)
	}
	if err == nil {
		err = w.cut(b, devices, copied)
	}
	if err != nil {
		return err
	}
	return w.Release(m)
}

// cutEqual cuts a bucket of equal keys: the first device's pairs come first.
func (w *worker) cutEqual(b bucket, devices []int, from prim.Pairs) error {
	if err := w.copyPairs(w.at(w.pairs, b.first), from, b.rows); err != nil {
		return err
	}
	rows, err := group.Share(w.Member, b.rows)
	if err != nil {
		return err
	}
	for _, d := range devices {
		before := w.target(d) - b.before
		for _, n := range rows[:w.Number] {
			before -= min(before, n)
		}
		w.cuts[d] = b.first + min(before, b.rows)
	}
	return nil
}
