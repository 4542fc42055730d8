package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/result"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// showWarnings lists or counts the warnings, or only the errors, of the previous statement.
func showWarnings(r *run, n *ast.ShowStmt) (*Result, error) {
	if n.Where != nil || n.Pattern != nil {
		return nil, sqlerr.Unsupported(0, "SHOW WARNINGS with LIKE or WHERE").WithHint("SHOW WARNINGS takes LIMIT.")
	}
	total, errors := r.s.Warnings.Before()
	count := "@@session.warning_count"
	if n.Tp == ast.ShowErrors {
		count, total = "@@session.error_count", errors
	}
	if n.CountWarningsOrErrors {
		v := vec.NewFlat(types.T(types.Int64), 1)
		v.I64[0] = total
		return vectorResult([]string{count}, v), nil
	}
	list := r.s.Warnings.List()
	level := vec.NewFlat(types.Type{ID: types.String, Len: 7}, 0)
	code := vec.NewFlat(types.T(types.Uint32), 0)
	message := vec.NewFlat(types.Type{ID: types.String, Len: 512}, 0)
	for _, w := range list {
		if n.Tp == ast.ShowErrors && w.Level != "Error" {
			continue
		}
		level.Str, code.I64, message.Str = append(level.Str, w.Level), append(code.I64, int64(w.Code)), append(message.Str, w.Msg)
	}
	from, to, err := limitBounds(r, n.Limit, len(code.I64))
	if err != nil {
		return nil, err
	}
	for _, v := range []*vec.Vector{level, code, message} {
		v.N = len(code.I64)
	}
	return vectorResult([]string{"Level", "Code", "Message"}, level.Slice(from, to), code.Slice(from, to), message.Slice(from, to)), nil
}

// vectorResult returns the rows of flat vectors without NULLs.
func vectorResult(names []string, cols ...*vec.Vector) *Result {
	out := &Result{src: result.OfVectors(cols...)}
	for i, v := range cols {
		out.Columns = append(out.Columns, result.Column{Name: names[i], Type: v.Type})
	}
	return out
}

// limitBounds returns the range of n rows that a LIMIT clause selects.
func limitBounds(r *run, l *ast.Limit, n int) (from, to int, err error) {
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

// showGrants lists the privileges of the only account: all of them.
func showGrants(r *run, n *ast.ShowStmt) (*Result, error) {
	user, _ := r.s.Var("user")
	name, host, _ := strings.Cut(user, "@")
	if u := n.User; u != nil && !u.CurrentUser && (u.Username != name || u.Hostname != host && u.Hostname != "%") {
		return nil, sqlerr.New(sqlerr.NonexistingGrant, "There is no such grant defined for user '%s' on host '%s'", u.Username, u.Hostname)
	}
	return textResult(result.TextColumns("Grants for "+user), [][]*string{result.Row("GRANT ALL PRIVILEGES ON *.* TO " + catalog.QuoteName(name) + "@" + catalog.QuoteName(host))}), nil
}
