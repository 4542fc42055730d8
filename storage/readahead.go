package storage

import "sync/atomic"

// ahead makes the readers of a scan load columns that are on demand before they need them. The
// first reader that gets to a segment would otherwise load its columns one after the other while
// all others wait for each of them.
type ahead struct {
	used    []atomic.Bool // columns of the scan that have been read
	readers atomic.Int64
	failed  atomic.Bool // the memory does not suffice, or a column cannot be read
}

// readersApart is the number of columns between those with which two readers begin.
const readersApart = 3

// newAhead returns what loads columns ahead, or nil if the scan's columns are in memory.
func (s *source) newAhead() *ahead {
	for i := range s.runs {
		for _, c := range s.spec.Columns {
			if c >= 0 && s.runs[i].Segment != nil && s.runs[i].Cols[c].Source() != nil {
				return &ahead{used: make([]atomic.Bool, len(s.spec.Columns))}
			}
		}
	}
	return nil
}

// loadAhead loads columns of the segment in which a reader has taken morsel i, and of the one that
// follows: those that the scan has read in other segments. Readers begin with different columns
// and leave out those that another one is loading.
func (r *reader) loadAhead(i int64) {
	s := r.src
	r.loadRun(s.morsels[i].run)
	for j := i + 1; j < int64(len(s.morsels)); j++ {
		if m := &s.morsels[j]; m.run != s.morsels[i].run && !s.behind(m) {
			r.loadRun(m.run)
			return
		}
	}
}

// loadRun loads columns of one segment.
func (r *reader) loadRun(run int) {
	s, a := r.src, r.src.ahead
	if s.runs[run].Segment == nil {
		return
	}
	n := len(a.used)
	for k := range n {
		i := (k + r.first) % n
		c := s.spec.Columns[i]
		if c < 0 || !a.used[i].Load() {
			continue
		}
		if a.failed.Load() || s.ctx.Err() != nil {
			return
		}
		if source := s.runs[run].Cols[c].Source(); source != nil && source.LoadAhead() != nil {
			a.failed.Store(true) // who reads the column meets the error again
		}
	}
}
