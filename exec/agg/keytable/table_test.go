package keytable

import (
	"math/rand/v2"
	"testing"

	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestTagsThatLie looks up keys whose hashes are forced to be equal.
func TestTagsThatLie(t *testing.T) {
	rel := optest.New(1, types.T(types.Float64)).Fill(rand.New(rand.NewPCG(5, 6)), 200, 50, 9)
	seen := map[string]int32{}
	tb := New([]types.Type{types.T(types.Float64)}, mem.NewRoot("test", 0))
	for _, row := range rel.Rows {
		keys := row[0].Vector(1).Flatten(nil)
		gid := []int32{-1}
		if err := tb.FindHashed([]*vec.Vector{keys}, []uint64{42 << 32}, gid); err != nil {
			t.Fatal(err)
		}
		k := row[0].SQL()
		if want, ok := seen[k]; ok && want != gid[0] || !ok && int(gid[0]) != len(seen) {
			t.Fatalf("%s: group %d, have %v", k, gid[0], seen)
		}
		seen[k] = gid[0]
	}
	tb.Free()
}
