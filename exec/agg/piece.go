package agg

import (
	"gsql/exec/agg/keytable"
	"gsql/sql/vec"
)

// piece is a partition or, if that does not fit in memory, those of its rows whose hashes have
// the same further bits.
type piece struct {
	part int
	bits int    // number of further bits
	of   uint64 // their value
}

// mostPieceBits is the greatest number of times that a partition is halved.
const mostPieceBits = 40

// has reports whether a row of the partition whose hash is h is one of the piece.
func (p piece) has(h uint64) bool { return h<<splitBits>>(64-p.bits) == p.of }

// rows returns which of the rows with these hashes belong to the piece; all is set instead if all do.
func (p piece) rows(hash []uint64) (idx []int32, all bool) {
	if p.bits == 0 {
		return nil, true
	}
	for i, h := range hash {
		if p.has(h) {
			idx = append(idx, int32(i))
		}
	}
	return idx, len(idx) == len(hash)
}

// groupsOf returns those of a table's groups from that belong to the piece; nil stands for all groups.
func (p piece) groupsOf(t *keytable.Table, from []int32) []int32 {
	if p.bits == 0 {
		return from
	}
	own := make([]int32, 0, max(len(from), t.Groups)>>p.bits)
	var hash [vec.BatchSize]uint64
	for lo := 0; lo < t.Groups; lo += len(hash) {
		hi := min(lo+len(hash), t.Groups)
		hs := t.HashesOf(lo, hi, hash[:])
		if from == nil {
			for i, h := range hs {
				if p.has(h) {
					own = append(own, int32(lo+i))
				}
			}
			continue
		}
		for ; len(from) > 0 && int(from[0]) < hi; from = from[1:] { // they ascend
			if p.has(hs[int(from[0])-lo]) {
				own = append(own, from[0])
			}
		}
	}
	return own
}
