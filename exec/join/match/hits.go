package match

import "gsql/sql/vec"

// Hits are probe rows with the lists of their partners: the row, the start of the list and its
// length. If all lists are single rows, the start is that row and the length is unused.
type Hits struct {
	Row, Start, Count []int32
	All               bool // every probe row has a list; Row is then arbitrary
}

// Resize allocates space for n hits.
func (h *Hits) Resize(n int) {
	if cap(h.Row) < n {
		h.Row, h.Start, h.Count = make([]int32, n), make([]int32, n), make([]int32, n)
	}
	h.Row, h.Start, h.Count, h.All = h.Row[:n], h.Start[:n], h.Count[:n], false
}

// NameRows sets Row if every probe row has a list.
func (h *Hits) NameRows() {
	if h.All {
		vec.Ascend(h.Row, 0)
		h.All = false
	}
}

// Cut keeps the first n hits.
func (h *Hits) Cut(n int) { h.Row, h.Start, h.Count = h.Row[:n], h.Start[:n], h.Count[:n] }

// Expander turns hits into pairs, a limited number at a time.
type Expander struct {
	Hits Hits
	Rows []int32 // the lists; nil if every list is the row at its start, or with Runs
	Runs bool    // a list is the consecutive rows from its start on
	Once bool    // one pair per hit is enough, because only probe rows matter
	At   int     // next hit
	done int32   // its pairs already returned
	out  Pairs
}

// Begin starts over with new hits.
func (e *Expander) Begin() { e.At, e.done = 0, 0 }

// NextPairs returns at most limit further pairs.
func (e *Expander) NextPairs(limit int) (p Pairs, done bool) {
	if e.Rows == nil && !e.Runs || e.Once {
		return e.nextSingle(limit)
	}
	e.out.Probe, e.out.Build = e.out.Probe[:0], e.out.Build[:0]
	for e.At < len(e.Hits.Row) && len(e.out.Probe) < limit {
		row, count := e.Hits.Row[e.At], e.Hits.Count[e.At]
		from := int(e.Hits.Start[e.At] + e.done)
		n := min(int(count-e.done), limit-len(e.out.Probe))
		if !e.Runs {
			e.out.Build = append(e.out.Build, e.Rows[from:from+n]...)
		}
		for i := range n {
			e.out.Probe = append(e.out.Probe, row)
			if e.Runs {
				e.out.Build = append(e.out.Build, int32(from+i))
			}
		}
		if e.done += int32(n); e.done == count {
			e.At, e.done = e.At+1, 0
		}
	}
	return e.out, e.At == len(e.Hits.Row)
}

func (e *Expander) nextSingle(limit int) (p Pairs, done bool) {
	to := min(e.At+limit, len(e.Hits.Row))
	p = Pairs{Probe: e.Hits.Row[e.At:to], Build: e.Hits.Start[e.At:to]}
	if len(p.Build) == len(e.Hits.Row) && e.Hits.All {
		p.Probe = nil
	} else {
		e.Hits.NameRows()
	}
	if e.Rows != nil {
		for i, s := range p.Build {
			p.Build[i] = e.Rows[s]
		}
	}
	e.At = to
	return p, to == len(e.Hits.Row)
}
