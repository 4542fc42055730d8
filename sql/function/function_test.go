package function

import (
	"testing"

	"gsql/sql/expr"
	"gsql/sql/kernel"
)

// elsewhere names the functions without a kernel, and who computes them.
var elsewhere = map[expr.FuncID]string{expr.FuncCoalesce: "sql/eval, which evaluates its arguments lazily"}

// TestFunctionsAreComplete: a function that calls are made of has a kernel, or is computed elsewhere.
// Without a Resolver calls become other expressions, which NewCall builds.
func TestFunctionsAreComplete(t *testing.T) {
	for _, name := range expr.Functions() {
		s := expr.Lookup(expr.FuncID(name))
		if s.Resolve == nil && s.Build == nil {
			t.Errorf("%s can be neither typed nor built", name)
		}
		_, other := elsewhere[s.Name]
		if known := kernel.Lookup(s.Name) != nil || other; s.Resolve != nil && !known {
			t.Errorf("%s has no kernel", name)
		} else if other && kernel.Lookup(s.Name) != nil {
			t.Errorf("%s has a kernel and is computed elsewhere", name)
		}
	}
}
