package keyenc

import (
	"strings"
	"testing"

	"gsql/exec/op"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestNullsHaveNoTextNumbers checks that the contents of NULLs' slots are ignored.
func TestNullsHaveNoTextNumbers(t *testing.T) {
	v := vec.NewFlat(types.T(types.String), 3*op.Block)
	for i := range v.Str {
		if v.Str[i] = "123"; i%3 == 0 {
			v.SetNull(i)
			v.Str[i] = strings.Repeat("\xff", 40)
		}
	}
	if n := numberTexts(v); n == nil || n.Count != 1 {
		t.Errorf("numbers %v, want one", n)
	}
}
