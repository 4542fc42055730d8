package parse

import (
	"strings"
	"unsafe"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlmode"
)

// columnList is the list of column names after the alias of a derived table.
type columnList struct {
	alias       string // lower case
	names       []ast.CIStr
	open, close int // the parentheses around the query
}

// cutColumnLists blanks the column names of derived tables, as in (SELECT ...) AS d(a, b), which the grammar
// accepts only after LATERAL.
func cutColumnLists(text string, mode sqlmode.Mode) (plain string, lists []columnList) {
	out := []byte(text)
	var open []int // the open parentheses: the position of one around a query, -1 for others
	l := lexer{text: text, mode: mode}
	for t := l.next(); t.kind != tokEnd && t.kind != tokOpen; t = l.next() {
		switch {
		case l.isByte(t, '('):
			at := -1
			if l.queryFollows() {
				at = t.start
			}
			open = append(open, at)
		case l.isByte(t, ')') && len(open) > 0:
			at := open[len(open)-1]
			open = open[:len(open)-1]
			if at < 0 {
				continue
			}
			if list, start, end, ok := l.columnListFollows(); ok {
				list.open, list.close = at, t.start
				lists = append(lists, list)
				overwrite(out, token{start: start, end: end}, "")
			}
		}
	}
	return string(out), lists
}

// queryFollows reports whether a query comes next. It does not advance.
func (l *lexer) queryFollows() bool {
	ahead := *l
	t := ahead.next()
	for ahead.isByte(t, '(') {
		t = ahead.next()
	}
	return ahead.is(t, "SELECT") || ahead.is(t, "WITH") || ahead.is(t, "VALUES") || ahead.is(t, "TABLE")
}

// columnListFollows looks for [AS] alias (name, ...) and returns where the list starts and ends. It does not
// advance.
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

// name returns the name in a token.
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

// giveColumnLists restores the lists in their derived tables. text is the text that node was
// parsed from. It returns false if a derived table is not found.
func giveColumnLists(node ast.StmtNode, text string, lists []columnList) bool {
	f := derivedFinder{text: text}
	node.Accept(&f)
	for _, list := range lists {
		var table *derivedTable
		for i := range f.found {
			d := &f.found[i]
			inside := d.at > list.open && d.at < list.close && d.AsName.L == list.alias
			if inside && (table == nil || d.at < table.at) { // lists further to the right are within its query
				table = d
			}
		}
		if table == nil || table.ColumnNames != nil {
			return false
		}
		table.ColumnNames = list.names
	}
	return true
}

// restoreView restores the text of a view's query, which is the text that is stored.
func restoreView(node ast.StmtNode, plain, text string) {
	if v, ok := node.(*ast.CreateViewStmt); ok {
		query := v.Select.OriginalText()
		from := offsetIn(plain, query)
		if from < 0 {
			return
		}
		to := from + len(query)
		for i := to; i < len(text); i++ { // a list at the end was blanked
			if text[i] != plain[i] {
				to = i + 1
			}
		}
		v.Select.SetText(nil, text[from:to])
	}
}

// derivedFinder collects derived tables.
type derivedFinder struct {
	text  string
	found []derivedTable
}

// derivedTable is a derived table and the byte of the statement at which its query begins.
type derivedTable struct {
	*ast.TableSource
	at int
}

// Enter implements ast.Visitor.
func (f *derivedFinder) Enter(n ast.Node) (ast.Node, bool) {
	if t, ok := n.(*ast.TableSource); ok {
		switch t.Source.(type) {
		case *ast.SelectStmt, *ast.SetOprStmt:
			f.found = append(f.found, derivedTable{t, offsetIn(f.text, t.Source.OriginalText())})
		}
	}
	return n, false
}

// Leave implements ast.Visitor.
func (f *derivedFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// offsetIn returns the offset of part in text, or -1 if part is not a substring of text in
// memory. The grammar records positions only of expressions, but the text of a query is a
// substring of the statement's text.
func offsetIn(text, part string) int {
	if part == "" {
		return -1
	}
	at := uintptr(unsafe.Pointer(unsafe.StringData(part))) - uintptr(unsafe.Pointer(unsafe.StringData(text)))
	if at >= uintptr(len(text)) {
		return -1
	}
	return int(at)
}
