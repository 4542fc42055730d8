// Package parse turns SQL text into TiDB's syntax trees. It is a thin adapter: it
// cuts texts into statements, refuses what would be misread or would overrun the
// stack, reads gsql's own hints, and words errors as MySQL does.
package parse

import (
	"slices"
	"strings"
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"gsql/sql/sqlerr"
)

// Statement is a parsed statement. All positions within Node count from the start
// of Text.
type Statement struct {
	Node   ast.StmtNode
	Text   string
	Offset int    // where Text starts in the text given to Parse
	Hints  []Hint // in the order of the text
	Params int    // how many ? placeholders it has
}

var pool = sync.Pool{New: func() any {
	p := parser.New()
	configure(p)
	return p
}}

func configure(p *parser.Parser) {
	mode, _ := mysql.GetSQLMode("NO_ENGINE_SUBSTITUTION")
	p.SetSQLMode(mode)
	p.SetStrictDoubleTypeCheck(false)
}

// giveBack makes a parser reusable. Its stack still holds nodes of the trees it has
// made, and parsing again would write positions into them.
func giveBack(p *parser.Parser) {
	p.Reset()
	configure(p)
	pool.Put(p)
}

// Parse parses the statements of sql, in order. When one fails, those before it come
// with the error, whose position counts from the start of sql. Errors: 1064 (syntax),
// 1235 (known not to be supported), 1436 (nested too deeply), and those the grammar
// itself finds. An empty text gives no statement and no error.
func Parse(sql string) ([]Statement, error) {
	pieces, rest := Split(sql)
	if rest != "" {
		pieces = append(pieces, Piece{Text: rest, Offset: len(sql) - len(rest)})
	}
	out := make([]Statement, 0, len(pieces))
	for _, p := range pieces {
		s, err := parseOne(p.Text)
		if err != nil {
			e := sqlerr.From(err)
			if e.Pos >= 0 {
				e.Pos += p.Offset
			}
			return out, e
		}
		s.Offset = p.Offset
		out = append(out, s)
	}
	return out, nil
}

// parseOne parses a single statement.
func parseOne(text string) (Statement, error) {
	if err := guard(text); err != nil {
		return Statement{}, err
	}
	text = plainIntervals(text)
	node, err := parseTree(text)
	if err != nil {
		return parseOther(text, err)
	}
	return Statement{Node: node, Text: text, Hints: hints(text), Params: numberParams(node, text)}, nil
}

// parseTree runs TiDB's parser.
func parseTree(text string) (ast.StmtNode, error) {
	p := pool.Get().(*parser.Parser)
	defer giveBack(p)
	nodes, _, err := p.ParseSQL(text)
	if err != nil {
		return nil, syntaxError(text, err)
	}
	if len(nodes) != 1 {
		return nil, sqlerr.New(sqlerr.EmptyQuery, "Query was empty")
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
