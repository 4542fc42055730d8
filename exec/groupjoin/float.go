package groupjoin

import (
	"gsql/exec/accum"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// floatSums is SUM of floats.
type floatSums struct {
	floatOut
	*presence
	values *vec.Vector
	rows   []int32
	tree   *mem.Buffer[accum.Float]
}

func newFloatSums(ctx *op.Ctx, p *presence, v *vec.Vector, rows []int32, acct *mem.Account) (measure, error) {
	size := treeSize(len(rows))
	t, err := mem.Alloc[accum.Float](acct, 2*size)
	if err != nil {
		return nil, err
	}
	for k, r := range rows {
		if err := look(ctx, k); err != nil {
			t.Free()
			return nil, err
		}
		if p.has(int32(k)) {
			t.S[size+k].Add(v.F64[r])
		}
	}
	buildFloats(t.S)
	return &floatSums{presence: p, values: v, rows: rows, tree: t}, nil
}

func (m *floatSums) windows(s *windowList, out *results) error {
	m.count(s, out.count)
	for i := range out.float {
		var sum accum.Float
		floatIn(m.tree.S, s.lo[i], s.hi[i], &sum)
		if s.lo2 != nil {
			floatIn(m.tree.S, s.lo2[i], s.hi2[i], &sum)
		}
		out.float[i] = sum.Value()
	}
	return nil
}

func (m *floatSums) sweep(w *sweeping, from, to int, out *results) error {
	if err := w.counts(m.presence, from, to, out); err != nil {
		return err
	}
	size := treeSize(len(m.rows))
	t, err := mem.Alloc[accum.Float](w.acct, 2*size)
	if err != nil {
		return err
	}
	defer t.Free()
	entered := w.s.entered[from]
	for _, at := range w.at[:entered] {
		if m.has(at) {
			t.S[size+int(at)].Add(m.values.F64[m.rows[at]])
		}
	}
	buildFloats(t.S)
	return w.each(from, to, func(i int) error {
		for ; entered < w.s.entered[i]; entered++ {
			if at := w.at[entered]; m.has(at) {
				addFloat(t.S, at, m.values.F64[m.rows[at]])
			}
		}
		var sum accum.Float
		floatIn(t.S, w.s.lo[i], w.s.hi[i], &sum)
		out.float[i] = sum.Value()
		return nil
	})
}

func (m *floatSums) free() {
	m.presence.free()
	m.tree.Free()
}
