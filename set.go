package gsql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
	"gsql/sql/sysvar"
	"gsql/sql/vec"
)

// set runs SET: user variables, system variables, and names. Nothing changes unless all
// assignments can be made, and none sees what another one sets.
func (r *stmtRun) set(n *ast.SetStmt) (*Rows, error) {
	var todo []func() error
	for _, v := range n.Variables {
		assign, err := r.assignment(v)
		if err != nil {
			return nil, r.locate(err, v.Name)
		}
		todo = append(todo, assign)
	}
	for _, assign := range todo {
		if err := assign(); err != nil {
			return nil, err
		}
	}
	return &Rows{}, nil
}

// locate points an error that has no position at the first place of word in the
// statement.
func (r *stmtRun) locate(err error, word string) error {
	e := sqlerr.From(err)
	i := strings.Index(strings.ToLower(r.stmt.Text), strings.ToLower(word))
	if e.Pos >= 0 || i < 0 {
		return e
	}
	at := *e
	at.Pos = i
	return &at
}

// assignment checks one assignment and gives what makes it.
func (r *stmtRun) assignment(v *ast.VariableAssignment) (func() error, error) {
	name := strings.ToLower(v.Name)
	switch {
	case v.Name == ast.SetNames, v.Name == ast.SetCharset:
		return r.setNames(v)
	case !v.IsSystem:
		d, err := r.scalar(v.Value)
		return func() error { r.s.userVars[name] = d; return nil }, err
	}
	name = strings.Replace(name, "gsql.", "gsql_", 1)
	global := v.IsGlobal || v.IsInstance
	if _, ok := v.Value.(*ast.DefaultExpr); ok {
		return r.settingOf(name, r.defaultOf(name, global), global)
	}
	d, err := r.settingValue(v.Value)
	if err != nil {
		return nil, err
	}
	if !global {
		if done, err := r.setTransaction(name, d); done || err != nil {
			return func() error { return nil }, err
		}
	}
	name = strings.Replace(name, "tx_", "transaction_", 1)
	if d.Null && name != "character_set_results" { // whose NULL means the text as it is
		return nil, sqlerr.New(sqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of 'NULL'", name)
	}
	if d.Null {
		return r.settingOf(name, "", global)
	}
	return r.settingOf(name, d.Text(), global)
}

// settingOf checks the value of a system variable and gives what sets it.
func (r *stmtRun) settingOf(name, value string, global bool) (func() error, error) {
	v, err := sysvar.Find(name)
	if err == nil {
		err = v.InScope(global)
	}
	if err != nil {
		return nil, err
	}
	if value, err = v.Check(value); err != nil {
		return nil, err
	}
	if name == "gsql_disable_rules" {
		if err := checkRules(value); err != nil {
			return nil, err
		}
	}
	return func() error { return r.setVariable(v, value, global) }, nil
}

// setNames accepts SET NAMES and SET CHARACTER SET for UTF-8, which text always is.
func (r *stmtRun) setNames(v *ast.VariableAssignment) (func() error, error) {
	nothing := func() error { return nil }
	charset, ok := v.Value.(ast.ValueExpr)
	if !ok { // DEFAULT
		return nothing, nil
	}
	if name := strings.ToLower(charset.GetString()); !strings.HasPrefix(name, "utf8") && name != "binary" {
		return nil, sqlerr.Unsupported(0, "character set %s", name).WithHint("Text is always utf8mb4.")
	}
	if v.ExtendValue == nil {
		return nothing, nil
	}
	return r.settingOf("collation_connection", v.ExtendValue.GetString(), false)
}

// settingValue evaluates the right side of SET var =; a bare word (SET x = auto)
// stands for itself, as MySQL reads ON, OFF and mode names.
func (r *stmtRun) settingValue(e ast.ExprNode) (catalog.Datum, error) {
	if c, ok := e.(*ast.ColumnNameExpr); ok && c.Name.Table.O == "" {
		return catalog.Str(c.Name.Name.O), nil
	}
	return r.scalar(e)
}

// scalar evaluates an expression without columns; subqueries may be in it.
func (r *stmtRun) scalar(e ast.ExprNode) (catalog.Datum, error) {
	tx, done := r.view()
	defer done()
	bound, err := r.binder(tx).Query(r.ctx, &r.stmt, &ast.SelectStmt{
		SelectStmtOpts: &ast.SelectStmtOpts{SQLCache: true},
		Fields:         &ast.FieldList{Fields: []*ast.SelectField{{Expr: e}}},
	})
	if err != nil {
		return catalog.Datum{}, err
	}
	plan, err := r.optimize(bound.Node)
	if err != nil {
		return catalog.Datum{}, err
	}
	var d catalog.Datum
	err = r.each(plan, func(b *vec.Batch) error {
		d = catalog.DatumAt(b.Cols[0], 0)
		return nil
	})
	return d, err
}

// do runs DO: it evaluates expressions for what they do, and gives no rows.
func (r *stmtRun) do(n *ast.DoStmt) (*Rows, error) {
	for _, e := range n.Exprs {
		if _, err := r.scalar(e); err != nil {
			return nil, err
		}
	}
	return &Rows{}, nil
}

// flush runs FLUSH of what gsql keeps no caches or logs of.
func (r *stmtRun) flush(n *ast.FlushStmt) (*Rows, error) {
	switch {
	case n.ReadLock:
		return nil, sqlerr.Unsupported(0, "FLUSH TABLES WITH READ LOCK").WithHint("A transaction reads one snapshot.")
	case n.Tp == ast.FlushTables, n.Tp == ast.FlushPrivileges, n.Tp == ast.FlushLogs, n.Tp == ast.FlushHosts:
		return &Rows{}, nil
	}
	return nil, sqlerr.Unsupported(0, "%s", firstWords(r.stmt.Text))
}

func (r *stmtRun) use(n *ast.UseStmt) (*Rows, error) {
	tx, done := r.view()
	defer done()
	if infoschema.Is(n.DBName) {
		r.s.database = strings.ToLower(n.DBName)
		return &Rows{}, nil
	}
	name, err := tx.Database(n.DBName)
	if err != nil {
		return nil, r.locate(err, n.DBName)
	}
	r.s.database = name
	return &Rows{}, nil
}

// prepared is a statement's text and the sql_mode by which it is read.
type prepared struct {
	text string
	mode sqlmode.Mode
}

// prepare keeps the text of PREPARE name FROM 'text' or FROM @var.
func (r *stmtRun) prepare(n *ast.PrepareStmt) (*Rows, error) {
	text := n.SQLText
	if n.SQLVar != nil {
		d, _ := r.s.UserVar(n.SQLVar.Name)
		text = d.Text()
	}
	stmts, err := parse.Parse(text, r.s.mode)
	if err != nil {
		return nil, err
	}
	if len(stmts) != 1 {
		return nil, sqlerr.New(sqlerr.ParseError, "PREPARE takes one statement, not %d", len(stmts))
	}
	switch stmts[0].Node.(type) {
	case *ast.PrepareStmt, *ast.ExecuteStmt, *ast.DeallocateStmt: // could run itself without end
		return nil, sqlerr.New(sqlerr.UnsupportedPS, "This command is not supported in the prepared statement protocol yet")
	}
	r.s.prepared[strings.ToLower(n.Name)] = prepared{text, r.s.mode}
	return &Rows{}, nil
}

func (r *stmtRun) executePrepared(n *ast.ExecuteStmt) (*Rows, error) {
	p, ok := r.s.prepared[strings.ToLower(n.Name)]
	if !ok {
		return nil, unknownHandler(n.Name, "EXECUTE")
	}
	params := make([]catalog.Datum, len(n.UsingVars))
	for i, e := range n.UsingVars {
		d, err := r.scalar(e)
		if err != nil {
			return nil, err
		}
		params[i] = d
	}
	stmts, err := r.s.statements(p.text, p.mode)
	if err != nil {
		return nil, err
	}
	if stmts[0].Params != len(params) {
		return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to EXECUTE: %d given, %d needed", len(params), stmts[0].Params)
	}
	inner := &stmtRun{s: r.s, ctx: r.ctx, stmt: stmts[0], params: params}
	return inner.execute()
}

func (r *stmtRun) deallocate(n *ast.DeallocateStmt) (*Rows, error) {
	key := strings.ToLower(n.Name)
	if _, ok := r.s.prepared[key]; !ok {
		return nil, unknownHandler(n.Name, "DEALLOCATE PREPARE")
	}
	delete(r.s.prepared, key)
	return &Rows{}, nil
}

func unknownHandler(name, statement string) error {
	return sqlerr.New(sqlerr.UnknownStmtHandler, "Unknown prepared statement handler (%s) given to %s", name, statement)
}
