package function

import (
	"testing"

	"gsql/sql/expr"
	"gsql/sql/kernel"
)

// elsewhere lists the functions whose calls are computed without a kernel of this package, and what
// computes them.
var elsewhere = map[expr.FuncID]string{
	expr.FuncAnd:        "sql/eval evaluates its arguments lazily",
	expr.FuncOr:         "sql/eval evaluates its arguments lazily",
	expr.FuncCase:       "sql/eval evaluates its arguments lazily",
	expr.FuncCoalesce:   "sql/eval evaluates its arguments lazily",
	expr.FuncGetUserVar: "sql/eval registers it, because reading a variable evaluates a cast",
	expr.FuncSetUserVar: "sql/eval registers it beside get_user_var",
}

// TestIDsAreComplete checks that each registered id has a signature and, unless its calls become
// other expressions, a kernel. Functions without a Resolver have Build, which makes these
// expressions.
func TestIDsAreComplete(t *testing.T) {
	for _, id := range expr.IDs() {
		s := expr.Lookup(id)
		has, why := kernel.Lookup(id) != nil, elsewhere[id]
		switch {
		case s.Resolve == nil && s.Build == nil:
			t.Errorf("%s can be neither typed nor built", id)
		case s.Resolve == nil && has:
			t.Errorf("%s has a kernel, but no call is made of it", id)
		case s.Resolve != nil && !has && why == "":
			t.Errorf("%s has a signature, but no kernel", id)
		case has && why != "":
			t.Errorf("%s has a kernel and is computed elsewhere: %s", id, why)
		}
	}
	for _, id := range kernel.IDs() {
		if s := expr.Lookup(id); s == nil || s.Name != id {
			t.Errorf("%s has a kernel, but no signature", id)
		}
	}
	for id := range elsewhere {
		if expr.Lookup(id) == nil {
			t.Errorf("%s is no function", id)
		}
	}
}
