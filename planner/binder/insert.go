package binder

import (
	"context"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/suggest"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// Insert is a bound INSERT or REPLACE. Node gives a column for every one of the table,
// in its order and of its type. Columns left out hold their defaults, AUTO_INCREMENT
// ones NULL. NOT NULL and unique keys are for the storage to check.
type Insert struct {
	Target
	Node    logical.Node
	Replace bool    // REPLACE: rows with the same key make way
	Ignore  bool    // INSERT IGNORE: rows that fail are left out
	Upsert  *Upsert // ON DUPLICATE KEY UPDATE, or nil
	Extra   int     // columns of Node behind the table's, for Upsert
}

// Insert binds INSERT and REPLACE, from VALUES, SET or a query.
func (b *Binder) Insert(ctx context.Context, s *parse.Statement, n *ast.InsertStmt) (*Insert, error) {
	st := b.begin(ctx, s)
	verb := "INSERT"
	if n.IsReplace {
		verb = "REPLACE"
	}
	t, err := st.target(n.Table, verb)
	if err != nil {
		return nil, err
	}
	if len(n.PartitionNames) > 0 {
		return nil, sqlerr.Unsupported(st.find("PARTITION", 0), "PARTITION selection")
	}
	cols, err := st.insertColumns(t, n.Columns)
	if err != nil {
		return nil, err
	}
	out := &Insert{Target: *t, Replace: n.IsReplace, Ignore: n.IgnoreErr}
	var extra []logical.Column
	if n.Select != nil {
		out.Node, extra, err = st.insertQuery(t, cols, n)
	} else {
		out.Node, err = st.insertRows(t, cols, n)
	}
	if err != nil {
		return nil, err
	}
	if out.Extra = len(extra); len(n.OnDuplicate) > 0 {
		if out.Upsert, err = st.upsert(t, cols, n, extra); err != nil {
			return nil, err
		}
	}
	st.warnUnusedHints()
	return out, nil
}

// insertColumns gives the ordinals of the columns named, all where none are.
func (s *statement) insertColumns(t *Target, names []*ast.ColumnName) ([]int, error) {
	schema := t.Table.Schema()
	if len(names) == 0 {
		out := make([]int, len(schema.Columns))
		for i := range out {
			out[i] = i
		}
		return out, nil
	}
	out := make([]int, len(names))
	seen := make(map[int]bool, len(names))
	for i, n := range names {
		o, err := s.columnOrdinal(schema, n)
		if err != nil {
			return nil, err
		}
		if seen[o] {
			return nil, sqlerr.New(sqlerr.FieldSpecifiedTwice, "Column '%s' specified twice", n.Name.O).At(s.find(n.Name.O, s.find(n.Name.O, 0)+1))
		}
		out[i], seen[o] = o, true
	}
	return out, nil
}

// columnOrdinal finds a column of the target by name (1054).
func (s *statement) columnOrdinal(schema *catalog.Schema, n *ast.ColumnName) (int, error) {
	o := schema.Ordinal(n.Name.O)
	if o >= 0 {
		return o, nil
	}
	e := sqlerr.New(sqlerr.BadField, "Unknown column '%s' in '%s'", displayName(n), fieldList).At(s.find(n.Name.O, 0))
	names := make([]string, len(schema.Columns))
	for i := range names {
		names[i] = schema.Columns[i].Name
	}
	if near := suggest.Nearest(n.Name.O, names); near != "" {
		return 0, e.WithHint("Did you mean '%s'?", near)
	}
	return 0, e
}

// tableColumns are the output columns of an INSERT's plan, without ids.
func tableColumns(schema *catalog.Schema) []logical.Column {
	out := make([]logical.Column, len(schema.Columns))
	for i, c := range schema.Columns {
		out[i] = logical.Column{Name: c.Name, T: c.Type}
	}
	return out
}

// insertRows binds VALUES lists.
func (s *statement) insertRows(t *Target, cols []int, n *ast.InsertStmt) (logical.Node, error) {
	schema := t.Table.Schema()
	b := s.newBlock(nil, nil, &scope{})
	b.at, b.target = fieldList, &assigning{schema: schema}
	defaults, err := s.defaults(schema, cols, n)
	if err != nil {
		return nil, err
	}
	rows, named := make([][]expr.Expr, len(n.Lists)), valueRow{block: b, target: t}
	values := len(cols)
	if len(n.Columns) == 0 && len(n.Lists[0]) == 0 {
		values = 0 // as many as in the first row
	}
	for r, list := range n.Lists {
		row := append([]expr.Expr(nil), defaults...)
		if len(list) != values {
			return nil, sqlerr.New(sqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row %d", r+1).
				WithHint("%d column(s), but %d value(s).", len(cols), len(list))
		}
		for i, v := range list {
			c := &schema.Columns[cols[i]]
			b.target.column = cols[i]
			if c.Generated != "" && !isDefault(v) {
				return nil, generatedValue(c, t.Name, startOf(v))
			}
			e, err := named.value(v, row)
			if err != nil {
				return nil, err
			}
			row[cols[i]] = s.stored(e, c, n.IgnoreErr, startOf(v))
		}
		rows[r] = row
	}
	return s.literalRows(rows, tableColumns(schema)), nil
}

// defaults gives the values of the columns that the statement leaves out; the others
// are nil. INSERT ... VALUES () leaves out all.
func (s *statement) defaults(schema *catalog.Schema, cols []int, n *ast.InsertStmt) ([]expr.Expr, error) {
	given := make(map[int]bool, len(cols))
	if n == nil || len(n.Columns) > 0 || len(n.Lists) > 0 && len(n.Lists[0]) > 0 {
		for _, o := range cols {
			given[o] = true
		}
	}
	out := make([]expr.Expr, len(schema.Columns))
	for i := range schema.Columns {
		if given[i] {
			continue
		}
		e, err := s.defaultValue(&schema.Columns[i], -1)
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// insertQuery binds INSERT ... SELECT. extra are the columns behind the table's.
func (s *statement) insertQuery(t *Target, cols []int, n *ast.InsertStmt) (node logical.Node, extra []logical.Column, err error) {
	schema := t.Table.Schema()
	query, names := withExtra(t, n.Select, n.OnDuplicate)
	q, err := s.query(query, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	from := q.node.Schema()
	if len(from) != len(cols)+len(names) {
		return nil, nil, sqlerr.New(sqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row 1").
			WithHint("%d column(s), but the query gives %d.", len(cols), len(from)-len(names))
	}
	values, err := s.defaults(schema, cols, nil)
	if err != nil {
		return nil, nil, err
	}
	for i, o := range cols {
		if c := &schema.Columns[o]; c.Generated != "" {
			return nil, nil, generatedValue(c, t.Name, -1)
		}
		values[o] = s.stored(from[i].Ref(), &schema.Columns[o], n.IgnoreErr, -1)
	}
	items := make([]logical.Item, len(values), len(values)+len(names))
	for i, c := range s.renewed(tableColumns(schema)) {
		items[i] = logical.Item{Col: c, Expr: values[i]}
	}
	for i, c := range from[len(cols):] {
		c.Name, c.Table = names[i].Name.O, names[i].Table.O
		extra = append(extra, c)
		items = append(items, logical.Item{Col: c, Expr: c.Ref()})
	}
	return &logical.Project{In: q.node, Items: items}, extra, nil
}
