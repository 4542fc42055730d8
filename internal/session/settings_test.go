package session

import "testing"

// TestWorkersWithin limits the workers by a statement's limit and the database's.
func TestWorkersWithin(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		statement, database int64
		want                int
	}{{0, 0, 8}, {0, 64 * mb, 8}, {8 * mb, 0, 8}, {8*mb - 1, 0, 7}, {0, 3 * mb, 3}, {5 * mb, 3 * mb, 3}, {mb / 2, 0, 1}, {0, 1, 1}} {
		if got := workersWithin(8, c.statement, c.database); got != c.want {
			t.Errorf("limits %d and %d: %d workers, want %d", c.statement, c.database, got, c.want)
		}
	}
}
