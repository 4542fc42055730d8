package expr

import (
	"testing"

	"gsql/sql/types"
)

// TestIncrement compares the types of quotients and averages with MySQL's, as MariaDB 10.11's CREATE
// TABLE ... AS SELECT shows them, and the digits that they carry with whole words of nine digits.
func TestIncrement(t *testing.T) {
	integer, price := &Col{ID: 1, T: types.T(types.Int32)}, &Col{ID: 2, T: types.Dec(10, 2)}
	for _, x := range []struct {
		increment       int
		quotient        types.Type // of the two
		digits          int        // that it carries
		mean            types.Type // of prices
		meanDigits      int
		quotientCutsOff bool // the shown digits are whole words
		meanCutsOff     bool
	}{
		{0, types.Dec(12, 0), 9, types.Dec(10, 2), 9, false, false},
		{4, types.Dec(16, 4), 9, types.Dec(14, 6), 9, false, false},
		{7, types.Dec(19, 7), 9, types.Dec(17, 9), 9, false, true},
		{9, types.Dec(21, 9), 18, types.Dec(19, 11), 18, false, false},
		{16, types.Dec(28, 16), 18, types.Dec(26, 18), 18, false, true},
	} {
		q, err := NewQuotient([]Expr{integer, price}, x.increment, -1)
		if err != nil {
			t.Fatal(err)
		}
		c := q.(*Call)
		if got := q.Type(); got.Shown() != x.quotient || int(got.Scale) != x.digits || Increment(c) != x.increment {
			t.Errorf("increment %d (%d in the call): the quotient is %s with %d digits, want %s with %d", x.increment, Increment(c), got.Shown(), got.Scale, x.quotient, x.digits)
		}
		shown := *c
		shown.T = x.quotient
		if got := CutsOff(&shown); got != x.quotientCutsOff {
			t.Errorf("increment %d: the shown quotient cuts off: %v", x.increment, got)
		}
		a, err := NewAverage(Avg, []Expr{price}, false, x.increment)
		if err != nil {
			t.Fatal(err)
		}
		if a.T.Shown() != x.mean || int(a.T.Scale) != x.meanDigits {
			t.Errorf("increment %d: the average is %s with %d digits, want %s with %d", x.increment, a.T.Shown(), a.T.Scale, x.mean, x.meanDigits)
		}
		if got := MeanCutsOff(x.mean, price.T); got != x.meanCutsOff {
			t.Errorf("increment %d: the shown average cuts off: %v", x.increment, got)
		}
		sum, count := &Col{ID: 3, T: types.Dec(32, 2)}, &Col{ID: 4, T: types.T(types.Int64)}
		if m, ok := Average(sum, count, a.T).(*Call); !ok || m.T != a.T || Increment(m) != x.increment {
			t.Errorf("increment %d: an average as a quotient is %v", x.increment, m)
		}
	}
}

// TestIncrementOfDoubles checks that quotients of doubles do not depend on the increment.
func TestIncrementOfDoubles(t *testing.T) {
	x := &Col{ID: 1, T: types.T(types.Float64)}
	q, err := NewQuotient([]Expr{x, x}, 9, -1)
	if err != nil {
		t.Fatal(err)
	}
	if c := q.(*Call); len(c.Args) != 2 || c.T.ID != types.Float64 {
		t.Errorf("the quotient is %s of %d arguments", c.T, len(c.Args))
	}
}
