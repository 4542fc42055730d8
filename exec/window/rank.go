package window

import "gsql/sql/expr"

// rank is a function that depends only on a row's place in its partition. It takes O(1) per row.
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
			r.out.flat.I64[i-p.base] = int64(i - p.lo + 1)
		}
	case expr.Ntile:
		r.ntile(p, lo, hi)
	default:
		r.byGroup(p, lo, hi)
	}
	return nil
}

// ntile divides the rows into buckets, the first of which have one row more than the others.
func (r *rank) ntile(p *partition, lo, hi int) {
	n := int64(p.hi - p.lo)
	size, more := n/r.buckets, n%r.buckets
	large := more * (size + 1) // rows in the larger buckets
	for i := lo; i < hi; i++ {
		k := int64(i - p.lo)
		if k < large {
			k /= size + 1
		} else {
			k = more + (k-large)/size
		}
		r.out.flat.I64[i-p.base] = k + 1
	}
}

func (r *rank) byGroup(p *partition, lo, hi int) {
	g, v, n := p.group(lo), r.out.flat, p.hi-p.lo
	for i := lo; i < hi; i++ {
		if i >= p.groups[g+1] {
			g++
		}
		before, at := p.groups[g]-p.lo, i-p.base
		switch r.fn {
		case expr.Rank:
			v.I64[at] = int64(before + 1)
		case expr.DenseRank:
			v.I64[at] = int64(p.before + g + 1)
		case expr.PercentRank:
			v.F64[at] = float64(before) / float64(max(n-1, 1))
		case expr.CumeDist:
			v.F64[at] = float64(p.groups[g+1]-p.lo) / float64(n)
		}
	}
}
