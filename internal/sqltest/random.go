package sqltest

import (
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// Seed returns the seed of a random test and logs it: 1, so that a failure belongs to the change that
// it appears with, or GSQL_SEED, of which "random" stands for a new seed.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(1)
	switch text := os.Getenv("GSQL_SEED"); text {
	case "":
	case "random":
		seed = uint64(time.Now().UnixNano())
	default:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	t.Logf("seed %d", seed)
	return seed
}

// NotForRaces skips a test in short runs, which look for races: it runs statements one after the other,
// and tests of operators and random statements run the same operators on several workers.
func NotForRaces(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped in short runs, which look for races: one statement runs at a time")
	}
}

// Budget bounds a random test: by a number of steps, so that each run executes the same ones, or by the
// time that GSQL_FOR sets. It is safe for concurrent use.
type Budget struct {
	left atomic.Int64
	end  time.Time // zero without GSQL_FOR
}

// NewBudget returns a budget of so many steps, of a quarter of them in short runs, or of GSQL_FOR.
func NewBudget(t testing.TB, steps int64) *Budget {
	t.Helper()
	b := &Budget{}
	if testing.Short() {
		steps = (steps + 3) / 4
	}
	b.left.Store(steps)
	if text := os.Getenv("GSQL_FOR"); text != "" {
		limit, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		b.end = time.Now().Add(limit)
	}
	return b
}

// Next takes a step, and reports whether there was one left.
func (b *Budget) Next() bool {
	if b.end.IsZero() {
		return b.left.Add(-1) >= 0
	}
	return time.Now().Before(b.end)
}

// Spent reports whether no step is left.
func (b *Budget) Spent() bool {
	if b.end.IsZero() {
		return b.left.Load() <= 0
	}
	return !time.Now().Before(b.end)
}
