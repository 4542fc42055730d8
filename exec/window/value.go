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
	o   *Operator
	fn  expr.WindowFn
	nth int64 // NTH_VALUE: from 1
	out *result
}

func (c *chosen) begin(*partition) error { return nil }
func (c *chosen) backwards() bool        { return false }
func (c *chosen) free()                  {}

func (c *chosen) rows(p *partition, lo, hi int, f *frames) error {
	for i := lo; i < hi; i++ {
		from, to := int64(f.from[i-lo]), int64(f.to[i-lo])
		at := from
		switch c.fn {
		case expr.LastValue:
			at = to - 1
		case expr.NthValue:
			if at = to; c.nth <= to-from {
				at = from + c.nth - 1
			}
		}
		c.out.idx[i] = -1
		if at >= from && at < to {
			c.out.idx[i] = c.o.row(int(at))
		}
	}
	return nil
}
