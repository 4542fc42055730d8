// Package parse parses SQL text into TiDB's syntax trees. It is a thin adapter: it splits texts
// into statements, rejects what would be misread or overflow the stack, parses gsql's own hints,
// rewrites syntax that the grammar does not support, and words errors as MySQL does.
package parse

import (
	"slices"
	"strings"
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// Statement is a parsed statement. All positions within Node count from the start of Text. After
// a SET of sql_mode, which may change how the following text is parsed, Parse returns the rest of
// the text as one statement that has only Text and Offset.
type Statement struct {
	Node   ast.StmtNode
	Text   string
	Offset int                    // offset of Text in the text passed to Parse
	Hints  []Hint                 // in the order of the text
	Params int                    // number of ? placeholders
	Row    *RowAlias              // INSERT ... VALUES (...) AS alias; nil if there is none
	Joins  map[*ast.Join]JoinKind // the Joins in Node that represent other kinds of joins
	Into   []string               // SELECT ... INTO @a, @b: the names of the variables, in lower case
}

var pool = sync.Pool{New: func() any {
	p := parser.New()
	p.SetStrictDoubleTypeCheck(false)
	return p
}}

// maxPooled is the maximum length in bytes of a text whose parser is reused. A parser's stack
// grows with the depth of a statement, never shrinks, and is cleared as a whole.
const maxPooled = 4 << 10

// giveBack returns the parser of text to the pool, unless the text was long. Reset clears the
// parser's stack, which still holds nodes of the trees it made: otherwise, parsing again would
// write positions into them.
func giveBack(p *parser.Parser, text string) {
	if len(text) > maxPooled {
		return
	}
	p.Reset()
	p.SetStrictDoubleTypeCheck(false)
	pool.Put(p)
}

// Parse parses the statements of sql in order, according to mode. If one fails, Parse returns the
// statements before it and the error, whose position counts from the start of sql. Errors: 1064
// (syntax), 1235 (not supported), 1436 (nested too deeply), and those from the grammar's own
// checks. An empty text has no statements and no error.
func Parse(sql string, mode sqlmode.Mode) ([]Statement, error) {
	pieces, rest := Split(sql, mode)
	if rest != "" {
		pieces = append(pieces, Piece{Text: rest, Offset: len(sql) - len(rest)})
	}
	out := make([]Statement, 0, len(pieces))
	for i, p := range pieces {
		s, err := parseOne(p.Text, mode)
		if err != nil {
			e := sqlerr.From(err)
			if e.Pos >= 0 {
				e.Pos += p.Offset
			}
			return out, e
		}
		s.Offset += p.Offset
		out = append(out, s)
		if i+1 < len(pieces) && setsMode(s.Node) {
			from := pieces[i+1].Offset
			return append(out, Statement{Text: sql[from:], Offset: from}), nil
		}
	}
	return out, nil
}

// setsMode reports whether a statement sets sql_mode.
func setsMode(n ast.StmtNode) bool {
	set, ok := n.(*ast.SetStmt)
	return ok && slices.ContainsFunc(set.Variables, func(v *ast.VariableAssignment) bool {
		return v.IsSystem && strings.EqualFold(v.Name, "sql_mode")
	})
}

// parseOne parses a single statement.
func parseOne(text string, mode sqlmode.Mode) (Statement, error) {
	if err := guard(text, mode); err != nil {
		return Statement{}, err
	}
	text = plainIntervals(text, mode)
	plain, special, err := plainJoins(text, mode)
	if err != nil {
		return Statement{}, err
	}
	c := cuts{plain: plain}
	node, err := parseTree(plain, mode)
	if err != nil && special.any() {
		if node, c, err = parseCut(plain, mode, err); err != nil {
			return Statement{}, err
		}
	}
	if err != nil {
		return parseOther(text, mode, err)
	}
	return c.statement(node, text, special, mode)
}

// parseTree runs TiDB's parser.
func parseTree(text string, mode sqlmode.Mode) (ast.StmtNode, error) {
	p := pool.Get().(*parser.Parser)
	defer giveBack(p, text)
	p.SetSQLMode(mysql.SQLMode(mode & sqlmode.Lexical))
	nodes, _, err := p.ParseSQL(text)
	if err != nil {
		return nil, syntaxError(text, mode, err)
	}
	if len(nodes) != 1 {
		return nil, sqlerr.New(sqlerr.EmptyQuery, "Query was empty")
	}
	if hasFold(text, Median) {
		markMedians(nodes[0])
	}
	if hasFold(text, "collate") {
		nodes[0].Accept(&flagCollations{})
	}
	return nodes[0], nil
}

// numberParams numbers the ? placeholders in the order of the text.
func numberParams(node ast.StmtNode, text string) int {
	if strings.IndexByte(text, '?') < 0 {
		return 0
	}
	var c paramCollector
	node.Accept(&c)
	slices.SortFunc(c.found, func(a, b *Param) int { return a.Offset - b.Offset })
	for i, p := range c.found {
		p.Order = i
	}
	return len(c.found)
}

type paramCollector struct{ found []*Param }

// Enter implements ast.Visitor.
func (c *paramCollector) Enter(n ast.Node) (ast.Node, bool) { return n, false }

// Leave implements ast.Visitor.
func (c *paramCollector) Leave(n ast.Node) (ast.Node, bool) {
	if p, ok := n.(*Param); ok {
		c.found = append(c.found, p)
	}
	return n, true
}
