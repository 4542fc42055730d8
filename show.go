package gsql

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// show runs SHOW in MySQL's result shapes.
func (r *stmtRun) show(n *ast.ShowStmt) (*Rows, error) {
	if n.Where != nil {
		return nil, sqlerr.Unsupported(0, "SHOW ... WHERE").WithHint("Use SHOW ... LIKE 'pattern'.")
	}
	tx, done := r.view()
	defer done()
	switch n.Tp {
	case ast.ShowTables:
		return r.showTables(tx, n)
	case ast.ShowColumns:
		return r.showColumns(tx, n)
	case ast.ShowCreateTable, ast.ShowCreateView:
		return r.showCreate(tx, n)
	case ast.ShowIndex:
		return r.showIndex(tx, n)
	case ast.ShowDatabases:
		names, err := r.like(n, tx.Databases())
		return textResult(textColumns("Database"), column(names)), err
	case ast.ShowVariables:
		return r.showVariables(n)
	case ast.ShowWarnings, ast.ShowErrors:
		return r.showWarnings(n)
	}
	return nil, sqlerr.Unsupported(0, "%s", firstWords(r.stmt.Text)).
		WithHint("SHOW knows TABLES, COLUMNS, CREATE TABLE, CREATE VIEW, INDEX, DATABASES, VARIABLES and WARNINGS.")
}

// textResult makes a result of text rows.
func textResult(cols []Column, rows [][]*string) *Rows {
	return &Rows{Columns: cols, src: textRows(rows, len(cols))}
}

func text(values ...string) []*string {
	out := make([]*string, len(values))
	for i := range values {
		out[i] = &values[i]
	}
	return out
}

func column(values []string) [][]*string {
	rows := make([][]*string, len(values))
	for i := range values {
		rows[i] = []*string{&values[i]}
	}
	return rows
}

// like keeps the names that the statement's LIKE pattern matches.
func (r *stmtRun) like(n *ast.ShowStmt, names []string) ([]string, error) {
	if n.Pattern == nil {
		return names, nil
	}
	pattern, err := r.scalar(n.Pattern.Pattern)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range names {
		args := []expr.Expr{
			&expr.Const{Value: catalog.Str(strings.ToLower(name))},
			&expr.Const{Value: catalog.Str(strings.ToLower(pattern.Text()))},
		}
		call, err := expr.NewCall("like", args, -1)
		if err != nil {
			return nil, err
		}
		d, err := eval.Const(call, eval.Ctx{Env: r.s})
		if err != nil {
			return nil, err
		}
		if !d.Null && d.I64 != 0 {
			out = append(out, name)
		}
	}
	return out, nil
}

func (r *stmtRun) showTables(tx *storage.Tx, n *ast.ShowStmt) (*Rows, error) {
	db := n.DBName
	if db == "" {
		db = r.s.database
	}
	tables, views, err := tx.Tables(db)
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{}
	for _, t := range tables {
		kinds[t] = "BASE TABLE"
	}
	for _, v := range views {
		kinds[v] = "VIEW"
	}
	names, err := r.like(n, sortedKeys(kinds))
	if err != nil {
		return nil, err
	}
	if !n.Full {
		return textResult(textColumns("Tables_in_"+db), column(names)), nil
	}
	rows := make([][]*string, len(names))
	for i, name := range names {
		rows[i] = text(name, kinds[name])
	}
	return textResult(textColumns("Tables_in_"+db, "Table_type"), rows), nil
}

// columnsOf gives the columns of a table, file or view.
func (r *stmtRun) columnsOf(tx *storage.Tx, t *ast.TableName) (*catalog.Schema, error) {
	obj, err := r.s.resolver(tx, nil).Table(r.ctx, t.Schema.O, t.Name.O)
	if err != nil {
		return nil, err
	}
	if obj.Table != nil {
		return obj.Table.Schema(), nil
	}
	return r.viewSchema(tx, obj.View)
}

func (r *stmtRun) showColumns(tx *storage.Tx, n *ast.ShowStmt) (*Rows, error) {
	schema, err := r.columnsOf(tx, n.Table)
	if err != nil {
		return nil, err
	}
	var rows [][]*string
	names := make([]string, len(schema.Columns))
	for i, c := range schema.Columns {
		names[i] = c.Name
	}
	if n.Column != nil {
		names = []string{n.Column.Name.O}
	}
	if names, err = r.like(n, names); err != nil {
		return nil, err
	}
	for _, name := range names {
		if i := schema.Ordinal(name); i >= 0 {
			rows = append(rows, describeColumn(schema, i))
		}
	}
	return textResult(textColumns("Field", "Type", "Null", "Key", "Default", "Extra"), rows), nil
}

func describeColumn(schema *catalog.Schema, i int) []*string {
	c := schema.Columns[i]
	null, extra := "YES", ""
	if c.NotNull {
		null = "NO"
	}
	if c.AutoInc {
		extra = "auto_increment"
	}
	row := text(c.Name, c.Type.String(), null, keyOf(schema, i), "", extra)
	row[4] = c.Default
	return row
}

// keyOf gives PRI, UNI, MUL or "" as SHOW COLUMNS does.
func keyOf(schema *catalog.Schema, col int) string {
	key := ""
	for _, ix := range schema.Indexes {
		for pos, c := range ix.Columns {
			switch {
			case c != col:
			case ix.Primary:
				return "PRI"
			case pos == 0 && ix.Unique && len(ix.Columns) == 1:
				key = "UNI"
			case pos == 0 && key == "":
				key = "MUL"
			}
		}
	}
	return key
}

func (r *stmtRun) showCreate(tx *storage.Tx, n *ast.ShowStmt) (*Rows, error) {
	obj, err := r.s.resolver(tx, nil).Table(r.ctx, n.Table.Schema.O, n.Table.Name.O)
	if err != nil {
		return nil, err
	}
	if v := obj.View; v != nil {
		def := "CREATE VIEW " + quote(v.Name)
		if v.Columns != nil {
			def += " (" + quoteAll(v.Columns) + ")"
		}
		return textResult(textColumns("View", "Create View", "character_set_client", "collation_connection"),
			[][]*string{text(v.Name, def+" AS "+v.SQL, "utf8mb4", "utf8mb4_bin")}), nil
	}
	if n.Tp == ast.ShowCreateView {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not VIEW", r.s.database, n.Table.Name.O)
	}
	name := obj.Table.Name()
	return textResult(textColumns("Table", "Create Table"), [][]*string{text(name, createTable(name, obj.Table.Schema()))}), nil
}

// createTable writes the CREATE TABLE statement that would make the table.
func createTable(name string, schema *catalog.Schema) string {
	var lines []string
	for _, c := range schema.Columns {
		line := "  " + quote(c.Name) + " " + c.Type.String()
		if c.NotNull {
			line += " NOT NULL"
		}
		switch {
		case c.Default != nil:
			line += " DEFAULT '" + strings.ReplaceAll(*c.Default, "'", "''") + "'"
		case !c.NotNull:
			line += " DEFAULT NULL"
		}
		if c.AutoInc {
			line += " AUTO_INCREMENT"
		}
		lines = append(lines, line)
	}
	for _, ix := range schema.Indexes {
		cols := make([]string, len(ix.Columns))
		for i, c := range ix.Columns {
			cols[i] = schema.Columns[c].Name
		}
		kind := "KEY " + quote(ix.Name)
		switch {
		case ix.Primary:
			kind = "PRIMARY KEY"
		case ix.Unique:
			kind = "UNIQUE " + kind
		}
		lines = append(lines, fmt.Sprintf("  %s (%s)", kind, quoteAll(cols)))
	}
	return "CREATE TABLE " + quote(name) + " (\n" + strings.Join(lines, ",\n") + "\n)"
}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func quoteAll(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quote(n)
	}
	return strings.Join(out, ", ")
}

func (r *stmtRun) showIndex(tx *storage.Tx, n *ast.ShowStmt) (*Rows, error) {
	schema, err := r.columnsOf(tx, n.Table)
	if err != nil {
		return nil, err
	}
	var rows [][]*string
	for _, ix := range schema.Indexes {
		nonUnique := "1"
		if ix.Unique {
			nonUnique = "0"
		}
		for pos, c := range ix.Columns {
			null := "YES"
			if schema.Columns[c].NotNull {
				null = ""
			}
			rows = append(rows, text(n.Table.Name.O, nonUnique, ix.Name, strconv.Itoa(pos+1), schema.Columns[c].Name, null))
		}
	}
	return textResult(textColumns("Table", "Non_unique", "Key_name", "Seq_in_index", "Column_name", "Null"), rows), nil
}

func (r *stmtRun) showVariables(n *ast.ShowStmt) (*Rows, error) {
	names, err := r.like(n, sortedKeys(variables))
	if err != nil {
		return nil, err
	}
	rows := make([][]*string, len(names))
	for i, name := range names {
		value, _ := r.s.Var(name)
		rows[i] = text(name, value)
	}
	return textResult(textColumns("Variable_name", "Value"), rows), nil
}

func (r *stmtRun) showWarnings(n *ast.ShowStmt) (*Rows, error) {
	var rows [][]*string
	for _, w := range r.s.Warnings() {
		if n.Tp == ast.ShowErrors && w.Level != "Error" {
			continue
		}
		rows = append(rows, text(w.Level, strconv.Itoa(int(w.Code)), w.Msg))
	}
	if n.CountWarningsOrErrors {
		return textResult(textColumns("@@session.warning_count"), column([]string{strconv.Itoa(len(rows))})), nil
	}
	return textResult(textColumns("Level", "Code", "Message"), rows), nil
}
