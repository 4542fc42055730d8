package binder

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// hint is a hint of the statement's text and whether a join has taken it.
type hint struct {
	parse.Hint
	used bool
}

func newHints(list []parse.Hint) []hint {
	out := make([]hint, len(list))
	for i, h := range list {
		out[i].Hint = h
	}
	return out
}

// algorithms maps hint names to the join algorithms they force; with NO_ before they
// forbid them.
var algorithms = map[string]string{
	"HASH_JOIN": "hash", "MERGE_JOIN": "merge", "RADIX_JOIN": "radix", "NL_JOIN": "nl", "INDEX_JOIN": "index", "INL_JOIN": "index", "RANGE_JOIN": "range",
	"TIDB_HJ": "hash", "TIDB_SMJ": "merge", "TIDB_INLJ": "index", "BNL": "nl",
}

// joinHint collects what the block's hints say of a join of the given operands, or
// gives nil.
func (b *block) joinHint(l, r *scope, n *ast.Join) *logical.JoinHint {
	h := &logical.JoinHint{}
	if n.StraightJoin || b.sel != nil && b.sel.SelectStmtOpts != nil && b.sel.StraightJoin {
		h.Straight = true
		h.Text = "STRAIGHT_JOIN()"
	}
	for i := range b.hints {
		if x := &b.hints[i]; b.sel != nil && b.ownHint(x.Hint) {
			b.applyHint(h, x, l, r)
		}
	}
	if h.Text == "" {
		return nil
	}
	return h
}

// ownHint tells whether the hint stands right behind this block's SELECT.
func (b *block) ownHint(h parse.Hint) bool {
	if b.sel.Fields == nil || len(b.sel.Fields.Fields) == 0 {
		return false
	}
	first := b.sel.Fields.Fields[0].Offset
	if h.End > first {
		return false
	}
	for _, w := range strings.Fields(b.text[h.End:first]) {
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

// applyHint adds x to h where it concerns a join of l and r.
func (b *block) applyHint(h *logical.JoinHint, x *hint, l, r *scope) {
	tables := matched(x.Args, l, r)
	if len(x.Args) > 0 && len(tables) == 0 {
		return
	}
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
	x.used = true
	if x.Name != "LEADING" {
		h.Tables = append(h.Tables, tables...)
	}
	h.Text = strings.TrimSpace(h.Text + " " + x.String())
}

// matched gives those of the named tables that are one of the join's operands. LEADING
// and hints of either side's only table reach the join that takes the table in.
func matched(names []string, l, r *scope) []string {
	var out []string
	for _, name := range names {
		key := strings.ToLower(name)
		if r.source("", key) != nil && len(r.sources) == 1 || l.source("", key) != nil && len(l.sources) == 1 {
			out = append(out, name)
		}
	}
	return out
}

// warnUnusedHints warns of the hints that concerned no join, or have no known name.
func (s *statement) warnUnusedHints() {
	for _, h := range s.hints {
		if h.used {
			continue
		}
		why := "no join of the query is concerned"
		if !knownHint(h.Name) {
			why = "gsql knows no such hint"
		}
		s.session.Warn(uint16(sqlerr.HintIgnored), "Hint "+h.String()+" is ignored: "+why)
	}
}

func knownHint(name string) bool {
	bare := strings.TrimPrefix(name, "NO_")
	return algorithms[bare] != "" || name == "GPU" || name == "CPU" || name == "STRAIGHT_JOIN" || name == "LEADING"
}
