package scope

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// Source is a table reference of a FROM clause, which qualified names refer to.
type Source struct {
	Key   string // the alias in lower case
	DB    string // the database in lower case, "" for derived tables
	Alias string
	Table catalog.Table    // nil for derived tables
	Scan  *logical.Scan    // scan of the table; nil if the table cannot be changed
	local *logical.Project // over scan if it converts times to the session's time zone, else nil
}

// Column is a column that names can refer to.
type Column struct {
	logical.Column
	Key     string // the name in lower case
	Source  *Source
	Ordinal int       // its number in Source.Table
	Merged  bool      // merged by USING or NATURAL into another column: only qualified names find it
	Hidden  bool      // not selected by *; a column of the same name that is not hidden comes first
	ref     *expr.Col // the reference shared by all uses; nil before the first
}

// Ref returns the reference to the column, which all uses share.
func (c *Column) Ref() *expr.Col {
	if c.ref == nil || c.ref.ID != c.ID || c.ref.T != c.T {
		c.ref = c.Column.Ref()
		c.ref.Hex = c.Hex
	}
	return c.ref
}

// Scope holds the columns of a FROM clause, or of an operand of a join, in the order
// of SELECT *.
type Scope struct {
	Columns []Column
	Sources []*Source
}

// Find looks up a column. n is the number of columns that the name can refer to; more than one makes it
// ambiguous.
func (s *Scope) Find(name *ast.ColumnName) (col *Column, n int) {
	if col, n = s.find(name, false); n == 0 {
		col, n = s.find(name, true)
	}
	if path := s.path(name); n == 0 && path != nil {
		return s.Find(path)
	}
	return col, n
}

// path returns a qualified name whose table does not exist as the name of a column that contains dots, such as
// the columns of nested objects in JSON files. It returns nil for other names.
func (s *Scope) path(name *ast.ColumnName) *ast.ColumnName {
	switch {
	case name.Table.L == "" || s.Source(name.Schema.L, name.Table.L) != nil:
		return nil
	case name.Schema.L == "":
		return &ast.ColumnName{Name: ast.NewCIStr(name.Table.O + "." + name.Name.O)}
	}
	return &ast.ColumnName{Table: name.Schema, Name: ast.NewCIStr(name.Table.O + "." + name.Name.O)}
}

// find looks up a column among those that are hidden, or among the others.
func (s *Scope) find(name *ast.ColumnName, hidden bool) (col *Column, n int) {
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Key != name.Name.L || c.Hidden != hidden {
			continue
		}
		if name.Table.L == "" {
			if c.Merged {
				continue
			}
		} else if c.Source == nil || c.Source.Key != name.Table.L || name.Schema.L != "" && c.Source.DB != name.Schema.L {
			continue
		}
		if n == 0 {
			col = c
		}
		n++
	}
	return col, n
}

// ByID returns the column with the given id, or nil.
func (s *Scope) ByID(id expr.ColID) *Column {
	for i := range s.Columns {
		if s.Columns[i].ID == id {
			return &s.Columns[i]
		}
	}
	return nil
}

// Source returns the table with the given alias, or nil.
func (s *Scope) Source(schema, table string) *Source {
	for _, src := range s.Sources {
		if src.Key == table && (schema == "" || schema == src.DB) {
			return src
		}
	}
	return nil
}

// New returns the scope of one table reference.
func New(src *Source, cols []logical.Column) *Scope {
	s := &Scope{Sources: []*Source{src}, Columns: make([]Column, len(cols))}
	for i, c := range cols {
		s.Columns[i] = Column{Column: c, Key: strings.ToLower(c.Name), Source: src, Ordinal: i}
	}
	return s
}

// DisplayName returns a column name as it appears in error messages: with its table, if given.
func DisplayName(n *ast.ColumnName) string {
	if n.Table.O == "" {
		return n.Name.O
	}
	if n.Schema.O == "" {
		return n.Table.O + "." + n.Name.O
	}
	return n.Schema.O + "." + n.Table.O + "." + n.Name.O
}
