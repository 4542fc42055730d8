package join

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// places finds columns among those of a join's two sides. Who asks for many mostly does so
// in their order, so that a search begins where the last one ended.
type places struct {
	cols [2][]logical.Column
	next [2]int
	side source // where the last one was found
}

// find gives a column's side and its place there, which is negative where no side has it.
func (p *places) find(id expr.ColID) (side source, at int) {
	for _, side := range [2]source{p.side, fromRight - p.side} {
		cols := p.cols[side]
		for k := range cols {
			at := p.next[side] + k
			if at >= len(cols) {
				at -= len(cols)
			}
			if cols[at].ID == id {
				p.side, p.next[side] = side, at+1
				return side, at
			}
		}
	}
	return fromLeft, -1
}

// marked are columns of a join's inputs.
type marked struct {
	places
	rank [2][]int32 // by column: 0 where it is not marked, else, once numbered, its number from 1
}

func newMarked(l, r []logical.Column) *marked {
	rank := make([]int32, len(l)+len(r))
	return &marked{places: places{cols: [2][]logical.Column{l, r}}, rank: [2][]int32{rank[:len(l)], rank[len(l):]}}
}

func (m *marked) add(id expr.ColID) {
	if side, at := m.find(id); at >= 0 {
		m.rank[side][at] = 1
	}
}

// number gives the places of a side's marked columns and numbers these.
func (m *marked) number(side source) []int {
	n := int32(0)
	for _, marked := range m.rank[side] {
		n += marked
	}
	at := make([]int, 0, n)
	for i, marked := range m.rank[side] {
		if marked > 0 {
			at = append(at, i)
			m.rank[side][i] = int32(len(at))
		}
	}
	return at
}

// place gives a column's side and its place among the marked ones there, once they are
// numbered; it is negative where the column is not marked.
func (m *marked) place(id expr.ColID) (side source, at int) {
	if side, at = m.find(id); at >= 0 {
		at = int(m.rank[side][at]) - 1
	}
	return side, at
}

// addAll marks the columns that expressions refer to.
func (m *marked) addAll(es ...expr.Expr) {
	for _, e := range es {
		expr.Walk(e, func(e expr.Expr) bool {
			if c, ok := e.(*expr.Col); ok {
				m.add(c.ID)
			}
			return true
		})
	}
}
