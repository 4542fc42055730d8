package join

// scan is what a prober remembers of a lookup in a table: where codes may be that were not at
// the first place that was looked at.
type scan interface {
	// resize makes room for n codes.
	resize(n int)
	// fetch reads the first place of each code, at most fetched ones.
	fetch(cs []uint64)
	// first compares what was fetched with the codes, whose positions begin at from. It adds to
	// n hits and so many waiting rows.
	first(cs []uint64, from int, h *hits, n, waiting int) (hits, still int)
	// again looks at the next place of the waiting rows' codes among all of them.
	again(cs []uint64, h *hits, n, waiting int) (hits, still int)
}

// fetched is the number of places read at once: what was read stays in the first-level
// cache.
const fetched = 256

// lookUp finds the codes that a table has; hits name them by position. Reading places
// is apart from looking at what was read: a short loop without branches and stores to
// unknown places lets the cache misses of many codes overlap. Rows whose first place has
// another code look at the next one, all together, in further rounds.
func lookUp(s scan, cs []uint64, h *hits) {
	h.resize(len(cs))
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
	h.cut(n)
}
