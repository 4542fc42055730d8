package join

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// columnMap finds columns by id in the two inputs of a join. Callers usually look columns up in
// order, so each search starts where the last one ended.
type columnMap struct {
	cols [2][]logical.Column
	next [2]int
	side source // of the column found last
}

// find returns the side of a column and its position there. The position is negative if neither
// side has the column.
func (p *columnMap) find(id expr.ColID) (side source, at int) {
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

// neededColumns records which columns of its inputs a join needs.
type neededColumns struct {
	columnMap
	rank [2][]int32 // by column: 0 if it is not needed; after number, its rank among the needed ones, from 1
}

func newMarked(l, r []logical.Column) *neededColumns {
	rank := make([]int32, len(l)+len(r))
	return &neededColumns{columnMap: columnMap{cols: [2][]logical.Column{l, r}}, rank: [2][]int32{rank[:len(l)], rank[len(l):]}}
}

func (m *neededColumns) add(id expr.ColID) {
	if side, at := m.find(id); at >= 0 {
		m.rank[side][at] = 1
	}
}

// number ranks a side's needed columns and returns their positions.
func (m *neededColumns) number(side source) []int {
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

// place returns the side of a column and its position among the needed columns of that side,
// which number has ranked. The position is negative if the column is not needed.
func (m *neededColumns) place(id expr.ColID) (side source, at int) {
	if side, at = m.find(id); at >= 0 {
		at = int(m.rank[side][at]) - 1
	}
	return side, at
}

// addAll adds the columns that expressions refer to.
func (m *neededColumns) addAll(es ...expr.Expr) {
	for _, e := range es {
		expr.Walk(e, func(e expr.Expr) bool {
			if c, ok := e.(*expr.Col); ok {
				m.add(c.ID)
			}
			return true
		})
	}
}
