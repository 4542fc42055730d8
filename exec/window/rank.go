package window

import "gsql/sql/expr"

// rank is a function that depends on a row's place among its partition alone. It takes
// O(1) for a row.
type rank struct {
	fn      expr.WindowFn
	buckets int64
	out     *result
}

func (r *rank) begin(*partition) error { return nil }
func (r *rank) backwards() bool        { return false }
func (r *rank) free()                  {}

func (r *rank) rows(p *partition, lo, hi int, _ *frames) error {
	switch r.fn {
	case expr.RowNumber:
		for i := lo; i < hi; i++ {
			r.out.flat.I64[i] = int64(i - p.lo + p.before + 1)
		}
	case expr.Ntile:
		r.ntile(p, lo, hi)
	default:
		r.byGroup(p, lo, hi)
	}
	return nil
}

// ntile deals the rows to buckets of which the first ones get one row more.
func (r *rank) ntile(p *partition, lo, hi int) {
	n := int64(p.size())
	size, more := n/r.buckets, n%r.buckets
	large := more * (size + 1) // rows in the larger buckets
	for i := lo; i < hi; i++ {
		k := int64(i - p.lo + p.before)
		if k < large {
			k /= size + 1
		} else {
			k = more + (k-large)/size
		}
		r.out.flat.I64[i] = k + 1
	}
}

func (r *rank) byGroup(p *partition, lo, hi int) {
	g, v, n := p.group(lo), r.out.flat, p.size()
	for i := lo; i < hi; i++ {
		if i >= int(p.groups[g+1]) {
			g++
		}
		before := p.groupStart
		if g > 0 {
			before = int(p.groups[g]) - p.lo + p.before
		}
		switch r.fn {
		case expr.Rank:
			v.I64[i] = int64(before + 1)
		case expr.DenseRank:
			v.I64[i] = int64(p.groupsBefore + g + 1)
		case expr.PercentRank:
			v.F64[i] = float64(before) / float64(max(n-1, 1))
		case expr.CumeDist:
			v.F64[i] = float64(int(p.groups[g+1])-p.lo+p.before) / float64(n)
		}
	}
}
