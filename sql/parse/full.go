package parse

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// fullJoins finds the FULL JOINs of a statement. The grammar has none: it reads LEFT
// JOINs in their place, which are told apart by where their conditions begin.
type fullJoins struct {
	lexer
	out    []byte
	last   [4]token  // the latest first
	open   [][]token // by parenthesis: the joins that wait for ON, a FULL as its token
	starts map[int]bool
}

// The grammar gives USING no place in its trees either: it is read as ON before a list of
// names in parentheses, which markFull turns back.

// plainFullJoins writes LEFT for FULL before JOIN and OUTER JOIN and gives where the
// conditions of these joins begin, true for lists of USING. Error 1235: a FULL JOIN
// without a condition.
func plainFullJoins(text string, mode sqlmode.Mode) (plain string, starts map[int]bool, err error) {
	if !hasFold(text, "full") {
		return text, nil, nil
	}
	f := fullJoins{lexer: lexer{text: text, mode: mode}, out: []byte(text), open: [][]token{nil}, starts: map[int]bool{}}
	for t := f.next(); t.kind != tokEnd; t = f.next() {
		if err := f.step(t); err != nil {
			return "", nil, err
		}
		copy(f.last[1:], f.last[:])
		f.last[0] = t
	}
	for len(f.open) > 0 && err == nil {
		err = f.close()
	}
	return string(f.out), f.starts, err
}

func (f *fullJoins) step(t token) error {
	top := len(f.open) - 1
	switch {
	case f.isByte(t, '('):
		f.open = append(f.open, nil)
	case f.isByte(t, ')') && top > 0:
		return f.close()
	case f.is(t, "JOIN"):
		return f.join(top, t)
	case f.is(t, "STRAIGHT_JOIN"):
		f.open[top] = append(f.open[top], t)
	case f.is(t, "ON"), f.is(t, "USING"):
		n := len(f.open[top])
		if n == 0 {
			return nil
		}
		j := f.open[top][n-1]
		f.open[top] = f.open[top][:n-1]
		switch {
		case !f.is(j, "FULL"):
		default:
			using, ahead := f.is(t, "USING"), f.lexer
			if f.starts[ahead.next().start] = using; using {
				overwrite(f.out, t, "ON   ")
			}
		}
	}
	return nil
}

// join notes a join that may have a condition; natural ones have none.
func (f *fullJoins) join(top int, t token) error {
	before := f.last[:]
	if f.is(before[0], "OUTER") {
		before = before[1:]
	}
	kind := before[0]
	if f.is(kind, "FULL") && f.endsTable(before[1]) {
		if f.is(before[1], "NATURAL") {
			return noCondition(kind)
		}
		overwrite(f.out, kind, "LEFT")
		t = kind
	} else if f.is(kind, "NATURAL") || len(before) > 1 && f.is(before[1], "NATURAL") {
		return nil
	}
	f.open[top] = append(f.open[top], t)
	return nil
}

// endsTable tells whether a token may be the end of a table reference or of a condition,
// behind which FULL is no name.
func (f *fullJoins) endsTable(t token) bool {
	switch t.kind {
	case tokOperator:
		return f.isByte(t, ')')
	case tokWord:
		for _, w := range []string{"FROM", "JOIN", "STRAIGHT_JOIN", "AS", "ON", "AND", "OR", "XOR", "NOT", "BETWEEN", "LIKE", "DIV", "MOD", "UPDATE", "SELECT"} {
			if f.is(t, w) {
				return false
			}
		}
		return true
	}
	return t.kind != tokEnd
}

// close ends a parenthesis, or the statement.
func (f *fullJoins) close() error {
	top := len(f.open) - 1
	for _, j := range f.open[top] {
		if f.is(j, "FULL") {
			return noCondition(j)
		}
	}
	f.open = f.open[:top]
	return nil
}

func noCondition(full token) error {
	return sqlerr.Unsupported(full.start, "FULL OUTER JOIN without ON or USING").
		WithHint("Write its condition with ON or USING, or write AS `full` if an alias is meant.")
}

// markFull finds the joins whose conditions begin at starts, or nil when there are
// others, and gives select items the names that the statement's text gives them.
func markFull(node ast.StmtNode, text string, starts map[int]bool) map[*ast.Join]bool {
	f := fullFinder{text: text, starts: starts, found: map[*ast.Join]bool{}}
	node.Accept(&f)
	if len(f.found) != len(starts) {
		return nil
	}
	return f.found
}

type fullFinder struct {
	text   string
	starts map[int]bool
	found  map[*ast.Join]bool
}

// Enter implements ast.Visitor.
func (f *fullFinder) Enter(n ast.Node) (ast.Node, bool) {
	if field, ok := n.(*ast.SelectField); ok && field.WildCard == nil {
		if end := field.Offset + len(field.OriginalText()); end <= len(f.text) {
			field.SetText(nil, f.text[field.Offset:end])
		}
	}
	j, ok := n.(*ast.Join)
	if !ok || j.Tp != ast.LeftJoin || j.On == nil {
		return n, false
	}
	if using, full := f.starts[j.On.Expr.OriginTextPosition()]; full {
		f.found[j] = true
		if names := listed(j.On.Expr); using && names != nil {
			j.Using, j.On = names, nil
		}
	}
	return n, false
}

// listed gives the names of a list in parentheses, or nil where it holds anything else.
func listed(e ast.ExprNode) (names []*ast.ColumnName) {
	list := []ast.ExprNode{e}
	switch x := e.(type) {
	case *ast.ParenthesesExpr:
		list[0] = x.Expr
	case *ast.RowExpr:
		list = x.Values
	}
	for _, item := range list {
		c, ok := item.(*ast.ColumnNameExpr)
		if !ok {
			return nil
		}
		names = append(names, c.Name)
	}
	return names
}

// Leave implements ast.Visitor.
func (f *fullFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }
