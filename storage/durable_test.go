package storage

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"gsql/storage/vfs"
)

// TestDirectoryAgainstModel runs the model's transactions on a directory that is closed and opened
// again, with and without a checkpoint, at random times.
func TestDirectoryAgainstModel(t *testing.T) {
	for seed := range int64(4) {
		runDirectory(t, seed, 1+rand.New(rand.NewSource(seed)).Intn(60))
	}
}

func runDirectory(t *testing.T, seed int64, segRows int) {
	rng := rand.New(rand.NewSource(seed))
	dir, err := vfs.Dir(t.TempDir())
	must(t, err)
	s := reopen(t, nil, dir)
	s.segmentRows = segRows
	create(t, s, "t", pairs())
	committed, written := map[int64]string{}, map[int64]int{}
	commits := 0
	var open []*model
	for step := range 300 {
		what := fmt.Sprintf("seed %d step %d", seed, step)
		switch rng.Intn(30) {
		case 0:
			must(t, s.Checkpoint(context.Background()))
		case 1:
			s, open = reopen(t, s, dir), nil
			check := &model{tx: s.Begin(), rows: committed}
			check.compare(t, rng, what+" opened again")
		}
		if len(open) < 3 && rng.Intn(4) == 0 || len(open) == 0 {
			open = append(open, &model{tx: s.Begin(), rows: maps.Clone(committed), written: written, touched: map[int64]bool{}, begun: commits})
		}
		at := rng.Intn(len(open))
		m := open[at]
		if rng.Intn(5) > 0 {
			m.statement(t, rng, what)
			m.compare(t, rng, what)
			continue
		}
		open = slices.Delete(open, at, at+1)
		m.commit(t, what, committed, &commits)
		check := &model{tx: s.Begin(), rows: committed}
		check.compare(t, rng, what+" committed")
	}
	must(t, s.Close())
}

// reopen closes a store, unless it is nil, and opens the one in dir.
func reopen(t testing.TB, s *Store, dir vfs.FS) *Store {
	t.Helper()
	if s != nil {
		must(t, s.Close())
	}
	s, warnings, err := OpenStore(nil, Directory{FS: dir})
	must(t, err)
	if len(warnings) > 0 {
		t.Errorf("opening warns: %v", warnings)
	}
	return s
}
