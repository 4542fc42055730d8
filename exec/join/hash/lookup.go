package hash

import "gsql/exec/join/match"

// slotScan is the state of a prober's lookups in a table: the codes that were not at the first
// position compared.
type slotScan interface {
	// resize allocates space for n codes.
	resize(n int)
	// fetch reads the first position of each code. There are at most fetched codes.
	fetch(cs []uint64)
	// first compares the positions that fetch read with the codes; the first of them has position
	// from in the batch. It appends to the n hits and to the waiting rows and returns both
	// numbers.
	first(cs []uint64, from int, h *match.Hits, n, waiting int) (hits, still int)
	// again compares the next position of each waiting row's code.
	again(cs []uint64, h *match.Hits, n, waiting int) (hits, still int)
}

// fetched is the number of positions read at once; they stay in the first-level cache.
const fetched = 256

// lookUpAll finds the codes that are in a table. The hits identify them by position in cs. Rows
// whose first position holds another code compare the next position, all together, in further
// passes.
func lookUpAll(s slotScan, cs []uint64, h *match.Hits) {
	h.Resize(len(cs))
	s.resize(len(cs))
	n, waiting := 0, 0
	for from := 0; from < len(cs); from += fetched {
		part := cs[from:min(from+fetched, len(cs))]
		s.fetch(part)
		n, waiting = s.first(part, from, h, n, waiting)
	}
	for waiting > 0 {
		n, waiting = s.again(cs, h, n, waiting)
	}
	h.Cut(n)
}
