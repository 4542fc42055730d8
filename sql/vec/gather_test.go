package vec_test

import (
	"testing"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestFlattenNullType checks that vectors of type NULL need no flags, but flat copies of them
// have flags, on which code that reads only flags relies.
func TestFlattenNullType(t *testing.T) {
	base := &vec.Vector{Type: types.T(types.Null), N: 2}
	for name, v := range map[string]*vec.Vector{
		"view":     {Type: base.Type, Form: vec.View, N: 3, Base: base, Idx: []int32{1, 0, -1}},
		"constant": {Type: base.Type, Form: vec.Const, N: 3},
	} {
		flat := v.Flatten(nil)
		for i := range 3 {
			if len(flat.Null) != 3 || !flat.Null[i] {
				t.Errorf("%s: flags %v after Flatten, want all set", name, flat.Null)
				break
			}
		}
	}
}
