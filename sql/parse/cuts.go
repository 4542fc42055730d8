package parse

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// cuts is the part of a statement that the grammar does not support. It is blanked out of the
// text, and either restored in the tree or kept separately.
type cuts struct {
	plain string // the text without the cuts
	row   *RowAlias
	lists []columnList
	into  []string
}

// parseCut parses a text that the grammar rejects with err, after cutting out what the grammar
// does not support. If that does not help, it returns err.
func parseCut(text string, mode sqlmode.Mode, err error) (ast.StmtNode, cuts, error) {
	c := cuts{plain: text}
	if plain, row, ok := cutRowAlias(c.plain, mode); ok {
		c.plain, c.row = plain, row
	}
	if plain, lists := cutColumnLists(c.plain, mode); len(lists) > 0 {
		c.plain, c.lists = plain, lists
	}
	if plain, vars, ok := cutIntoVars(c.plain, mode); ok {
		c.plain, c.into = plain, vars
	}
	if c.row == nil && c.lists == nil && c.into == nil {
		return nil, c, err
	}
	node, again := parseTree(c.plain, mode)
	if again != nil || !giveColumnLists(node, c.plain, c.lists) {
		return nil, c, err
	}
	return node, c, nil
}

// statement returns the statement of a tree and its text. Errors: 1235 for special joins that
// cannot be found in the tree, 1064 for syntax that the grammar accepts and MySQL does not.
func (c cuts) statement(node ast.StmtNode, text string, special specialJoins, mode sqlmode.Mode) (Statement, error) {
	s := Statement{Node: node, Text: text, Hints: hints(text, mode), Params: numberParams(node, text), Row: c.row, Into: c.into}
	if special.any() {
		if s.Joins = markJoins(node, text, special); s.Joins == nil {
			return Statement{}, sqlerr.Unsupported(-1, "FULL or ASOF JOIN in this place")
		}
	}
	if err := plainUsing(node, text, mode); err != nil {
		return Statement{}, err
	}
	if c.plain != text {
		restoreView(node, c.plain, text)
	}
	return s, nil
}
