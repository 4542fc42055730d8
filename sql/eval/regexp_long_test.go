package eval

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// TestLongSubjects compares matches that are looked for one by one with those of regexp's own search
// for all, on subjects long enough for the former.
func TestLongSubjects(t *testing.T) {
	long := strings.Repeat("ab", longSubject/2+1)
	for _, pattern := range []string{"a", "ab", "b*", "x*", "", "^a", "b$", "(a)(b)", `\bab`, "a|", "(?:ab){3}", "é*"} {
		for _, subject := range []string{long, "é" + long[:longSubject] + " é"} {
			re := regexp.MustCompile(pattern)
			want := re.FindAllStringSubmatchIndex(subject, -1)
			rt := &kernel.Runtime{Call: &expr.Call{}}
			s := search{re: re, shifted: Pattern(nil), subject: subject}
			got := 0
			err := s.each(rt, func(n int64, m []int) (bool, error) {
				if got >= len(want) || n != int64(got+1) || !slices.Equal(m, want[got]) {
					t.Fatalf("%q: match %d is %v, want %v", pattern, n, m, want[min(got, len(want)-1)])
				}
				got++
				return true, nil
			})
			if err != nil || got != len(want) {
				t.Errorf("%q: %d matches of %d, %v", pattern, got, len(want), err)
			}
		}
	}
}

// TestReplacementsAreBounded asks for a gigabyte by a megabyte of matches: NULL and warning 1301
// before it is made.
func TestReplacementsAreBounded(t *testing.T) {
	text := func(s string) expr.Expr { return &expr.Const{Value: catalog.Str(s)} }
	a := strings.Repeat("a", 1<<20)
	for _, e := range []expr.Expr{
		mustCall("regexp_replace", text(a), text("a"), text(strings.Repeat("b", 1000))),
		mustCall("export_set", &expr.Const{Value: catalog.Int(-1)}, text(a+a), text("")),
		mustCall("make_set", append([]expr.Expr{&expr.Const{Value: catalog.Int(-1)}}, slices.Repeat([]expr.Expr{text(strings.Repeat(a, 9))}, 9)...)...),
	} {
		p, err := Compile(e, nil)
		if err != nil {
			t.Fatal(err)
		}
		env := &session{}
		out, err := p.NewEvaluator(kernel.Ctx{Env: env}).Eval(&vec.Batch{N: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !out.IsNull(0) {
			t.Errorf("%.30v: %d bytes, want NULL", e, len(out.Str[0]))
		}
		if len(env.codes) == 0 || sqlerr.Code(env.codes[0]) != sqlerr.AllowedPacketOverflowed {
			t.Errorf("%.30v: warnings %v, want 1301", e, env.codes)
		}
	}
}
