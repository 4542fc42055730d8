package binder

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// source is a table reference of a FROM clause: what qualified names name.
type source struct {
	key   string // the alias in lower case
	db    string // the database in lower case, "" for derived tables
	alias string
	table catalog.Table    // nil for derived tables
	scan  *logical.Scan    // of table; nil for what cannot be changed
	local *logical.Project // over scan, where it gives times in the session's time zone; else nil
}

// column is a column that names may mean.
type column struct {
	logical.Column
	key     string // the name in lower case
	src     *source
	ordinal int       // in src.table
	merged  bool      // a USING or NATURAL column of which another one stands for both: only qualified names find it
	ref     *expr.Col // what names that mean it become, once there is one
}

// Ref gives the expression that refers to the column, one for all places.
func (c *column) Ref() *expr.Col {
	if c.ref == nil || c.ref.ID != c.ID || c.ref.T != c.T {
		c.ref = c.Column.Ref()
	}
	return c.ref
}

// scope holds the columns of a FROM clause, or of an operand of a join, in the order
// of SELECT *.
type scope struct {
	cols    []column
	sources []*source
}

// find looks a column up. n is how many columns the name may mean: 0 none, 2 or more
// that it is ambiguous.
func (s *scope) find(name *ast.ColumnName) (col *column, n int) {
	for i := range s.cols {
		c := &s.cols[i]
		if c.key != name.Name.L {
			continue
		}
		if name.Table.L == "" {
			if c.merged {
				continue
			}
		} else if c.src == nil || c.src.key != name.Table.L || name.Schema.L != "" && c.src.db != name.Schema.L {
			continue
		}
		if n == 0 {
			col = c
		}
		n++
	}
	return col, n
}

// byID finds the column of an id, or nil.
func (s *scope) byID(id expr.ColID) *column {
	for i := range s.cols {
		if s.cols[i].ID == id {
			return &s.cols[i]
		}
	}
	return nil
}

// source finds a table by its alias, or nil.
func (s *scope) source(schema, table string) *source {
	for _, src := range s.sources {
		if src.key == table && (schema == "" || schema == src.db) {
			return src
		}
	}
	return nil
}

// newScope makes the scope of one table reference.
func newScope(src *source, cols []logical.Column) *scope {
	s := &scope{sources: []*source{src}, cols: make([]column, len(cols))}
	for i, c := range cols {
		s.cols[i] = column{Column: c, key: strings.ToLower(c.Name), src: src, ordinal: i}
	}
	return s
}

// displayName writes a column name as error messages do: with its table, if given.
func displayName(n *ast.ColumnName) string {
	if n.Table.O == "" {
		return n.Name.O
	}
	if n.Schema.O == "" {
		return n.Table.O + "." + n.Name.O
	}
	return n.Schema.O + "." + n.Table.O + "." + n.Name.O
}
