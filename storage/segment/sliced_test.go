package segment

import (
	"testing"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestSlicedRoom cuts the columns of a block of which the first, which ALTER TABLE has added, has room for fewer
// rows than the others: all must have as many rows.
func TestSlicedRoom(t *testing.T) {
	added, old := vec.NewFlat(types.Type{ID: types.String}, 1), vec.NewFlat(types.Type{ID: types.Int32}, 16)
	tail := Tail{N: 1, Blocks: []*Block{{Cap: 1, Cols: []*vec.Vector{added, old}}}}
	for c, v := range tail.Batches()[0] {
		if v.N != 1 {
			t.Errorf("column %d has %d rows of 1", c, v.N)
		}
	}
}
