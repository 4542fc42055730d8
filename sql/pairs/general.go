package pairs

import (
	"gsql/sql/eval"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// general evaluates conditions as ordinary expressions: the columns of one outer row are
// constants, those of a tile are vectors.
type general struct {
	filter *eval.FilterEvaluator
	consts []vec.Vector // by column of the outer side
	batch  vec.Batch
}

// load prepares for the rows of the tester's tile.
func (g *general) load(t *Tester) {
	if len(g.consts) != len(t.outer.cols) {
		g.consts = make([]vec.Vector, len(t.outer.cols))
	}
	g.batch.N, g.batch.Cols = t.n, g.batch.Cols[:0]
	sides := [2]*Rows{t.outer, t.inner}
	if t.outerSide == Right {
		sides = [2]*Rows{t.inner, t.outer}
	}
	for side, r := range sides {
		for i, c := range r.cols {
			if Side(side) == t.outerSide {
				g.batch.Cols = append(g.batch.Cols, &g.consts[i])
			} else {
				g.batch.Cols = append(g.batch.Cols, c.Slice(t.from, t.from+t.n))
			}
		}
	}
}

// test returns the rows of the tile that pass with an outer row.
func (g *general) test(t *Tester, row int) (idx []int32, all bool, err error) {
	for i, c := range t.outer.cols {
		setConstant(&g.consts[i], c, row, t.n)
	}
	return g.filter.Select(&g.batch)
}

// setConstant sets dst to n rows that all equal row i of v, without copying.
func setConstant(dst, v *vec.Vector, i, n int) {
	*dst = vec.Vector{Type: v.Type, Form: vec.Const, N: n}
	b, s := v.Slot(i)
	if s < 0 || v.IsNull(i) {
		*dst = *vec.NewNull(v.Type, n)
		return
	}
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		dst.I64 = b.I64[s : s+1]
	case types.KindF64:
		dst.F64 = b.F64[s : s+1]
	case types.KindDec:
		dst.Dec = b.Dec[s : s+1]
	case types.KindStr:
		dst.Str = b.Str[s : s+1]
	}
}
