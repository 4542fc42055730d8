package window

import "gsql/sql/expr"

// shifted is LAG or LEAD: the value of a row at a fixed distance in the partition.
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
		at := -1
		if s.by >= int64(p.lo-i) && s.by < int64(p.hi-i) {
			at = i + int(s.by)
		}
		if err := s.o.pick(s.out, i-p.base, at); err != nil {
			return err
		}
	}
	return nil
}

// chosen is FIRST_VALUE, LAST_VALUE or NTH_VALUE: the value of one row of the frame.
type chosen struct {
	o   *Operator
	fn  expr.WindowFn
	nth int64 // FIRST_VALUE and NTH_VALUE: from 1
	out *result
}

func (c *chosen) begin(*partition) error { return nil }
func (c *chosen) backwards() bool        { return false }
func (c *chosen) free()                  {}

func (c *chosen) rows(p *partition, lo, hi int, f *frames) error {
	for i := lo; i < hi; i++ {
		from, to := f.from[i-lo], f.to[i-lo]
		at := -1
		switch {
		case c.fn == expr.LastValue && to > from:
			at = to - 1
		case c.fn != expr.LastValue && c.nth <= int64(to-from):
			at = from + int(c.nth) - 1
		}
		if err := c.o.pick(c.out, i-p.base, at); err != nil {
			return err
		}
	}
	return nil
}

// pick sets value i of the result to that of the row at a position, or to NULL if the position is
// negative.
func (o *Operator) pick(out *result, i, pos int) error {
	switch {
	case o.view != nil:
		return o.view.copyTo(out.flat, i, pos)
	case pos < 0:
		out.idx[i] = -1
	default:
		out.idx[i] = o.row(pos)
	}
	return nil
}
