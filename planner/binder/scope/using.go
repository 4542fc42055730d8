package scope

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// Concat returns a scope of the columns of both operands.
func Concat(l, r *Scope) *Scope {
	return &Scope{
		Columns: append(append(make([]Column, 0, len(l.Columns)+len(r.Columns)), l.Columns...), r.Columns...),
		Sources: append(append(make([]*Source, 0, len(l.Sources)+len(r.Sources)), l.Sources...), r.Sources...),
	}
}

// Extend is like Concat, but may modify l, so that a chain of joins appends to one list.
func Extend(l, r *Scope) *Scope {
	return &Scope{Columns: append(l.Columns, r.Columns...), Sources: append(l.Sources, r.Sources...)}
}

// Nullable marks the columns of the inner side of an outer join as nullable.
func (s *Scope) Nullable(inner logical.Node) {
	for _, c := range inner.Schema() {
		if col := s.ByID(c.ID); col != nil {
			col.NotNull = false
		}
	}
}

// Using binds the condition of USING or NATURAL. The scope begins with the common columns. Each
// represents both operands' columns; in an outer join it is the column of the side whose rows are
// preserved.
func Using(s *statement.Statement, n *ast.Join, ls, rs *Scope) (*Scope, []expr.Expr, error) {
	if n.Tp == ast.RightJoin {
		ls, rs = rs, ls
	}
	names := n.Using
	if n.NaturalJoin {
		names = commonColumns(ls, rs)
	}
	lcols, rcols := append([]Column(nil), ls.Columns...), append([]Column(nil), rs.Columns...)
	taken := map[expr.ColID]bool{}
	var common []Column
	var on []expr.Expr
	for _, name := range names {
		l, err := usingColumn(s, ls, name)
		if err != nil {
			return nil, nil, err
		}
		r, err := usingColumn(s, rs, name)
		if err != nil {
			return nil, nil, err
		}
		eq, err := expr.NewCall(expr.FuncEQ, []expr.Expr{l.Ref(), r.Ref()}, s.Find(name.Name.O, 0))
		if err != nil {
			return nil, nil, err
		}
		on = append(on, eq)
		common = append(common, *l)
		taken[l.ID] = true
		for i := range rcols {
			if rcols[i].ID == r.ID {
				rcols[i].Merged = true
			}
		}
	}
	sc := &Scope{Sources: append(append([]*Source(nil), ls.Sources...), rs.Sources...)}
	sc.Columns = append(inOrder(common, lcols), withoutColumns(lcols, taken)...)
	sc.Columns = append(sc.Columns, rcols...)
	return sc, on, nil
}

// inOrder returns the common columns in the order of the left side.
func inOrder(common, left []Column) []Column {
	out := make([]Column, 0, len(common))
	for _, l := range left {
		for _, c := range common {
			if c.ID == l.ID {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

func withoutColumns(cols []Column, taken map[expr.ColID]bool) []Column {
	out := make([]Column, 0, len(cols))
	for _, c := range cols {
		if !taken[c.ID] {
			out = append(out, c)
		}
	}
	return out
}

// usingColumn returns a common column of one operand.
func usingColumn(s *statement.Statement, sc *Scope, name *ast.ColumnName) (*Column, error) {
	bare := &ast.ColumnName{Name: name.Name}
	c, n := sc.Find(bare)
	pos := s.Find(name.Name.O, max(s.Find("USING", 0), 0))
	switch {
	case n == 0:
		return nil, sqlerr.New(sqlerr.BadField, "Unknown column '%s' in '%s'", name.Name.O, FromClause).At(pos).
			WithHint("USING needs columns that both tables have.")
	case n > 1:
		return nil, Ambiguous(name.Name.O, FromClause, pos)
	}
	return c, nil
}

// commonColumns lists the column names of both operands, for NATURAL joins.
func commonColumns(l, r *Scope) []*ast.ColumnName {
	var out []*ast.ColumnName
	seen := map[string]bool{}
	for i := range l.Columns {
		c := &l.Columns[i]
		name := &ast.ColumnName{Name: ast.NewCIStr(c.Name)}
		if _, n := r.find(name, false); c.Hidden || c.Merged || n == 0 || seen[c.Key] {
			continue
		}
		seen[c.Key] = true
		out = append(out, name)
	}
	return out
}
