package eval

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// chooser finds the rows of batches for which a condition is TRUE. It reuses its memory across
// batches and must not be shared between goroutines.
type chooser struct {
	levels []level      // scratch memory by nesting depth of alternatives
	flat   []vec.Vector // columns flattened, by position
	cols   []*vec.Vector
	views  vec.Composer
	runs   runwise
}

// level is the scratch memory of one nesting level of alternatives: the rows that pass one of
// them, and the rows that have passed none so far.
type level struct{ hits, rest []int32 }

// choose writes the selected rows that pass c to dst, which must be large enough for all of them.
func (ch *chooser) choose(c *condition, b *vec.Batch, rows selection, dst []int32) []int32 {
	if inPlace(c, b.Cols) {
		return ch.run(c, b.Cols, b.N, rows.idx, dst, 0)
	}
	n := b.N
	if !rows.all {
		n = len(rows.idx)
	}
	ch.reset(len(b.Cols))
	ch.load(c, b.Cols, rows)
	return rows.translate(ch.run(c, ch.cols, n, nil, dst, 0))
}

// reset prepares the memory for a batch with the given number of columns.
func (ch *chooser) reset(columns int) {
	ch.cols = append(ch.cols[:0], make([]*vec.Vector, columns)...)
	ch.flat = append(ch.flat, make([]vec.Vector, max(0, columns-len(ch.flat)))...)
	ch.views.Reset()
}

// inPlace reports whether all columns whose values c reads are flat.
func inPlace(c *condition, cols []*vec.Vector) bool {
	switch c.form {
	case isNullOf:
		return true
	case anyOf:
		for _, all := range c.any {
			for i := range all {
				if !inPlace(&all[i], cols) {
					return false
				}
			}
		}
		return true
	}
	return cols[c.left].Form == vec.Flat && (c.right < 0 || cols[c.right].Form == vec.Flat)
}

// load stores in ch.cols, for the given rows, those of cols that c reads. Columns whose values
// matter are flattened.
func (ch *chooser) load(c *condition, cols []*vec.Vector, rows selection) {
	if c.form == anyOf {
		for _, all := range c.any {
			for i := range all {
				ch.load(&all[i], cols, rows)
			}
		}
		return
	}
	ch.loadColumn(c.left, cols, rows, c.form != isNullOf)
	if c.form == compared && c.right >= 0 {
		ch.loadColumn(c.right, cols, rows, true)
	}
}

func (ch *chooser) loadColumn(i int32, cols []*vec.Vector, rows selection, flat bool) {
	v := ch.cols[i]
	if v == nil {
		if v = cols[i]; !rows.all {
			v = ch.views.View(v, rows.idx)
		}
	}
	if flat {
		v = v.Tighten(&ch.flat[i])
	}
	ch.cols[i] = v
}

// run writes the rows of in (nil: all n) for which c is TRUE to dst, in ascending order. dst may
// be in itself.
func (ch *chooser) run(c *condition, cols []*vec.Vector, n int, in, dst []int32, depth int) []int32 {
	switch c.form {
	case anyOf:
		return ch.alternatives(c.any, cols, n, in, dst, depth)
	case isNullOf:
		return selectNulls(dst, cols[c.left], n, in, c.negated)
	case memberOf:
		return dropNulls(c.member(dst, cols[c.left], in), cols[c.left].Null)
	}
	left := cols[c.left]
	if c.right < 0 {
		return dropNulls(c.againstConstant(dst, left, in), left.Null)
	}
	right := cols[c.right]
	return dropNulls(dropNulls(c.againstColumn(dst, left, right, in), left.Null), right.Null)
}

func (c *condition) againstConstant(dst []int32, v *vec.Vector, in []int32) []int32 {
	switch c.kind {
	case types.KindU64:
		return selectConst(dst, kernel.AsU64(v.I64)[:v.N], c.bits, c.rel, in)
	case types.KindF64:
		return selectVector(dst, v.F64[:v.N], math.Float64frombits(c.bits), c.rel, in)
	case types.KindDec:
		if !v.Narrow {
			return selectDecimals(dst, v.Dec[:v.N], decimal128.FromI64(int64(c.bits)), c.rel, in)
		}
	}
	return selectVector(dst, v.I64[:v.N], int64(c.bits), c.rel, in)
}

func (c *condition) againstColumn(dst []int32, l, r *vec.Vector, in []int32) []int32 {
	switch c.kind {
	case types.KindU64:
		return selectPairs(dst, kernel.AsU64(l.I64)[:l.N], kernel.AsU64(r.I64), c.rel, in)
	case types.KindF64:
		return selectPairs(dst, l.F64[:l.N], r.F64, c.rel, in)
	}
	return selectPairs(dst, l.I64[:l.N], r.I64, c.rel, in)
}

// conjunction writes the rows of in that pass all conditions to dst.
func (ch *chooser) conjunction(all []condition, cols []*vec.Vector, n int, in, dst []int32, depth int) []int32 {
	for i := range all {
		if in = ch.run(&all[i], cols, n, in, dst, depth); len(in) == 0 {
			break
		}
	}
	return in
}

// alternatives writes the rows of in that pass at least one alternative to dst. Each alternative
// is tried only on rows that passed none of the previous ones.
func (ch *chooser) alternatives(any [][]condition, cols []*vec.Vector, n int, in, dst []int32, depth int) []int32 {
	if depth == len(ch.levels) {
		ch.levels = append(ch.levels, level{})
	}
	k := n
	if in != nil {
		k = len(in)
	}
	hits, rest := kernel.Resize(ch.levels[depth].hits, k), kernel.Resize(ch.levels[depth].rest, k)
	ch.levels[depth] = level{hits, rest}
	left := in
	for _, all := range any {
		passed := ch.conjunction(all, cols, n, left, hits, depth+1)
		if len(passed) == 0 {
			continue
		}
		if left = without(rest, left, n, passed); len(left) == 0 {
			return without(dst, in, n, nil)
		}
	}
	if k > 0 && left == nil {
		return dst[:0]
	}
	return without(dst, in, n, left)
}

// without writes the rows of in (nil: all n) that are not in less to dst. Both lists are
// ascending, and less is a subset of in. dst may be in itself.
func without(dst, in []int32, n int, less []int32) []int32 {
	k, j := 0, 0
	if in == nil {
		dst = dst[:n]
		for i := range int32(n) {
			dst[k] = i
			if j < len(less) && less[j] == i {
				j++
			} else {
				k++
			}
		}
		return dst[:k]
	}
	dst = dst[:len(in)]
	for _, r := range in {
		dst[k] = r
		if j < len(less) && less[j] == r {
			j++
		} else {
			k++
		}
	}
	return dst[:k]
}
