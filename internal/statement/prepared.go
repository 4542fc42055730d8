package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/plancache"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// prepare stores the text of PREPARE name FROM 'text' or FROM @var.
func prepare(r *run, n *ast.PrepareStmt) (*Result, error) {
	text := n.SQLText
	if n.SQLVar != nil {
		d, _ := r.s.UserVar(n.SQLVar.Name)
		text = d.Text()
	}
	if err := r.c.holdText(text); err != nil {
		return nil, err
	}
	stmts, err := parse.Parse(text, r.s.Mode)
	if err != nil {
		return nil, err
	}
	if len(stmts) != 1 {
		return nil, sqlerr.New(sqlerr.ParseError, "PREPARE takes one statement, not %d", len(stmts))
	}
	switch stmts[0].Node.(type) {
	case *ast.PrepareStmt, *ast.ExecuteStmt, *ast.DeallocateStmt: // could run itself endlessly
		return nil, sqlerr.New(sqlerr.UnsupportedPS, "This command is not supported in the prepared statement protocol yet")
	}
	return &Result{}, r.c.keepPrepared(strings.ToLower(n.Name), plancache.TextKey{Text: text, Mode: r.s.Mode})
}

// keepPrepared stores the text of a prepared statement, or drops it if the text is empty. Its bytes
// are charged to the session.
func (c *Connection) keepPrepared(name string, key plancache.TextKey) error {
	before := c.prepared[name]
	if err := c.s.Memory().ReserveFor("PREPARE", int64(len(key.Text)-len(before.Text))); err != nil {
		return err
	}
	if key.Text == "" {
		delete(c.prepared, name)
	} else {
		c.prepared[name] = key
	}
	return nil
}

// executePrepared runs EXECUTE name [USING @a, ...].
func executePrepared(r *run, n *ast.ExecuteStmt) (*Result, error) {
	key, ok := r.c.prepared[strings.ToLower(n.Name)]
	if !ok {
		return nil, unknownHandler(n.Name, "EXECUTE")
	}
	params := make([]catalog.Datum, len(n.UsingVars))
	for i, e := range n.UsingVars {
		if v, ok := e.(*ast.VariableExpr); ok && !v.IsSystem {
			if d, set := r.s.UserVar(v.Name); set {
				params[i] = d
				continue
			}
		}
		d, err := r.scalar(e)
		if err != nil {
			return nil, err
		}
		params[i] = d
	}
	if err := r.c.holdText(key.Text); err != nil {
		return nil, err
	}
	stmts, err := r.c.parse(key)
	if err != nil {
		return nil, err
	}
	if stmts[0].Params != len(params) {
		return nil, wrongParams(len(params), stmts[0].Params)
	}
	return execute(&run{c: r.c, s: r.s, ctx: r.ctx, stmt: stmts[0], params: params})
}

// deallocate runs DEALLOCATE PREPARE name.
func deallocate(r *run, n *ast.DeallocateStmt) (*Result, error) {
	key := strings.ToLower(n.Name)
	if _, ok := r.c.prepared[key]; !ok {
		return nil, unknownHandler(n.Name, "DEALLOCATE PREPARE")
	}
	return &Result{}, r.c.keepPrepared(key, plancache.TextKey{})
}

// unknownHandler returns error 1243 for the name of a prepared statement.
func unknownHandler(name, statement string) error {
	return sqlerr.New(sqlerr.UnknownStmtHandler, "Unknown prepared statement handler (%s) given to %s", name, statement)
}
