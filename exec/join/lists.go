package join

// hits are probe rows with the lists of their partners: the row, then the list's start
// and length. Where lists are single rows, start is that row and count has no meaning.
type hits struct {
	row, start, count []int32
	all               bool // every probe row has a list; then row may be anything
}

// resize makes room for n hits.
func (h *hits) resize(n int) {
	if cap(h.row) < n {
		h.row, h.start, h.count = make([]int32, n), make([]int32, n), make([]int32, n)
	}
	h.row, h.start, h.count, h.all = h.row[:n], h.start[:n], h.count[:n], false
}

// name writes the rows where all have a list.
func (h *hits) name() {
	if h.all {
		ascend(h.row)
		h.all = false
	}
}

// cut keeps the first n hits.
func (h *hits) cut(n int) { h.row, h.start, h.count = h.row[:n], h.start[:n], h.count[:n] }

// expander turns hits into pairs, a limited number at a time.
type expander struct {
	hits hits
	rows []int32 // the lists; nil where every list is the one row that start names, or runs
	runs bool    // lists are the rows that follow each other from start on
	once bool    // one pair a hit is enough: only the probe rows matter
	at   int     // next hit
	done int32   // pairs of it already given
	out  Pairs
}

// begin starts on the hits.
func (e *expander) begin() { e.at, e.done = 0, 0 }

// ascend writes 0, 1, 2 and so on.
func ascend(rows []int32) {
	for i := range rows {
		rows[i] = int32(i)
	}
}

// next gives at most limit further pairs.
func (e *expander) next(limit int) (p Pairs, done bool) {
	if e.rows == nil && !e.runs || e.once {
		return e.nextSingle(limit)
	}
	e.out.Probe, e.out.Build = e.out.Probe[:0], e.out.Build[:0]
	for e.at < len(e.hits.row) && len(e.out.Probe) < limit {
		row, count := e.hits.row[e.at], e.hits.count[e.at]
		from := int(e.hits.start[e.at] + e.done)
		n := min(int(count-e.done), limit-len(e.out.Probe))
		if !e.runs {
			e.out.Build = append(e.out.Build, e.rows[from:from+n]...)
		}
		for i := range n {
			e.out.Probe = append(e.out.Probe, row)
			if e.runs {
				e.out.Build = append(e.out.Build, int32(from+i))
			}
		}
		if e.done += int32(n); e.done == count {
			e.at, e.done = e.at+1, 0
		}
	}
	return e.out, e.at == len(e.hits.row)
}

func (e *expander) nextSingle(limit int) (p Pairs, done bool) {
	to := min(e.at+limit, len(e.hits.row))
	p = Pairs{Probe: e.hits.row[e.at:to], Build: e.hits.start[e.at:to]}
	if len(p.Build) == len(e.hits.row) && e.hits.all {
		p.Probe = nil
	} else {
		e.hits.name()
	}
	if e.rows != nil {
		for i, s := range p.Build {
			p.Build[i] = e.rows[s]
		}
	}
	e.at = to
	return p, to == len(e.hits.row)
}

// one is 1 for true, without a branch.
func one(b bool) int {
	n := 0
	if b {
		n = 1
	}
	return n
}
