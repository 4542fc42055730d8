package parse

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlmode"
)

// columnList is the list of column names behind the alias of a derived table.
type columnList struct {
	alias string // lower case
	names []ast.CIStr
}

// cutColumnLists blanks the column names of derived tables, (SELECT ...) AS d(a, b), which
// the grammar takes of LATERAL ones alone.
func cutColumnLists(text string, mode sqlmode.Mode) (plain string, lists []columnList) {
	out := []byte(text)
	var queries []bool // of the parentheses open here: whether a query stands in them
	l := lexer{text: text, mode: mode}
	for t := l.next(); t.kind != tokEnd && t.kind != tokOpen; t = l.next() {
		switch {
		case l.isByte(t, '('):
			queries = append(queries, l.queryFollows())
		case l.isByte(t, ')') && len(queries) > 0:
			isQuery := queries[len(queries)-1]
			queries = queries[:len(queries)-1]
			if !isQuery {
				continue
			}
			if list, start, end, ok := l.columnListFollows(); ok {
				lists = append(lists, list)
				overwrite(out, token{start: start, end: end}, "")
			}
		}
	}
	return string(out), lists
}

// queryFollows tells whether a query comes next, and stays where it is.
func (l *lexer) queryFollows() bool {
	ahead := *l
	t := ahead.next()
	for ahead.isByte(t, '(') {
		t = ahead.next()
	}
	return ahead.is(t, "SELECT") || ahead.is(t, "WITH") || ahead.is(t, "VALUES") || ahead.is(t, "TABLE")
}

// columnListFollows reads [AS] alias (name, ...), gives where the list starts and ends, and
// stays where it is.
func (l *lexer) columnListFollows() (list columnList, start, end int, ok bool) {
	ahead := *l
	t := ahead.next()
	if ahead.is(t, "AS") {
		t = ahead.next()
	}
	alias, ok := ahead.name(t)
	if !ok {
		return list, 0, 0, false
	}
	list.alias = strings.ToLower(alias)
	if t = ahead.next(); !ahead.isByte(t, '(') {
		return list, 0, 0, false
	}
	for start = t.start; ; {
		name, ok := ahead.name(ahead.next())
		if !ok {
			return list, 0, 0, false
		}
		list.names = append(list.names, ast.NewCIStr(name))
		t = ahead.next()
		if ahead.isByte(t, ')') {
			return list, start, t.end, true
		}
		if !ahead.isByte(t, ',') {
			return list, 0, 0, false
		}
	}
}

// name gives the name that a token is.
func (l *lexer) name(t token) (string, bool) {
	text := l.text[t.start:t.end]
	switch t.kind {
	case tokWord:
		return text, true
	case tokQuotedName:
		return strings.ReplaceAll(text[1:len(text)-1], "``", "`"), true
	}
	return "", false
}

// giveColumnLists puts the lists back at the derived tables of their aliases. It does not
// where several tables have an alias and not the same names.
func giveColumnLists(node ast.StmtNode, lists []columnList) bool {
	var f derivedFinder
	node.Accept(&f)
	for _, list := range lists {
		same := 0
		for _, other := range lists {
			if other.alias == list.alias && sameNames(other.names, list.names) {
				same++
			}
		}
		tables := f.found[list.alias]
		if len(tables) != same {
			return false
		}
		for _, t := range tables {
			t.ColumnNames = list.names
		}
	}
	return true
}

// restoreView gives a view the query as it was written: its text is what is kept.
func restoreView(node ast.StmtNode, plain, text string) {
	if v, ok := node.(*ast.CreateViewStmt); ok {
		query := v.Select.OriginalText()
		from := strings.Index(plain, query)
		to := from + len(query)
		for i := to; i < len(text); i++ { // a list at the end became spaces, which are not its text
			if text[i] != plain[i] {
				to = i + 1
			}
		}
		v.Select.SetText(nil, text[from:to])
	}
}

func sameNames(a, b []ast.CIStr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].O != b[i].O {
			return false
		}
	}
	return true
}

// derivedFinder collects derived tables by alias.
type derivedFinder struct{ found map[string][]*ast.TableSource }

// Enter implements ast.Visitor.
func (f *derivedFinder) Enter(n ast.Node) (ast.Node, bool) {
	t, ok := n.(*ast.TableSource)
	if !ok {
		return n, false
	}
	switch t.Source.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		if f.found == nil {
			f.found = map[string][]*ast.TableSource{}
		}
		f.found[t.AsName.L] = append(f.found[t.AsName.L], t)
	}
	return n, false
}

// Leave implements ast.Visitor.
func (f *derivedFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }
