package cost

import "testing"

// TestResidualPairs checks what residual predicates cost a hash join, which fetches their columns
// from random rows of the build side for each candidate pair. With many pairs it must be more
// expensive than a join that brings the rows of a key together; with few it must not.
func TestResidualPairs(t *testing.T) {
	m := &Model{P: Default(2)}
	const rows = 6e6
	in := JoinInput{Build: rows, Probe: rows, Pairs: 30 * rows, Out: 1000, Keys: 1, Terms: 2, Span: rows / 30, Tested: 2}
	for name, other := range map[string]float64{"radix": m.RadixJoin(&in), "merge": m.MergeJoin(&in)} {
		if hash := m.HashJoin(&in); hash <= other {
			t.Errorf("hash join %.0f ms, %s join %.0f ms", hash, name, other)
		}
	}
	in.Pairs = 4 * rows
	if hash, radix := m.HashJoin(&in), m.RadixJoin(&in); hash >= radix {
		t.Errorf("few pairs: hash join %.0f ms, radix join %.0f ms", hash, radix)
	}
}
