package window

import "gsql/sql/expr"

// shifted is LAG or LEAD: the value of the row so many rows away in the partition.
type shifted struct {
	o   *Operator
	by  int64 // negative for LAG
	out *result
}

func (s *shifted) begin(*partition) error { return nil }
func (s *shifted) backwards() bool        { return false }
func (s *shifted) free()                  {}

func (s *shifted) rows(p *partition, lo, hi int, _ *frames) error {
	for i := lo; i < hi; i++ {
		s.out.idx[i] = -1
		if s.by >= int64(p.lo-i) && s.by < int64(p.hi-i) {
			s.out.idx[i] = s.o.row(i + int(s.by))
		}
	}
	return nil
}

// chosen is FIRST_VALUE, LAST_VALUE or NTH_VALUE: the value of one row of the frame.
type chosen struct {
	o     *Operator
	fn    expr.WindowFn
	nth   int64 // FIRST_VALUE and NTH_VALUE: from 1
	out   *result
	id    int // function
	frame *frame
	head  int32 // row of the partition's nth row once that has no position any more, or -1
	fixed int32 // row of the value of all frames, where memory holds a part of the partition
}

func (c *chosen) begin(p *partition) error {
	c.head = -1
	if !c.isFixed(p) {
		return nil
	}
	var state int32
	err := loadTotal(p.all, c.o, c.id, &state)
	c.fixed = state - 1
	return err
}

func (c *chosen) backwards() bool { return false }
func (c *chosen) free()           {}

func (c *chosen) rows(p *partition, lo, hi int, f *frames) error {
	if c.isFixed(p) {
		for i := lo; i < hi; i++ {
			c.out.idx[i] = c.fixed
		}
		return nil
	}
	for i := lo; i < hi; i++ {
		from, to := int64(f.from[i-lo]), int64(f.to[i-lo])
		if c.frame.Start.Kind == expr.UnboundedPreceding {
			from -= int64(p.before)
		}
		at := from + c.nth - 1
		switch {
		case c.fn == expr.LastValue:
			at = to - 1
		case c.nth > to-from:
			at = to
		}
		c.out.idx[i] = -1
		switch {
		case at < from || at >= to:
		case at < int64(p.lo):
			c.out.idx[i] = c.head
		default:
			c.out.idx[i] = c.o.row(int(at))
		}
	}
	return nil
}
