package stats

import (
	"math/bits"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// HashInto combines the values of a flat vector with the hashes of their rows.
func HashInto(hashes []uint64, v *vec.Vector) {
	null := func(i int) bool { return v.Null != nil && v.Null[i] }
	for i, h := range hashes {
		var x uint64
		switch kind := v.Type.Kind(); {
		case null(i):
			x = 1 // almost certainly not the hash of a value
		case kind == types.KindI64, kind == types.KindU64:
			x = HashInt(v.I64[i])
		case kind == types.KindF64:
			x = hashFloat(v.F64[i])
		case kind == types.KindDec:
			x = hashDecimal(v.Dec[i])
		case kind == types.KindStr:
			x = HashString(v.Str[i])
		}
		hashes[i] = HashInt(int64(h+x)) + x
	}
}

// Repeats counts how often values occur in stretches of rows sampled all over a table.
// Repetitions within a stretch count once because adjacent rows were often created together.
type Repeats struct {
	slots          []met // open addressing by hash; at least twice the number of rows
	distinct       int
	once, twice    int // number of values met once, and twice
	rows, meetings int
	stretches      int32
}

// met records how often a value occurred, and the last stretch in which it did.
type met struct {
	hash        uint64
	times, last int32
}

// NewRepeats returns a counter for up to the given number of rows.
func NewRepeats(rows int) *Repeats {
	return &Repeats{slots: make([]met, 1<<bits.Len(uint(max(1, 2*rows-1))))}
}

// Add adds the values of a stretch.
func (r *Repeats) Add(hashes []uint64) {
	r.stretches++
	r.rows += len(hashes)
	for _, h := range hashes {
		m := r.find(h)
		if m.last == r.stretches {
			continue
		}
		switch m.times {
		case 0:
			r.distinct, r.once = r.distinct+1, r.once+1
		case 1:
			r.once, r.twice = r.once-1, r.twice+1
		case 2:
			r.twice--
		}
		*m = met{h, m.times + 1, r.stretches}
		r.meetings++
	}
}

// find returns a value's slot, or the empty slot where it belongs.
func (r *Repeats) find(h uint64) *met {
	last := uint64(len(r.slots) - 1)
	for at := h & last; ; at = (at + 1) & last {
		if m := &r.slots[at]; m.times == 0 || m.hash == h {
			return m
		}
	}
}

// Scaled estimates the number of distinct values in a table with the given number of rows: those
// that occurred plus an estimate of those that did not, based on how many occurred once and twice
// (Chao 1984, with the bias correction of 1987). It is limited to the number that a scan of the
// whole table would meet.
func (r *Repeats) Scaled(rows float64) float64 {
	distinct, once, twice := float64(r.distinct), float64(r.once), float64(r.twice)
	if float64(r.rows) >= rows {
		return distinct
	}
	unseen := once * max(0, once-1) / (2 * (twice + 1))
	return min(distinct+unseen, rows*float64(r.meetings)/float64(max(1, r.rows)))
}
