package rules

import (
	stdcontext "context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gsql/planner/binder"
	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/plantest"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

var rewriteFlag = flag.Bool("rewrite", false, "write the expected plans anew")

const tables = `
table t rows=100
  a int primary
  b int
  c int not null
table u rows=1000
  a int not null
  b int
  x int
table v rows=10
  a int primary
  b int
table p rows=100
  d decimal(10,2)
  e decimal(18,4) min=-1000.0000 max=1000.0000
  w decimal(36,6)
  g bigint min=-5000000000 max=4000000000
  h bigint
  m bigint min=-9000000000000000000 max=9000000000000000000
  x ubigint min=1 max=9
  f double min=-1000 max=1000
  k double min=-1000 max=1000
  t datetime
  day date
table q rows=100
  d decimal(12,3)
  e decimal(18,4)
  w decimal(36,6)
  g bigint min=0 max=4000000000
  h bigint
  m bigint min=0 max=9000000000000000000
  x ubigint min=1 max=9
  f double
  k double min=-1000 max=1000
  t datetime(3)
  day date
`

// dice() is a volatile function.
func init() {
	expr.Register(expr.Sig{Name: "dice", Resolve: expr.Fixed(types.T(types.Float64)), Volatile: true})
}

// noSession is a binder.Session without any settings.
type noSession struct{}

func (noSession) CurrentDB() string                    { return "test" }
func (noSession) GlobalVar(string) (string, error)     { return "", sqlerr.UnknownSystemVariable }
func (noSession) Var(string) (string, bool)            { return "", false }
func (noSession) UserVar(string) (catalog.Datum, bool) { return catalog.Datum{}, false }
func (noSession) Params() []catalog.Datum              { return nil }
func (noSession) Warn(uint16, string)                  {}

func bindSQL(t testing.TB, cat catalog.Resolver, sql string) logical.Node {
	t.Helper()
	stmts, err := parse.Parse(sql, 0)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	q, err := binder.New(cat, noSession{}).Query(stdcontext.Background(), &stmts[0], stmts[0].Node)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return q.Node
}

// TestPlans compares rewritten plans with those in testdata, one file per rule. A section is
// "fires" or "silent", SQL, a line of dashes and the plan. Lines that start with # are comments.
// Every rule needs both kinds.
func TestPlans(t *testing.T) {
	for _, rule := range Names() {
		t.Run(rule, func(t *testing.T) { checkRule(t, rule) })
	}
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		if rule := strings.TrimSuffix(filepath.Base(file), ".txt"); !slices.Contains(Names(), rule) {
			t.Errorf("%s is about no rule", file)
		}
	}
}

func checkRule(t *testing.T, rule string) {
	file := filepath.Join("testdata", rule+".txt")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("every rule needs a plan test: %v", err)
	}
	cat := plantest.MustDefine(tables)
	kinds := map[string]int{}
	var out strings.Builder
	for _, section := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		head, want, _ := strings.Cut(section+"\n", "\n----\n")
		var code []string
		for _, l := range strings.Split(head, "\n") {
			if !strings.HasPrefix(l, "#") {
				code = append(code, l)
			}
		}
		kind, sql := code[0], strings.Join(code[1:], "\n")
		kinds[kind]++
		n, fired, err := Rewrite(bindSQL(t, cat, sql), Options{})
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if err := validate(n, colset.Set{}); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
		if did := slices.Contains(fired, rule); did != (kind == "fires") {
			t.Errorf("%s: want the rule %s, fired %v", sql, kind, fired)
		}
		got := strings.TrimSpace(logical.Format(n))
		if got != strings.TrimSpace(want) && !*rewriteFlag {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", sql, got, want)
		}
		fmt.Fprintf(&out, "%s\n----\n%s\n\n", head, got)
	}
	if kinds["fires"] == 0 || kinds["silent"] == 0 || len(kinds) != 2 {
		t.Errorf("%s has %v, every rule needs plans in which it fires and in which it is silent", file, kinds)
	}
	if *rewriteFlag {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
