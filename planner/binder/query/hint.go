package query

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// algorithms maps hint names to the join algorithms that they force. With the prefix NO_ they forbid them.
var algorithms = map[string]string{
	"HASH_JOIN": "hash", "MERGE_JOIN": "merge", "RADIX_JOIN": "radix", "NL_JOIN": "nl", "INDEX_JOIN": "index", "INL_JOIN": "index", "RANGE_JOIN": "range",
	"TIDB_HJ": "hash", "TIDB_SMJ": "merge", "TIDB_INLJ": "index", "BNL": "nl",
}

// joinHint collects the block's hints for a join of the given operands, or returns nil.
func (f *from) joinHint(l, r *scope.Scope, n *ast.Join) *logical.JoinHint {
	h := &logical.JoinHint{}
	if n.StraightJoin || f.sel != nil && f.sel.SelectStmtOpts != nil && f.sel.StraightJoin {
		h.Straight = true
		h.Text = "STRAIGHT_JOIN()"
	}
	for i := range f.Hints {
		if x := &f.Hints[i]; f.sel != nil && f.ownHint(x.Hint) {
			applyHint(h, x, l, r)
		}
	}
	if h.Text == "" {
		return nil
	}
	return h
}

// noteJoinHint collects the hints in a subquery of one table that apply to the join that the
// subquery becomes.
func (q *Binder) noteJoinHint(sel *ast.SelectStmt, plan logical.Node) {
	if sel.From == nil {
		return
	}
	refs := sel.From.TableRefs
	table, ok := refs.Left.(*ast.TableSource)
	if !ok || refs.Right != nil {
		return
	}
	name := table.AsName.L
	if t, ok := table.Source.(*ast.TableName); ok && name == "" {
		name = t.Name.L
	}
	f := from{Binder: q, sel: sel}
	h := &logical.JoinHint{}
	for i := range q.Hints {
		x := &q.Hints[i]
		named := len(x.Args) == 0 || slices.ContainsFunc(x.Args, func(arg string) bool { return strings.EqualFold(arg, name) })
		if named && x.Name != "LEADING" && x.Name != "STRAIGHT_JOIN" && f.ownHint(x.Hint) {
			takeHint(h, x, nil)
		}
	}
	if h.Text == "" {
		return
	}
	if q.Shared.JoinHints == nil {
		q.Shared.JoinHints = map[logical.Node]*logical.JoinHint{}
	}
	q.Shared.JoinHints[plan] = h
}

// ownHint reports whether the hint stands directly after this block's SELECT.
func (f *from) ownHint(h parse.Hint) bool {
	if f.sel.Fields == nil || len(f.sel.Fields.Fields) == 0 {
		return false
	}
	first := f.sel.Fields.Fields[0].Offset
	if h.End < 0 || h.End > first { // not in a block of this statement, or in a later one
		return false
	}
	for _, w := range strings.Fields(f.Text[h.End:first]) {
		if !selectOptions[strings.ToUpper(w)] {
			return false
		}
	}
	return true
}

// selectOptions may stand between a hint comment and the select list.
var selectOptions = map[string]bool{
	"ALL": true, "DISTINCT": true, "DISTINCTROW": true, "STRAIGHT_JOIN": true, "HIGH_PRIORITY": true, "SQL_SMALL_RESULT": true,
	"SQL_BIG_RESULT": true, "SQL_BUFFER_RESULT": true, "SQL_CACHE": true, "SQL_NO_CACHE": true, "SQL_CALC_FOUND_ROWS": true,
}

// applyHint adds x to h if it applies to a join of l and r.
func applyHint(h *logical.JoinHint, x *statement.Hint, l, r *scope.Scope) {
	tables := matched(x.Args, l, r)
	if len(x.Args) == 0 || len(tables) > 0 {
		takeHint(h, x, tables)
	}
}

// takeHint adds x, which names the given tables, to h.
func takeHint(h *logical.JoinHint, x *statement.Hint, tables []string) {
	name, forbid := strings.CutPrefix(x.Name, "NO_")
	switch alg := algorithms[name]; {
	case alg != "" && forbid:
		h.Forbid = append(h.Forbid, alg)
	case alg != "":
		h.Force = append(h.Force, alg)
	case x.Name == "GPU" || x.Name == "CPU":
		h.Device = strings.ToLower(x.Name)
	case x.Name == "STRAIGHT_JOIN":
		h.Straight = true
	case x.Name == "LEADING" && len(x.Args) > 0:
		h.Leading = x.Args
	default:
		return
	}
	x.Used = true
	if x.Name != "LEADING" {
		h.Tables = append(h.Tables, tables...)
	}
	h.Text = strings.TrimSpace(h.Text + " " + x.String())
}

// matched returns the named tables that are operands of the join. LEADING and hints for the only table of a side
// apply to the join that adds the table.
func matched(names []string, l, r *scope.Scope) []string {
	var out []string
	for _, name := range names {
		key := strings.ToLower(name)
		if r.Source("", key) != nil && len(r.Sources) == 1 || l.Source("", key) != nil && len(l.Sources) == 1 {
			out = append(out, name)
		}
	}
	return out
}

// WarnUnusedHints adds warnings for hints that apply to no join or have unknown names.
func (q *Binder) WarnUnusedHints() {
	for _, h := range q.Hints {
		if h.Used {
			continue
		}
		why := "it concerns no join of the query"
		switch {
		case !knownHint(h.Name):
			why = "there is no such hint"
		case h.Vain != "":
			why = h.Vain
		}
		q.Session.Warn(uint16(sqlerr.HintIgnored), "Hint "+h.String()+" is ignored: "+why)
	}
}

func knownHint(name string) bool {
	bare := strings.TrimPrefix(name, "NO_")
	return algorithms[bare] != "" || name == "GPU" || name == "CPU" || name == "STRAIGHT_JOIN" || name == "LEADING" || name == "QB_NAME"
}
