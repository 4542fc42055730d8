package window

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// partition is a range of positions with equal partition keys. If rows are on disk (see paging),
// it is computed part by part.
type partition struct {
	lo, hi int
	// groups holds the first position of each known group of peers and, at the end, the position
	// after the last one. It is set only if the window needs them.
	groups []int
	before int // number of groups before the first known one
	first  int // the first position to compute
	base   int // the position at which the results begin
}

// group returns the index in groups of the group that contains a position.
func (p *partition) group(pos int) int {
	lo, hi := 0, len(p.groups)-1
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; p.groups[mid] <= pos {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// nextPartition makes p the partition that starts at lo.
func (o *Operator) nextPartition(s *spec, p *partition, lo int) {
	*p = partition{lo: lo, first: lo, groups: p.groups[:0]}
	n := o.n
	if s.partition == 0 && s.order == 0 {
		p.hi = n
	} else {
		levels, partition := o.levels.S[:n], int16(s.partition)
		hi := lo + 1
		for hi < n && levels[hi] >= partition {
			hi++
		}
		p.hi = hi
	}
	if !s.groups {
		return
	}
	p.groups = append(p.groups, lo)
	if s.order > s.partition {
		order := int16(s.order)
		for i, level := range o.levels.S[lo+1 : p.hi] {
			if level < order {
				p.groups = append(p.groups, lo+1+i)
			}
		}
	}
	p.groups = append(p.groups, p.hi)
}

// starts reports whether a partition of s starts at a position.
func (o *Operator) starts(s *spec, pos int) bool {
	return pos == 0 || s.partition > 0 && o.levels.S[pos] < int16(s.partition)
}

// compared returns the number of leading keys whose changes are needed by some window.
func (o *Operator) compared() int {
	n := 0
	for _, s := range o.specs {
		n = max(n, s.partition)
		if s.groups {
			n = max(n, s.order)
		}
	}
	return n
}

// findLevels sets levels, from the last key to the first. If a row equals the previous one in all
// keys, its level is the number of keys.
func (o *Operator) findLevels(keys []*vec.Vector) error {
	const step = 1 << 16
	n, workers := len(o.levels.S), 1
	if n >= 2*step {
		workers = o.ctx.Workers
	}
	return op.Parallel(o.ctx, workers, func(w int) error {
		for lo, end := n*w/workers, n*(w+1)/workers; lo < end; lo += step {
			if err := o.ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+step, end)
			for i := lo; i < hi; i++ {
				o.levels.S[i] = int16(len(keys))
			}
			for k := len(keys) - 1; k >= 0; k-- {
				o.markChanges(keys[k], int16(k), lo, hi)
			}
		}
		return nil
	})
}

// markChanges sets the level of positions [lo, hi) where key v changes.
func (o *Operator) markChanges(v *vec.Vector, level int16, lo, hi int) {
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		changes(o, v.I64, v.Null, level, lo, hi)
	case types.KindF64:
		changes(o, v.F64, v.Null, level, lo, hi)
	case types.KindDec:
		changes[decimal128.Num](o, v.Dec, v.Null, level, lo, hi)
	case types.KindStr:
		changes(o, v.Str, v.Null, level, lo, hi)
	}
}

func changes[T comparable](o *Operator, xs []T, null []bool, level int16, lo, hi int) {
	lo = max(lo, 1)
	if lo >= hi {
		return
	}
	levels := o.levels.S[:hi]
	before := o.row(lo - 1)
	last, lastNull := xs[before], null != nil && null[before]
	for i := lo; i < hi; i++ {
		row := o.row(i)
		x, isNull := xs[row], null != nil && null[row]
		if isNull != lastNull || x != last && !isNull {
			levels[i] = level
		}
		last, lastNull = x, isNull
	}
}
