package cost

import "testing"

// TestPieces compares the pieces of join matrices with shapes computed by hand: strips if a side is small,
// else squares in bytes.
func TestPieces(t *testing.T) {
	a := Accelerator{FreeBytes: 800}
	for _, c := range []struct {
		left, right, leftBytes, rightBytes float64
		want                               MatrixPieces
		ok                                 bool
	}{
		{100, 1000, 200, 4000, MatrixPieces{100, 50, 1, 20}, true},      // 400 - 200 bytes of the right at a time
		{1000, 100, 4000, 100, MatrixPieces{75, 100, 14, 1}, true},      // strips of the left
		{1000, 1000, 4000, 8000, MatrixPieces{50, 25, 20, 40}, true},    // 200 bytes each
		{10, 20, 40, 80, MatrixPieces{10, 20, 1, 1}, true},              // both fit
		{1000, 1, 4000, 8000, MatrixPieces{50, 0, 20, 1}, false},        // a row that does not fit
		{1e6, 1e6, 4e6, 4e6, MatrixPieces{50, 50, 20000, 20000}, false}, // too many
	} {
		got, ok := a.Pieces(c.left, c.right, c.leftBytes, c.rightBytes)
		if got != c.want || ok != c.ok {
			t.Errorf("%+v: %+v, %t", c, got, ok)
		}
		if ok && (got.Left*got.Across < c.left || got.Right*got.Down < c.right) {
			t.Errorf("%+v: the pieces do not cover the matrix", got)
		}
	}
	p := MatrixPieces{Across: 3, Down: 4}
	if got := p.Again(100, 10); got != 3*100+2*10 {
		t.Errorf("%v bytes cross again", got)
	}
}
