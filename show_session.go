package gsql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

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

// showWarnings lists or counts the warnings, or the errors alone, of the statement
// before.
func (r *stmtRun) showWarnings(n *ast.ShowStmt) (*Rows, error) {
	if n.Where != nil || n.Pattern != nil {
		return nil, sqlerr.Unsupported(0, "SHOW WARNINGS with LIKE or WHERE").WithHint("SHOW WARNINGS takes LIMIT.")
	}
	count, total := "@@session.warning_count", r.s.counted
	if n.Tp == ast.ShowErrors {
		count, total = "@@session.error_count", r.s.countedErrors
	}
	if n.CountWarningsOrErrors {
		v := vec.NewFlat(types.T(types.Int64), 1)
		v.I64[0] = total
		return vectorResult([]string{count}, v), nil
	}
	list := r.s.Warnings()
	level := vec.NewFlat(types.Type{ID: types.String, Len: 7}, 0)
	code := vec.NewFlat(types.T(types.Uint32), 0)
	message := vec.NewFlat(types.Type{ID: types.String, Len: 512}, 0)
	for _, w := range list {
		if n.Tp == ast.ShowErrors && w.Level != "Error" {
			continue
		}
		level.Str, code.I64, message.Str = append(level.Str, w.Level), append(code.I64, int64(w.Code)), append(message.Str, w.Msg)
	}
	from, to, err := r.limits(n.Limit, len(code.I64))
	if err != nil {
		return nil, err
	}
	for _, v := range []*vec.Vector{level, code, message} {
		v.N = len(code.I64)
	}
	return vectorResult([]string{"Level", "Code", "Message"}, level.Slice(from, to), code.Slice(from, to), message.Slice(from, to)), nil
}

// vectorResult makes a result of flat vectors without NULLs.
func vectorResult(names []string, cols ...*vec.Vector) *Rows {
	out := &Rows{src: &memSource{}}
	for i, v := range cols {
		out.Columns = append(out.Columns, Column{Name: names[i], Type: v.Type})
	}
	if n := cols[0].N; n > 0 {
		out.src = &memSource{&vec.Batch{N: n, Cols: cols}}
	}
	return out
}

// limits gives the rows of n that a LIMIT clause leaves.
func (r *stmtRun) limits(l *ast.Limit, n int) (from, to int, err error) {
	if l == nil {
		return 0, n, nil
	}
	bound := func(e ast.ExprNode, none int64) int64 {
		if e == nil || err != nil {
			return none
		}
		d, derr := r.scalar(e)
		err = derr
		return d.I64
	}
	offset := bound(l.Offset, 0)
	count := bound(l.Count, int64(n))
	from = int(min(offset, int64(n)))
	return from, int(min(int64(from)+count, int64(n))), err
}

// showGrants says what the only account may do: everything.
func (r *stmtRun) showGrants(n *ast.ShowStmt) (*Rows, error) {
	user, _ := r.s.Var("user")
	name, host, _ := strings.Cut(user, "@")
	if u := n.User; u != nil && !u.CurrentUser && (u.Username != name || u.Hostname != host && u.Hostname != "%") {
		return nil, sqlerr.New(sqlerr.NonexistingGrant, "There is no such grant defined for user '%s' on host '%s'", u.Username, u.Hostname)
	}
	return textResult(textColumns("Grants for "+user), [][]*string{text("GRANT ALL PRIVILEGES ON *.* TO " + quote(name) + "@" + quote(host))}), nil
}
