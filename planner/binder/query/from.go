package query

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// from binds the FROM clause of a block.
type from struct {
	*Binder
	b    *block.Block    // the block, whose scope is set at the end
	sel  *ast.SelectStmt // the block's SELECT, or nil
	ctes *cte
	// left holds the tables to the left of the LATERAL tables being bound; nil if these see no
	// tables.
	left *scope.Scope
}

// from binds the FROM clause refs of block b and sets the block's scope. n is the block's SELECT, or nil for
// UPDATE and DELETE. Without a clause the plan is one row without columns.
func (q *Binder) from(b *block.Block, ctes *cte, n *ast.SelectStmt, refs *ast.TableRefsClause) (logical.Node, error) {
	if refs == nil {
		return oneRow(), nil
	}
	f := from{Binder: q, b: b, sel: n, ctes: ctes}
	node, sc, err := f.tableRef(refs.TableRefs)
	if err != nil {
		return nil, err
	}
	b.Scope = sc
	return node, nil
}

// oneRow returns the input of a SELECT without FROM.
func oneRow() logical.Node { return &logical.Values{Rows: [][]expr.Expr{{}}} }

// tableRef binds a table, derived table or join.
func (f *from) tableRef(n ast.ResultSetNode) (logical.Node, *scope.Scope, error) {
	switch n := n.(type) {
	case *ast.Join:
		if n.Right == nil {
			return f.tableRef(n.Left)
		}
		return f.join(n)
	case *ast.TableSource:
		return f.tableSource(n)
	}
	return nil, nil, sqlerr.Internal("no table reference: %T", n)
}

func (f *from) tableSource(n *ast.TableSource) (logical.Node, *scope.Scope, error) {
	if f.Shared.Tables++; f.Shared.Tables > maxTables {
		return nil, nil, sqlerr.New(sqlerr.TooManyTables, "Too many tables; gsql can only use %d tables in a join", maxTables)
	}
	switch src := n.Source.(type) {
	case *ast.TableName:
		return f.namedTable(n, src)
	case *ast.SelectStmt, *ast.SetOprStmt:
		return f.derivedTable(n, src)
	case *ast.Join:
		return f.join(src)
	}
	return nil, nil, sqlerr.Unsupported(-1, "%T in FROM", n.Source)
}

// namedTable binds a reference to a table, view or common table expression.
func (f *from) namedTable(n *ast.TableSource, t *ast.TableName) (logical.Node, *scope.Scope, error) {
	pos := f.Find(t.Name.O, fromPos(f.sel))
	switch {
	case len(t.PartitionNames) > 0:
		return nil, nil, sqlerr.Unsupported(pos, "PARTITION selection")
	case t.TableSample != nil:
		return nil, nil, sqlerr.Unsupported(f.Find("TABLESAMPLE", 0), "TABLESAMPLE")
	case t.AsOf != nil:
		return nil, nil, sqlerr.Unsupported(pos, "AS OF TIMESTAMP")
	}
	alias := n.AsName.O
	if alias == "" {
		alias = t.Name.O
	}
	if t.Schema.L == "" {
		if c := f.ctes.find(t.Name.L); c != nil {
			return f.expandCTE(c, alias, pos)
		}
	}
	obj, err := f.Res.Table(f.Ctx, t.Schema.O, t.Name.O)
	if err != nil {
		return nil, nil, sqlerr.From(err).At(pos)
	}
	if obj.View != nil {
		return f.expandView(obj.View, alias, pos)
	}
	node, sc := scope.Scan(f.Statement, obj.Table, f.DBOf(t), alias)
	return scope.LocalTimes(f.Statement, node, sc), sc, nil
}

// fromPos returns the first possible offset of a SELECT's FROM clause: after the select list. n
// may be nil.
func fromPos(n *ast.SelectStmt) int {
	if n == nil || n.Fields == nil || len(n.Fields.Fields) == 0 {
		return 0
	}
	last := n.Fields.Fields[len(n.Fields.Fields)-1]
	return last.Offset + len(last.OriginalText())
}

// derivedTable binds (SELECT ...) AS alias.
func (f *from) derivedTable(n *ast.TableSource, q ast.ResultSetNode) (logical.Node, *scope.Scope, error) {
	if n.AsName.O == "" {
		return nil, nil, sqlerr.New(sqlerr.DerivedMustHaveAlias, "Every derived table must have its own alias").At(f.Find("SELECT", fromPos(f.sel))).
			WithHint("Write a name after its closing parenthesis, as in (SELECT ...) AS t.")
	}
	outer := f.b.Outer
	if n.Lateral {
		outer = f.around()
	}
	r, err := f.nested(q, outer, f.ctes, statement.Mergeable)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, c := range n.ColumnNames {
		names = append(names, c.O)
	}
	return named(r, n.AsName.O, names, f.Find(n.AsName.O, fromPos(f.sel)))
}

// named returns a bound query as a table reference. names, if given, renames its columns.
func named(r *Rel, alias string, names []string, pos int) (logical.Node, *scope.Scope, error) {
	cols := append([]logical.Column(nil), r.Node.Schema()...)
	if names == nil {
		names = r.Names
	}
	if len(names) != len(cols) {
		return nil, nil, sqlerr.New(sqlerr.CTEColumnCount, "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts").At(pos)
	}
	seen := make(map[string]bool, len(cols))
	for i := range cols {
		cols[i].Name, cols[i].Table, cols[i].Hex = names[i], alias, cols[i].Hex && r.merges
		key := strings.ToLower(names[i])
		if seen[key] {
			return nil, nil, sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", names[i]).At(pos).
				WithHint("Give one of the columns a different alias.")
		}
		seen[key] = true
	}
	return r.Node, scope.New(&scope.Source{Key: strings.ToLower(alias), Alias: alias}, cols), nil
}
