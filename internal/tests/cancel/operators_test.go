package cancel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/exec"
	"gsql/internal/sqltest"
	"gsql/planner/physical"
)

// shownAs are the kinds of operators by how EXPLAIN begins their lines.
var shownAs = map[string]string{
	"Scan": "scan", "Values": "values", "Filter": "filter", "Project": "project", "Limit": "limit", "MaxOneRow": "max_one_row", "Apply": "apply",
	"Union": "set_op", "Intersect": "set_op", "Except": "set_op", "Recursive": "recursive", "WorkTable": "work_table", "Shared": "shared",
	"HashAggregate": "hash_agg", "HashDistinct": "hash_agg", "Rollup": "rollup", "GroupJoin": "group_join", "Sort": "sort", "TopN": "top_n", "Window": "window",
	"NestedLoopJoin": string(physical.NestedLoop), "HashJoin": string(physical.Hash), "IndexJoin": string(physical.Index),
	"RadixJoin": string(physical.Radix), "MergeJoin": string(physical.Merge), "RangeJoin": string(physical.Range),
}

// TestEveryOperatorIsCancelled: each kind of operator is part of the plan of a statement that
// TestCancelAnytime cancels.
func TestEveryOperatorIsCancelled(t *testing.T) {
	s := randomTables(t, 300)
	seen := map[string]bool{}
	for _, c := range anytime {
		for _, kind := range kindsIn(t, s, c.sql) {
			seen[kind] = true
		}
	}
	for _, kind := range exec.DefaultRegistry().Kinds(physical.CPU) {
		if !seen[kind] {
			t.Errorf("no statement has an operator of kind %s", kind)
		}
	}
}

// kindsIn returns the kinds of operators in the plan of a statement, if EXPLAIN takes it.
func kindsIn(t *testing.T, s *gsql.Session, sql string) (kinds []string) {
	verb, _, _ := strings.Cut(sql, " ")
	if !slices.Contains([]string{"SELECT", "WITH", "INSERT", "UPDATE", "DELETE"}, verb) || strings.Contains(sql, "INTO OUTFILE") {
		return nil
	}
	for _, row := range sqltest.Rows(t, s, "EXPLAIN "+sql) {
		name, _, _ := strings.Cut(strings.TrimLeft(row[0], " │├└─"), " ")
		if shownAs[name] == "" {
			t.Errorf("%s: unknown operator %s", sql, fmt.Sprint(row))
		}
		kinds = append(kinds, shownAs[name])
	}
	return kinds
}
