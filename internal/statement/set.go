package statement

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/session"
	"gsql/planner"
	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/sqlerr"
	"gsql/sql/sysvar"
)

// setVariables runs SET: user variables, system variables, and names. Nothing changes unless all
// assignments can be made, and no assignment sees the effect of another.
func setVariables(r *run, n *ast.SetStmt) (*Result, error) {
	var todo []func() error
	for _, v := range n.Variables {
		assign, err := newAssignment(r, v)
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
	return &Result{}, nil
}

// newAssignment checks one assignment and returns the function that performs it.
func newAssignment(r *run, v *ast.VariableAssignment) (func() error, error) {
	name := strings.ToLower(v.Name)
	switch {
	case v.Name == ast.SetNames, v.Name == ast.SetCharset:
		return setNames(r, v)
	case !v.IsSystem:
		d, err := r.scalar(v.Value)
		return func() error { return r.s.SetUserVar(name, d) }, err
	}
	name = strings.Replace(name, "gsql.", "gsql_", 1)
	global := v.IsGlobal || v.IsInstance
	if _, ok := v.Value.(*ast.DefaultExpr); ok {
		return settingOf(r, name, defaultOf(r, name, global), global)
	}
	d, err := settingValue(r, v.Value)
	if err != nil {
		return nil, err
	}
	if !global && !v.IsInstance {
		if assign, err := setTransaction(r, name, d); assign != nil || err != nil {
			return assign, err
		}
	}
	name = strings.Replace(name, "tx_", "transaction_", 1)
	if d.Null && name != "character_set_results" { // whose NULL means the text as it is
		return nil, sqlerr.New(sqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of 'NULL'", name)
	}
	if d.Null {
		return settingOf(r, name, "", global)
	}
	return settingOf(r, name, d.Text(), global)
}

// longestSetting is the maximum length in bytes of a system variable's value.
const longestSetting = 64 << 10

// settingOf checks the value of a system variable and returns the function that sets it.
func settingOf(r *run, name, value string, global bool) (func() error, error) {
	v, err := sysvar.Find(name)
	if err == nil {
		err = v.InScope(global)
	}
	if err != nil {
		return nil, err
	}
	if len(value) > longestSetting {
		return nil, sqlerr.New(sqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of '%s'", name, value).
			WithHint("A value has at most %d bytes.", longestSetting)
	}
	if _, clamped := v.Nearest(value); clamped {
		r.s.Warn(uint16(sqlerr.TruncatedWrongValue), fmt.Sprintf("Truncated incorrect %s value: '%s'", name, value))
	}
	if value, err = v.Check(value); err != nil {
		return nil, err
	}
	if err := r.s.DB.CheckFileSetting(v, value); err != nil {
		return nil, err
	}
	if name == "gsql_device" {
		if err := r.s.DB.Devices.Check(value); err != nil {
			return nil, err
		}
	}
	if name == "gsql_disable_rules" {
		if err := checkRules(value); err != nil {
			return nil, err
		}
	}
	return func() error { return setVariable(r, v, value, global) }, nil
}

// setNames accepts SET NAMES and SET CHARACTER SET for UTF-8, the encoding of all text.
func setNames(r *run, v *ast.VariableAssignment) (func() error, error) {
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
	return settingOf(r, "collation_connection", v.ExtendValue.GetString(), false)
}

// settingValue evaluates the right side of SET var =. A bare word (SET x = auto) is a text, in the
// way that MySQL reads ON, OFF and mode names.
func settingValue(r *run, e ast.ExprNode) (catalog.Datum, error) {
	if c, ok := e.(*ast.ColumnNameExpr); ok && c.Name.Table.O == "" {
		return catalog.Str(c.Name.Name.O), nil
	}
	return r.scalar(e)
}

// evaluate runs DO: it evaluates expressions for their effects and returns no rows.
func evaluate(r *run, n *ast.DoStmt) (*Result, error) {
	for _, e := range n.Exprs {
		if _, err := r.scalar(e); err != nil {
			return nil, err
		}
	}
	return &Result{}, nil
}

// flush runs FLUSH. FLUSH LOGS makes a checkpoint of a database in a folder, and FLUSH TABLES reads one
// that was opened for reading again. The other things that can be flushed are caches that gsql does
// not have.
func flush(r *run, n *ast.FlushStmt) (*Result, error) {
	switch {
	case n.ReadLock:
		return nil, sqlerr.Unsupported(0, "FLUSH TABLES WITH READ LOCK").WithHint("A transaction reads one snapshot.")
	case n.Tp == ast.FlushLogs:
		return &Result{}, r.s.DB.Store.Checkpoint(r.ctx)
	case n.Tp == ast.FlushTables:
		return &Result{}, r.s.DB.Store.Refresh()
	case n.Tp == ast.FlushPrivileges, n.Tp == ast.FlushHosts:
		return &Result{}, nil
	}
	return nil, sqlerr.Unsupported(0, "%s", firstWords(r.stmt.Text))
}

// useDatabase runs USE.
func useDatabase(r *run, n *ast.UseStmt) (*Result, error) {
	tx, done := r.s.View()
	defer done()
	if infoschema.Is(n.DBName) {
		r.s.Database = strings.ToLower(n.DBName)
		return &Result{}, nil
	}
	name, err := tx.Database(n.DBName)
	if err != nil {
		return nil, r.locate(err, n.DBName)
	}
	r.s.Database = name
	return &Result{}, nil
}

// checkRules refuses names in gsql_disable_rules that are not rules.
func checkRules(list string) error {
	known := planner.RuleNames()
	for _, name := range slices.Sorted(maps.Keys(session.RuleSet(list))) {
		if !slices.Contains(known, name) {
			return sqlerr.New(sqlerr.WrongValueForVar, "Variable 'gsql_disable_rules' can't be set to the value of '%s'", list).
				WithHint("Rules are %s.", strings.Join(known, ", "))
		}
	}
	return nil
}

// defaultOf returns the value of SET name = DEFAULT: in a session the global value.
func defaultOf(r *run, name string, global bool) string {
	v, err := sysvar.Find(name)
	switch {
	case err != nil:
		return "" // the name is checked next
	case global:
		return v.Default
	}
	return r.s.DB.Global(v)
}

// setVariable sets a system variable to a checked value.
func setVariable(r *run, v *sysvar.Var, value string, global bool) error {
	if v.Name == "gsql_gpu_memory_limit" { // devices are the process's
		if err := r.s.DB.SetDeviceLimit(r.ctx, value); err != nil {
			return err
		}
		r.c.plans.ExpireAll() // they were made for the old limit
	}
	if v.Name == "gsql_device" {
		if err := r.s.DB.Devices.Restore(r.ctx); err != nil {
			return err
		}
	}
	if v.Name == "gsql_sync" {
		r.s.DB.SetSync(value)
	}
	switch {
	case v.Stays != "":
		if value != v.Default {
			r.s.Warn(uint16(sqlerr.NotSupportedYet), "'"+v.Name+"' stays "+v.Shown(v.Default)+": "+v.Stays)
		}
		return nil
	case global:
		r.s.DB.SetGlobal(v.Name, value)
		return nil
	}
	r.s.SetVar(v.Name, value)
	if v.Name == "autocommit" && value == "1" && r.s.Tx != nil {
		return r.s.Commit(r.ctx, &r.c.writing)
	}
	return nil
}
