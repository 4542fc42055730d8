package window

import "unsafe"

// suffixes aggregates over frames that end with a partition whose rows are on disk, if rows
// cannot be removed from a state. As in memory (see shrinking), rows are added from the last to
// the first. The states at the starts of pages are computed beforehand; those of the rows of a
// page are computed again when frames start there.
type suffixes[S any] struct {
	f      fold[S]
	o      *Operator
	out    *result
	starts *list[S] // of the rows from the start of each page on, for the last page first
	last   int      // the partition's last page
	page   int      // the page of within, or -1
	lo     int      // number of the first row of within
	within []S      // of the rows from each row of a page on
	held   int64    // bytes reserved for within
	start  int      // of the last row's frame
}

func (x *suffixes[S]) backwards() bool { return false }

func (x *suffixes[S]) free() {
	_ = x.starts.reset() // the file has no name in its directory any more
	x.o.account.Release(x.held)
	x.held = 0
}

func (x *suffixes[S]) begin(p *partition) error {
	if err := x.starts.reset(); err != nil {
		return err
	}
	end, err := x.o.view.seek(p.hi - 1)
	if err != nil {
		return err
	}
	x.page, x.last = -1, end.number
	var s S
	for hi := p.hi; hi > p.lo; {
		if err := x.o.ctx.Err(); err != nil {
			return err
		}
		base, _, err := x.o.view.show(hi - 1)
		if err != nil {
			return err
		}
		for lo := max(base, p.lo); hi > lo; hi-- {
			x.f.lift(&s, hi-1-base)
		}
		if err := x.starts.append(s); err != nil {
			return err
		}
	}
	return nil
}

func (x *suffixes[S]) rows(p *partition, lo, hi int, f *frames) error {
	for i := lo; i < hi; i++ {
		from := f.from[i-lo]
		if from == x.start && i > p.first {
			x.out.repeat(i-p.base, 1)
			continue
		}
		x.start = from
		var s S
		if from < p.hi {
			if err := x.enter(p, from); err != nil {
				return err
			}
			s = x.within[from-x.lo]
		}
		if err := x.f.put(i-p.base, &s); err != nil {
			return err
		}
	}
	return nil
}

// enter computes the states of the page that contains row pos.
func (x *suffixes[S]) enter(p *partition, pos int) error {
	at, err := x.o.view.seek(pos)
	if err != nil || at.number == x.page {
		return err
	}
	page := at.number
	var s S
	if page < x.last {
		if s, err = x.starts.at(x.last - page - 1); err != nil {
			return err
		}
	}
	base, end, err := x.o.view.show(pos)
	if err != nil {
		return err
	}
	x.page, x.lo = page, max(base, p.lo)
	if err := x.room(min(end, p.hi) - x.lo); err != nil {
		return err
	}
	for i := range x.within {
		at := len(x.within) - 1 - i
		x.f.lift(&s, x.lo+at-base)
		x.within[at] = s
	}
	return nil
}

// room allocates the states of n rows.
func (x *suffixes[S]) room(n int) error {
	if n > cap(x.within) {
		var s S
		bytes := int64(n) * int64(unsafe.Sizeof(s))
		if err := x.starts.pool.reserve(bytes - x.held); err != nil {
			return err
		}
		x.held = bytes
		x.within = make([]S, n)
	}
	x.within = x.within[:n]
	return nil
}
