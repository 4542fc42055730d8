package eval

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"gsql/sql/expr"
)

// grammar lists the documented functions that the parser or the binder handles specially, so that
// they have no signature.
const grammar = " CAST CONVERT POSITION LAST_INSERT_ID "

// signature matches a call as written in the documentation: NAME(a, b[, c], ...).
var signature = regexp.MustCompile("`([A-Z][A-Z0-9_]*)\\(([^`]*)\\)`")

// TestDocumentedFunctions checks that the functions in docs/sql.md exist and take the documented
// number of arguments.
func TestDocumentedFunctions(t *testing.T) {
	docs, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(docs), "\n## Functions\n")
	part, _, ok2 := strings.Cut(part, "\n## Aggregates\n")
	if !ok || !ok2 {
		t.Fatal("docs/sql.md has no functions")
	}
	least, most := map[string]int{}, map[string]int{}
	for _, line := range strings.Split(part, "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, m := range signature.FindAllStringSubmatch(strings.ReplaceAll(line, `\|`, "or"), -1) {
			name, lo, hi := m[1], 0, 0
			if strings.Contains(grammar, " "+name+" ") {
				continue
			}
			if !expr.Callable(expr.FuncID(strings.ToLower(name))) {
				t.Errorf("%s is documented, but there is no such function", name)
				continue
			}
			if lo, hi, ok = arity(m[2]); !ok {
				continue
			}
			if old, ok := least[name]; !ok || lo < old {
				least[name] = lo
			}
			if old, ok := most[name]; !ok || hi < 0 || old >= 0 && hi > old {
				most[name] = hi
			}
		}
	}
	if len(least) < 200 {
		t.Fatalf("only %d functions found", len(least))
	}
	for name := range least {
		if s := expr.Lookup(expr.FuncID(strings.ToLower(name))); s.Min != least[name] || (s.Max < 0) != (most[name] < 0) || s.Max >= 0 && s.Max != most[name] {
			t.Errorf("%s is documented with %d to %d arguments, has %d to %d", name, least[name], most[name], s.Min, s.Max)
		}
	}
}

// arity returns the numbers of arguments of a documented call; -1 means any number. ok is false
// for calls with keywords between the arguments, which have special grammar.
func arity(args string) (lo, hi int, ok bool) {
	if regexp.MustCompile(`\b[A-Z]{2,}\b`).MatchString(args) || strings.Contains(args, "path, x, ...") {
		return 0, 0, false
	}
	needed, _, _ := strings.Cut(args, "[")
	for _, a := range strings.Split(needed, ",") {
		if a = strings.TrimSpace(a); a != "" && a != "..." {
			lo++
		}
	}
	for _, a := range strings.Split(strings.NewReplacer("[", "", "]", "").Replace(args), ",") {
		if a = strings.TrimSpace(a); a == "..." {
			return lo, -1, true
		} else if a != "" {
			hi++
		}
	}
	return lo, hi, true
}
