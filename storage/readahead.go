package storage

import "sync/atomic"

// ahead makes the readers of a scan load columns that are on demand before they need them. All
// readers get to a segment at about the same time, and would otherwise wait for each other to load
// its columns one after the other.
type ahead struct {
	used    []atomic.Bool // columns of the scan that have been read
	readers atomic.Int64
	failed  atomic.Bool // the memory does not suffice, or a column cannot be read
	starts  []int       // the first morsel of each run that has any
	place   []int       // in starts, by run
}

// readersApart is the number of columns between those with which two readers begin.
const readersApart = 3

// aheadPart is the part of the memory that is left, one in so many, which columns may take that are
// loaded ahead of the next segment.
const aheadPart = 8

// newAhead returns what loads columns ahead, or nil if the scan's columns are in memory.
func (s *source) newAhead() *ahead {
	if !s.onDemand() {
		return nil
	}
	a := &ahead{used: make([]atomic.Bool, len(s.spec.Columns)), place: make([]int, len(s.runs))}
	for i := range s.morsels {
		if run := s.morsels[i].run; i == 0 || run != s.morsels[i-1].run {
			a.place[run] = len(a.starts)
			a.starts = append(a.starts, i)
		}
	}
	return a
}

// onDemand reports whether a column of the scan may have to be loaded.
func (s *source) onDemand() bool {
	for i := range s.runs {
		for _, c := range s.spec.Columns {
			if c >= 0 && s.runs[i].Segment != nil && s.runs[i].Cols[c].Source() != nil {
				return true
			}
		}
	}
	return false
}

// distance returns the number of segments behind the current one of which columns are loaded: with
// as many as there are readers, none waits for another.
func (s *source) distance(run int) int {
	n := int(s.ahead.readers.Load())
	if n <= 1 || s.runs[run].Segment == nil {
		return 1
	}
	bytes := int64(1)
	for i, c := range s.spec.Columns {
		if c >= 0 && s.ahead.used[i].Load() {
			bytes += s.runs[run].Cols[c].Bytes()
		}
	}
	return int(max(1, min(int64(n), s.v.mem.Left()/aheadPart/bytes)))
}

// loadAhead loads columns of the segment in which a reader has taken morsel i, and of those that
// follow: those that the scan has read in other segments, as many as one segment has. Readers begin
// with different columns and leave out those that another one is loading.
func (r *reader) loadAhead(i int64) {
	s := r.src
	run := s.morsels[i].run
	at, left := s.ahead.place[run], 0
	for k := range s.ahead.used {
		if s.ahead.used[k].Load() {
			left++
		}
	}
	for k := at; left > 0 && k < len(s.ahead.starts) && k <= at+s.distance(run); k++ {
		if m := &s.morsels[s.ahead.starts[k]]; k == at || !s.behind(m) {
			left -= r.loadRun(m.run, left)
		}
	}
}

// loadRun loads at most so many columns of one segment and returns how many it has loaded.
func (r *reader) loadRun(run, most int) (loaded int) {
	a := r.src.ahead
	n := len(a.used)
	for k := 0; k < n && loaded < most; k++ {
		if i := (k + r.first) % n; a.used[i].Load() && r.loadOne(run, i) {
			loaded++
		}
	}
	return loaded
}

// loadOne loads a column of the scan in a run, unless somebody else does. It reports whether it has.
func (r *reader) loadOne(run, i int) bool {
	s, a := r.src, r.src.ahead
	c := s.spec.Columns[i]
	if c < 0 || s.runs[run].Segment == nil || a.failed.Load() || s.ctx.Err() != nil {
		return false
	}
	source := s.runs[run].Cols[c].Source()
	if source == nil {
		return false
	}
	loaded, err := source.LoadAhead()
	if err != nil {
		a.failed.Store(true) // who reads the column meets the error again
	}
	return loaded
}

// insteadOfWaiting loads column i of the scan, which the reader needs. If another reader is loading
// it, this one loads the column of a segment that follows meanwhile.
func (r *reader) insteadOfWaiting(i int) {
	s := r.src
	if s.ahead.readers.Load() == 1 || r.loadOne(r.at.run, i) {
		return
	}
	at := s.ahead.place[r.at.run]
	for k := at + 1; k < len(s.ahead.starts) && k <= at+s.distance(r.at.run); k++ {
		if m := &s.morsels[s.ahead.starts[k]]; !s.behind(m) && r.loadOne(m.run, i) {
			return
		}
	}
}
