package gsql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
	"gsql/sql/vec"
)

// set runs SET: user variables, system variables of this session, and names.
func (r *stmtRun) set(n *ast.SetStmt) (*Rows, error) {
	for _, v := range n.Variables {
		if err := r.setOne(v); err != nil {
			return nil, r.locate(err, v.Name)
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

func (r *stmtRun) setOne(v *ast.VariableAssignment) error {
	name := strings.ToLower(v.Name)
	switch {
	case v.Name == ast.SetNames, v.Name == ast.SetCharset:
		return checkCharset(v.Value)
	case v.IsGlobal || v.IsInstance:
		return sqlerr.Unsupported(0, "SET GLOBAL").WithHint("Variables belong to the session; the data source name sets them for every session.")
	case !v.IsSystem:
		d, err := r.scalar(v.Value)
		if err != nil {
			return err
		}
		r.s.userVars[name] = d
		return nil
	}
	name = strings.Replace(name, "gsql.", "gsql_", 1)
	if _, ok := v.Value.(*ast.DefaultExpr); ok {
		r.s.unsetVar(name)
		if name == "gsql_gpu_memory_limit" {
			value, _ := r.s.Var(name)
			return r.s.db.setDeviceLimit(r.ctx, value)
		}
		return nil
	}
	d, err := r.settingValue(v.Value)
	if err != nil {
		return err
	}
	if d.Null {
		return sqlerr.New(sqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of 'NULL'", name)
	}
	if done, err := r.setTransaction(name, d); done {
		return err
	}
	return r.setSession(strings.Replace(name, "tx_", "transaction_", 1), d)
}

// setSession sets a system variable of the session.
func (r *stmtRun) setSession(name string, d catalog.Datum) error {
	value, err := checkVariable(name, d.Text())
	if err != nil {
		return err
	}
	if name == "gsql_disable_rules" {
		err = checkRules(value)
	}
	if name == "gsql_gpu_memory_limit" {
		err = r.s.db.setDeviceLimit(r.ctx, value)
	}
	if err != nil {
		return err
	}
	r.s.setVar(name, value)
	if name == "autocommit" && value == "1" && r.s.tx != nil {
		_, err = r.commit()
	}
	return err
}

// checkCharset accepts SET NAMES and SET CHARACTER SET for UTF-8, which text always is.
func checkCharset(e ast.ExprNode) error {
	v, ok := e.(ast.ValueExpr)
	if !ok { // DEFAULT
		return nil
	}
	if name := strings.ToLower(v.GetString()); !strings.HasPrefix(name, "utf8") && name != "binary" {
		return sqlerr.Unsupported(0, "character set %s", name).WithHint("Text is always utf8mb4.")
	}
	return nil
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
	stmts, err := parse.Parse(p.text, p.mode)
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
