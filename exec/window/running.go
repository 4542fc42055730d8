package window

// growing aggregates over frames that start with the partition: it adds rows as the frame's end
// advances. It takes O(1) amortised per row.
type growing[S any] struct {
	f     fold[S]
	o     *Operator
	out   *result
	state S
	end   int // rows before it are in the state
}

func (g *growing[S]) begin(p *partition) error {
	var zero S
	g.state, g.end = zero, p.lo
	return nil
}

func (g *growing[S]) backwards() bool { return false }
func (g *growing[S]) free()           {}

func (g *growing[S]) rows(p *partition, lo, hi int, f *frames) error {
	for i := lo; i < hi; i++ {
		to := f.to[i-lo]
		if to == g.end && i > p.first {
			g.out.repeat(i-p.base, 1)
			continue
		}
		if err := addRows(g.o, g.f, &g.state, g.end, to); err != nil {
			return err
		}
		g.end = to
		if err := g.f.put(i-p.base, &g.state); err != nil {
			return err
		}
	}
	return nil
}

// addRows adds the rows at positions [lo, hi) to a state.
func addRows[S any](o *Operator, f fold[S], s *S, lo, hi int) error {
	for lo < hi {
		base, end, err := o.reach(lo, hi)
		if err != nil {
			return err
		}
		for ; lo < end; lo++ {
			f.lift(s, lo-base)
		}
	}
	return nil
}

// reach makes rows from position lo on available to folds: as many of those before hi as memory
// holds. It returns the position that folds see as 0, and the position after the last available
// row.
func (o *Operator) reach(lo, hi int) (base, end int, err error) {
	if hi-lo >= checkRows || o.view != nil {
		err = o.ctx.Err()
	}
	if o.view == nil || err != nil {
		return 0, min(hi, lo+checkRows), err
	}
	base, end, err = o.view.show(lo)
	return base, min(hi, end), err
}

// shrinking aggregates over frames that end with the partition: from the last row to the first,
// it adds rows as the frame's start moves back. It takes O(1) amortised per row.
type shrinking[S any] struct {
	f     fold[S]
	o     *Operator
	out   *result
	state S
	start int // rows from it on are in the state
}

func (s *shrinking[S]) begin(p *partition) error {
	var zero S
	s.state, s.start = zero, p.hi
	return nil
}

func (s *shrinking[S]) backwards() bool { return true }
func (s *shrinking[S]) free()           {}

func (s *shrinking[S]) rows(p *partition, lo, hi int, f *frames) error {
	for i := hi - 1; i >= lo; i-- {
		from := f.from[i-lo]
		if from == s.start && i < p.hi-1 {
			s.out.repeat(i, -1)
			continue
		}
		for s.start > from {
			if s.start%checkRows == 0 {
				if err := s.o.ctx.Err(); err != nil {
					return err
				}
			}
			s.start--
			s.f.lift(&s.state, s.start)
		}
		if err := s.f.put(i, &s.state); err != nil {
			return err
		}
	}
	return nil
}

// sliding aggregates over frames both of whose ends advance, if rows can be removed from a state.
// It takes O(1) amortised per row.
type sliding[S any] struct {
	f        dropping[S]
	o        *Operator
	out      *result
	state    S
	from, to int // the rows in the state
}

func (s *sliding[S]) begin(p *partition) error {
	var zero S
	s.state, s.from, s.to = zero, p.lo, p.lo
	return nil
}

func (s *sliding[S]) backwards() bool { return false }
func (s *sliding[S]) free()           {}

func (s *sliding[S]) rows(p *partition, lo, hi int, f *frames) error {
	for i := lo; i < hi; i++ {
		from, to := f.from[i-lo], f.to[i-lo]
		if from == s.from && to == s.to && i > p.first {
			s.out.repeat(i-p.base, 1)
			continue
		}
		if err := s.move(from, to); err != nil {
			return err
		}
		if err := s.f.put(i-p.base, &s.state); err != nil {
			return err
		}
	}
	return nil
}

// move changes the state to that of rows [from, to). It starts again from an empty state if the
// frame does not overlap the old one or one of its ends moved back.
func (s *sliding[S]) move(from, to int) error {
	if from >= s.to || from < s.from || to < s.to {
		var zero S
		s.state, s.from, s.to = zero, from, from
	}
	for s.from < from {
		base, end, err := s.o.reach(s.from, from)
		if err != nil {
			return err
		}
		for ; s.from < end; s.from++ {
			s.f.drop(&s.state, s.from-base)
		}
	}
	err := addRows(s.o, fold[S](s.f), &s.state, s.to, to)
	s.to = to
	return err
}
