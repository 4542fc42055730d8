package physical

import (
	"strings"
	"testing"

	"gsql/sql/expr"
	"gsql/sql/types"
)

// TestDifferences compares bids with the chosen hash join. They must show the properties that
// differ, so that no bid of the same algorithm looks like the join that it lost to.
func TestDifferences(t *testing.T) {
	col := func(name string) *expr.Col { return &expr.Col{Name: name, T: types.T(types.Int64)} }
	a, b := col("a"), col("b")
	base := Join{Algo: Hash, Keys: []KeyPair{{L: a, R: b}}}
	with := func(f func(j *Join)) *Join {
		j := base
		f(&j)
		return &j
	}
	filter := []MadeFilter{{}}
	for _, tt := range []struct {
		taken Join
		bid   Bid
		want  string
	}{
		{base, Bid{Join: &base}, ""},
		{base, Bid{Join: with(func(j *Join) { j.BuildLeft = true })}, "build left"},
		{*with(func(j *Join) { j.BuildLeft = true }), Bid{Join: &base}, "build right"},
		{*with(func(j *Join) { j.Filters = filter }), Bid{Join: &base}, "no dynamic filter"},
		{base, Bid{Join: with(func(j *Join) { j.Filters = filter })}, "dynamic filter: b"},
		{base, Bid{Join: with(func(j *Join) { j.Residual = []expr.Expr{a} })}, "residual: a"},
		{*with(func(j *Join) { j.Residual = []expr.Expr{a} }), Bid{Join: &base}, "no residual"},
		{base, Bid{Join: with(func(j *Join) { j.Keep = true })}, "built once"},
		{base, Bid{Join: with(func(j *Join) { j.Streamed = true })}, "streamed"},
		{*with(func(j *Join) { j.Streamed = true }), Bid{Join: &base}, "not streamed"},
		{base, Bid{Join: with(func(j *Join) { j.Ranges = []RangePred{{Op: "<", L: a, R: b}} })}, "by a = b, a < b"},
		{base, Bid{Join: &base, Form: "no aggregate below"}, "no aggregate below"},
		{base, Bid{Form: "one null-aware join"}, "one null-aware join"},
		{base, Bid{Join: with(func(j *Join) { j.Algo, j.BuildLeft, j.Residual = Radix, true, []expr.Expr{a} })}, "build left"},
		{base, Bid{Device: "gpu:0", Join: with(func(j *Join) { j.BuildLeft, j.Residual = true, []expr.Expr{a} })}, "build left"},
		{base, Bid{Why: "forbidden by hint", Join: with(func(j *Join) { j.Keep = true })}, ""},
	} {
		if got := strings.Join(tt.bid.Differences(&Node{Op: &tt.taken}), "; "); got != tt.want {
			t.Errorf("%+v beside %+v differs by %q, want %q", tt.bid, tt.taken, got, tt.want)
		}
	}
}
