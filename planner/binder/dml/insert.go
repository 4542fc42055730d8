package dml

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/suggest"
	"gsql/planner/binder/block"
	"gsql/planner/binder/query"
	"gsql/planner/binder/scalar"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// Insert is a bound INSERT or REPLACE. Node has one column for each column of the table, in the table's order
// and types. Columns that the statement leaves out hold their defaults, AUTO_INCREMENT columns NULL. Storage
// checks NOT NULL and unique keys.
type Insert struct {
	scope.Target
	Node    logical.Node
	Replace bool    // REPLACE: existing rows with the same key are deleted
	Ignore  bool    // INSERT IGNORE: rows that fail are skipped
	Upsert  *Upsert // ON DUPLICATE KEY UPDATE, or nil
	Extra   int     // columns of Node after the table's, for Upsert
}

// inserting binds one INSERT or REPLACE.
type inserting struct {
	*query.Binder
	n      *ast.InsertStmt
	target *scope.Target
	cols   []int // ordinals of the columns that the statement sets
}

// BindInsert binds INSERT and REPLACE with VALUES, SET or a query.
func BindInsert(q *query.Binder, n *ast.InsertStmt) (*Insert, error) {
	verb := "INSERT"
	if n.IsReplace {
		verb = "REPLACE"
	}
	t, err := findTarget(q.Statement, n.Table, verb)
	if err != nil {
		return nil, err
	}
	if len(n.PartitionNames) > 0 {
		return nil, sqlerr.Unsupported(q.Find("PARTITION", 0), "PARTITION selection")
	}
	in := &inserting{Binder: q, n: n, target: t}
	if in.cols, err = in.columns(n.Columns); err != nil {
		return nil, err
	}
	out := &Insert{Target: *t, Replace: n.IsReplace, Ignore: n.IgnoreErr}
	var extra []logical.Column
	if n.Select != nil {
		out.Node, extra, err = in.query()
	} else {
		out.Node, err = in.rows()
	}
	if err != nil {
		return nil, err
	}
	if out.Extra = len(extra); len(n.OnDuplicate) > 0 {
		if out.Upsert, err = in.upsert(extra); err != nil {
			return nil, err
		}
	}
	q.WarnUnusedHints()
	return out, nil
}

// columns returns the ordinals of the named columns, or of all columns if there are no names.
func (in *inserting) columns(names []*ast.ColumnName) ([]int, error) {
	schema := in.target.Table.Schema()
	if len(names) == 0 {
		out := make([]int, len(schema.Visible()))
		for i := range out {
			out[i] = i
		}
		return out, nil
	}
	out := make([]int, len(names))
	seen := make(map[int]bool, len(names))
	for i, n := range names {
		o, err := columnOrdinal(in.Statement, schema, n)
		if err != nil {
			return nil, err
		}
		if seen[o] {
			return nil, sqlerr.New(sqlerr.FieldSpecifiedTwice, "Column '%s' specified twice", n.Name.O).At(in.Find(n.Name.O, in.Find(n.Name.O, 0)+1))
		}
		out[i], seen[o] = o, true
	}
	return out, nil
}

// columnOrdinal returns the ordinal of a column of the target. Error 1054: there is no such column.
func columnOrdinal(s *statement.Statement, schema *catalog.Schema, n *ast.ColumnName) (int, error) {
	o := schema.Ordinal(n.Name.O)
	if o >= 0 {
		return o, nil
	}
	e := sqlerr.New(sqlerr.BadField, "Unknown column '%s' in '%s'", scope.DisplayName(n), scope.FieldList).At(s.Find(n.Name.O, 0))
	names := make([]string, len(schema.Columns))
	for i := range names {
		names[i] = schema.Columns[i].Name
	}
	if near := suggest.Nearest(n.Name.O, names); near != "" {
		return 0, e.WithHint("Did you mean '%s'?", near)
	}
	return 0, e
}

// tableColumns returns the output columns of an INSERT's plan, without ids.
func tableColumns(schema *catalog.Schema) []logical.Column {
	out := make([]logical.Column, len(schema.Columns))
	for i, c := range schema.Columns {
		out[i] = logical.Column{Name: c.Name, T: c.Type}
	}
	return out
}

// rows binds VALUES lists.
func (in *inserting) rows() (logical.Node, error) {
	n, cols, t := in.n, in.cols, in.target
	schema := t.Table.Schema()
	b := in.Block(&scope.Scope{})
	b.At = scope.FieldList
	defaults, err := in.defaults()
	if err != nil {
		return nil, err
	}
	rows, named := make([][]expr.Expr, len(n.Lists)), valueRow{Block: b, table: t}
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
			b.Assigning(schema, cols[i])
			if c.Generated != "" && !isDefault(v) {
				return nil, generatedValue(c, t.Name, statement.StartOf(v))
			}
			e, err := named.value(v, row)
			if err != nil {
				return nil, err
			}
			row[cols[i]] = scalar.Stored(in.Statement, e, c, n.IgnoreErr, statement.StartOf(v))
		}
		rows[r] = row
	}
	return in.LiteralRows(rows, tableColumns(schema)), nil
}

// defaults returns the values of the columns that the statement omits; other elements are nil.
// INSERT ... VALUES () omits all.
func (in *inserting) defaults() ([]expr.Expr, error) {
	n, cols, schema := in.n, in.cols, in.target.Table.Schema()
	given := make(map[int]bool, len(cols))
	if n.Select != nil || len(n.Columns) > 0 || len(n.Lists) > 0 && len(n.Lists[0]) > 0 {
		for _, o := range cols {
			given[o] = true
		}
	}
	out := make([]expr.Expr, len(schema.Columns))
	for i := range schema.Columns {
		if given[i] {
			continue
		}
		if c := &schema.Columns[i]; c.Hidden { // of a file, which nothing can be inserted into
			out[i] = &expr.Const{Value: catalog.NullOf(c.Type)}
			continue
		}
		e, err := block.DefaultValue(in.Statement, &schema.Columns[i], -1)
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// query binds INSERT ... SELECT. extra are the columns after the table's.
func (in *inserting) query() (node logical.Node, extra []logical.Column, err error) {
	n, cols, t := in.n, in.cols, in.target
	schema := t.Table.Schema()
	source, names := withExtra(t, n.Select, n.OnDuplicate)
	q, err := in.Binder.Query(source, statement.OneValue)
	if err != nil {
		return nil, nil, err
	}
	from := q.Node.Schema()
	if len(from) != len(cols)+len(names) {
		return nil, nil, sqlerr.New(sqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row 1").
			WithHint("%d column(s), but the query returns %d.", len(cols), len(from)-len(names))
	}
	values, err := in.defaults()
	if err != nil {
		return nil, nil, err
	}
	buffered := reads(q.Node, t.Table)
	for i, o := range cols {
		if c := &schema.Columns[o]; c.Generated != "" {
			return nil, nil, generatedValue(c, t.Name, -1)
		}
		ref := from[i].Ref()
		ref.Hex = from[i].Hex && q.Single
		value := expr.Expr(ref)
		if buffered && !isConstant(itemOf(q.Node, from[i].ID)) {
			value = expr.Shown(value)
		}
		values[o] = scalar.Stored(in.Statement, value, &schema.Columns[o], n.IgnoreErr, -1)
	}
	items := make([]logical.Item, len(values), len(values)+len(names))
	for i, c := range scope.Renewed(in.Statement, tableColumns(schema)) {
		items[i] = logical.Item{Col: c, Expr: values[i]}
	}
	for i, c := range from[len(cols):] {
		c.Name, c.Table = names[i].Name.O, names[i].Table.O
		extra = append(extra, c)
		items = append(items, logical.Item{Col: c, Expr: c.Ref()})
	}
	return &logical.Project{In: q.Node, Items: items}, extra, nil
}
