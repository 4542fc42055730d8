package parse

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// JoinKind is the kind of join that a Join in the syntax tree represents.
type JoinKind uint8

// The joins that the grammar does not support.
const (
	Full JoinKind = iota + 1 // FULL [OUTER] JOIN, parsed as LEFT JOIN
	Asof                     // ASOF [INNER | LEFT] JOIN, parsed as the join without ASOF
)

// joins finds the joins of a statement that the grammar does not support. They are parsed as
// other joins and identified by the positions of their conditions. The trees have no position for
// USING, so USING of these joins is parsed as ON before a list of names in parentheses, which
// markJoins converts back.
type joins struct {
	lexer
	out  []byte
	last [4]token  // latest first
	open [][]token // by parenthesis: joins that wait for ON, as their keyword FULL or ASOF
	specialJoins
}

// specialJoins lists the joins of a statement that the grammar does not support.
type specialJoins struct {
	starts  map[int]condition // by the offsets of their conditions
	natural map[string]int    // NATURAL FULL JOINs: their number by lower-case name of the right table
}

func (s *specialJoins) any() bool { return len(s.starts)+len(s.natural) > 0 }

// condition is the condition after a join.
type condition struct {
	kind  JoinKind
	using bool
}

// plainJoins replaces FULL by LEFT and removes ASOF before JOIN, and returns the positions of
// these joins. It returns error 1235 if one has no condition.
func plainJoins(text string, mode sqlmode.Mode) (plain string, special specialJoins, err error) {
	if !hasFold(text, "full") && !hasFold(text, "asof") {
		return text, special, nil
	}
	f := joins{lexer: lexer{text: text, mode: mode}, out: []byte(text), open: [][]token{nil}}
	f.starts, f.natural = map[int]condition{}, map[string]int{}
	for t := f.next(); t.kind != tokEnd; t = f.next() {
		if err := f.step(t); err != nil {
			return "", special, err
		}
		copy(f.last[1:], f.last[:])
		f.last[0] = t
	}
	for len(f.open) > 0 && err == nil {
		err = f.close()
	}
	return string(f.out), f.specialJoins, err
}

func (f *joins) step(t token) error {
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
		if kind := f.kind(j); kind != 0 {
			using, ahead := f.is(t, "USING"), f.lexer
			if f.starts[ahead.next().start] = (condition{kind, using}); using {
				overwrite(f.out, t, "ON   ")
			}
		}
	}
	return nil
}

// kind returns the kind of join that a keyword starts if the grammar does not support it.
func (f *joins) kind(t token) JoinKind {
	switch {
	case f.is(t, "FULL"):
		return Full
	case f.is(t, "ASOF"):
		return Asof
	}
	return 0
}

// join records a join that may have a condition. Natural joins have none.
func (f *joins) join(top int, t token) error {
	before := f.last[:]
	if f.is(before[0], "OUTER") {
		before = before[1:]
	}
	if (f.is(before[0], "LEFT") || f.is(before[0], "INNER")) && f.is(before[1], "ASOF") {
		before = before[1:]
	}
	word := before[0]
	if kind := f.kind(word); kind != 0 && len(before) > 1 && f.endsTable(before[1]) {
		switch {
		case f.is(before[1], "NATURAL"):
			return f.naturalFull(word, kind)
		case kind == Full:
			overwrite(f.out, word, "LEFT")
		default:
			overwrite(f.out, word, "")
		}
		t = word
	} else if f.is(word, "NATURAL") || len(before) > 1 && f.is(before[1], "NATURAL") {
		return nil
	}
	f.open[top] = append(f.open[top], t)
	return nil
}

// naturalFull records a NATURAL FULL JOIN of a table.
func (f *joins) naturalFull(word token, kind JoinKind) error {
	ahead := f.lexer
	table, _, ok := ahead.tableName()
	if kind != Full || !ok {
		return f.noCondition(word)
	}
	f.natural[table.Name.L]++
	overwrite(f.out, word, "LEFT")
	return nil
}

// endsTable reports whether a token may end a table reference or a condition; FULL and ASOF after
// it are not names.
func (f *joins) endsTable(t token) bool {
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

// close ends a parenthesis or the statement.
func (f *joins) close() error {
	top := len(f.open) - 1
	for _, j := range f.open[top] {
		if f.kind(j) != 0 {
			return f.noCondition(j)
		}
	}
	f.open = f.open[:top]
	return nil
}

func (f *joins) noCondition(word token) error {
	name := strings.ToUpper(f.text[word.start:word.end])
	return sqlerr.Unsupported(word.start, "%s JOIN without ON or USING", name).
		WithHint("Write its condition with ON or USING, write NATURAL FULL JOIN, or write AS `%s` if it is an alias.", strings.ToLower(name))
}

// markJoins finds the special joins, or returns nil if other joins look like them. It also
// restores the names of select items from the statement's text.
func markJoins(node ast.StmtNode, text string, special specialJoins) map[*ast.Join]JoinKind {
	f := joinFinder{text: text, specialJoins: special, found: map[*ast.Join]JoinKind{}}
	node.Accept(&f)
	want := len(special.starts)
	for _, n := range special.natural {
		want += n
	}
	if len(f.found) != want {
		return nil
	}
	return f.found
}

type joinFinder struct {
	text string
	specialJoins
	found map[*ast.Join]JoinKind
}

// Enter implements ast.Visitor.
func (f *joinFinder) Enter(n ast.Node) (ast.Node, bool) {
	if field, ok := n.(*ast.SelectField); ok && field.WildCard == nil {
		if end := field.Offset + len(field.OriginalText()); end <= len(f.text) {
			field.SetText(nil, f.text[field.Offset:end])
		}
	}
	j, ok := n.(*ast.Join)
	if ok && j.NaturalJoin && j.Tp == ast.LeftJoin && f.natural[rightTable(j)] > 0 {
		f.found[j] = Full
	}
	if !ok || j.On == nil {
		return n, false
	}
	c, marked := f.starts[j.On.Expr.OriginTextPosition()]
	if !marked || j.Tp != ast.LeftJoin && (c.kind == Full || j.Tp != ast.CrossJoin) {
		return n, false
	}
	f.found[j] = c.kind
	if names := listed(j.On.Expr); c.using && names != nil {
		j.Using, j.On = names, nil
	}
	return n, false
}

// rightTable returns the name of the table on the right of a join, or "".
func rightTable(j *ast.Join) string {
	if s, ok := j.Right.(*ast.TableSource); ok {
		if t, ok := s.Source.(*ast.TableName); ok {
			return t.Name.L
		}
	}
	return ""
}

// listed returns the names in a parenthesised list, or nil if it contains anything else.
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
func (f *joinFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }
