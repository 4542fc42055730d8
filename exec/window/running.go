package window

// growing aggregates over frames that start with the partition: rows are added as the
// frame's end moves on. O(1) amortised for a row.
type growing[S any] struct {
	f     fold[S]
	o     *Operator
	out   *result
	id    int  // function
	whole bool // frames are the whole partition
	state S
	end   int // rows before it are in the state
}

func (g *growing[S]) begin(p *partition) error {
	var zero S
	g.state, g.end = zero, p.lo
	if g.whole && p.all != nil {
		return loadTotal(p.all, g.o, g.id, &g.state)
	}
	return nil
}

func (g *growing[S]) backwards() bool { return false }
func (g *growing[S]) free()           {}

func (g *growing[S]) rows(p *partition, lo, hi int, f *frames) error {
	for i := lo; i < hi; i++ {
		to := int(f.to[i-lo])
		if g.whole && p.all != nil {
			to = g.end
		}
		if to == g.end && i > p.first {
			g.out.repeat(i, 1)
			continue
		}
		if err := addRows(g.o, g.f, &g.state, g.end, to); err != nil {
			return err
		}
		g.end = to
		if err := g.f.put(i, &g.state); err != nil {
			return err
		}
	}
	return nil
}

// addRows adds the rows at positions [lo, hi) to a state.
func addRows[S any](o *Operator, f fold[S], s *S, lo, hi int) error {
	for lo < hi {
		end := min(hi, lo+checkRows)
		if end-lo == checkRows {
			if err := o.ctx.Err(); err != nil {
				return err
			}
		}
		for ; lo < end; lo++ {
			f.lift(s, lo)
		}
	}
	return nil
}

// shrinking aggregates over frames that end with the partition: from the last row to
// the first, rows are added as the frame's start moves back. O(1) amortised for a row.
// Where memory holds a part of the partition, rows are taken away from the state of all
// as the frame's start moves on.
type shrinking[S any] struct {
	f     fold[S]
	o     *Operator
	out   *result
	id    int // function
	state S
	start int // rows from it on are in the state
	known bool
}

func (s *shrinking[S]) begin(p *partition) error {
	var zero S
	s.state, s.start, s.known = zero, p.hi, p.all != nil
	if !s.known {
		return nil
	}
	s.start = p.lo
	return loadTotal(p.all, s.o, s.id, &s.state)
}

func (s *shrinking[S]) backwards() bool { return !s.known }
func (s *shrinking[S]) free()           {}

func (s *shrinking[S]) rows(p *partition, lo, hi int, f *frames) error {
	if s.known {
		return s.takeAway(p, lo, hi, f)
	}
	for i := hi - 1; i >= lo; i-- {
		from := int(f.from[i-lo])
		if from == s.start && i < p.hi-1 {
			s.out.repeat(i, -1)
			continue
		}
		if err := addRows(s.o, s.f, &s.state, from, s.start); err != nil {
			return err
		}
		s.start = from
		if err := s.f.put(i, &s.state); err != nil {
			return err
		}
	}
	return nil
}

func (s *shrinking[S]) takeAway(p *partition, lo, hi int, f *frames) error {
	d := s.f.(dropping[S])
	for i := lo; i < hi; i++ {
		from := int(f.from[i-lo])
		if from == s.start && i > p.first {
			s.out.repeat(i, 1)
			continue
		}
		for ; s.start < from; s.start++ {
			d.drop(&s.state, s.start)
		}
		if err := s.f.put(i, &s.state); err != nil {
			return err
		}
	}
	return nil
}

// sliding aggregates over frames both of whose ends move on, where rows can be taken
// away. O(1) amortised for a row.
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
		from, to := int(f.from[i-lo]), int(f.to[i-lo])
		if from == s.from && to == s.to && i > p.first {
			s.out.repeat(i, 1)
			continue
		}
		if err := s.move(from, to); err != nil {
			return err
		}
		if err := s.f.put(i, &s.state); err != nil {
			return err
		}
	}
	return nil
}

// move makes the state that of rows [from, to). A frame beyond the old one, or one whose
// ends went back, is added up anew.
func (s *sliding[S]) move(from, to int) error {
	if from >= s.to || from < s.from || to < s.to {
		var zero S
		s.state, s.from, s.to = zero, from, from
	}
	for ; s.from < from; s.from++ {
		s.f.drop(&s.state, s.from)
	}
	err := addRows(s.o, fold[S](s.f), &s.state, s.to, to)
	s.to = to
	return err
}
