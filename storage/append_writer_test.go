package storage

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/vec"
	"gsql/storage/vfs"
)

// unkeyed is pairs without its key, whose index needs memory of its own.
func unkeyed() *catalog.Schema {
	s := pairs()
	s.Indexes = nil
	return s
}

// groups is a source of row groups, each of which is read by one writer, as from a Parquet file.
type groups struct {
	n, batches, rows int
	mu               sync.Mutex
	next             int
}

func (g *groups) take() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next++
	return g.next - 1
}

// fill appends the rows of the groups that w takes, until fail says that it cannot.
func (g *groups) fill(w *AppendWriter, fail func(group, batch int) error) error {
	for {
		k := g.take()
		if k >= g.n {
			return w.Close()
		}
		for b := range g.batches {
			if err := fail(k, b); err != nil {
				return err
			}
			first := (k*g.batches + b) * g.rows
			xs, texts := make([]int64, g.rows), make([]string, g.rows)
			for i := range xs {
				xs[i], texts[i] = int64(first+i), strings.Repeat(fmt.Sprint(first+i, "-"), 20)
			}
			if err := w.Append(int64(k)<<20+int64(b), []*vec.Vector{ints(xs...), strs(texts...)}); err != nil {
				return err
			}
		}
	}
}

// loadGroups loads groups with writers, the last two of which get no rows.
func loadGroups(ctx context.Context, tx *Tx, a *Appender, g *groups, writers int, fail func(group, batch int) error) error {
	a.InStep(ctx)
	ws := make([]*AppendWriter, writers)
	for i := range ws {
		ws[i] = a.NewWriter()
	}
	var all sync.WaitGroup
	errs := make([]error, writers)
	for i, w := range ws {
		all.Go(func() {
			if i >= writers-2 {
				errs[i] = w.Close()
				return
			}
			if errs[i] = g.fill(w, fail); errs[i] != nil {
				a.Abandon(errs[i])
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// TestLoadsInStep loads more rows than the memory has room for by writers of which one is slow. The
// others wait for it. The rows keep their order.
func TestLoadsInStep(t *testing.T) {
	dir, err := vfs.Dir(t.TempDir())
	must(t, err)
	account := mem.NewRoot("test", 48<<20)
	s, _, err := OpenStore(account, Directory{FS: dir})
	must(t, err)
	defer s.Close()
	create(t, s, "t", unkeyed())
	tx := s.Begin()
	a, err := NewAppender(tx, lookup(t, tx, "t"))
	must(t, err)
	g := &groups{n: 24, batches: 20, rows: 1000} // about 75 MB
	must(t, loadGroups(bg, tx, a, g, 10, func(group, _ int) error {
		if group == 0 {
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	}))
	rows, err := a.Finish(bg)
	must(t, err)
	must(t, tx.Commit())
	if want := g.n * g.batches * g.rows; rows != int64(want) {
		t.Fatalf("%d rows instead of %d", rows, want)
	}
	tx = s.Begin()
	at := int64(0)
	for _, r := range lookup(t, tx, "t").(*version).runs() {
		vals, err := r.values(unkeyed(), 0, 0, r.rows())
		must(t, err)
		flat := vals.Flatten(nil)
		for _, x := range flat.I64[:flat.N] {
			if x != at {
				t.Fatalf("row %d is %d", at, x)
			}
			at++
		}
	}
}

// TestLoadsInStepEnd fails a writer, or the whole load, at a random place, while others wait for it.
func TestLoadsInStepEnd(t *testing.T) {
	for seed := range int64(6) {
		dir, err := vfs.Dir(t.TempDir())
		must(t, err)
		s, _, err := OpenStore(mem.NewRoot("test", 48<<20), Directory{FS: dir})
		must(t, err)
		create(t, s, "t", unkeyed())
		tx := s.Begin()
		a, err := NewAppender(tx, lookup(t, tx, "t"))
		must(t, err)
		rng := rand.New(rand.NewSource(seed))
		group, batch, cause := rng.Intn(3), rng.Intn(20), fmt.Errorf("the writer fails")
		ctx, cancel := context.WithCancel(bg)
		err = loadGroups(ctx, tx, a, &groups{n: 24, batches: 20, rows: 1000}, 10, func(k, b int) error {
			switch {
			case k == group && b == batch && seed%2 == 0:
				return cause
			case k == group && b == batch:
				cancel()
			case k == group:
				time.Sleep(5 * time.Millisecond)
			}
			return ctx.Err()
		})
		if seed%2 == 0 && !errors.Is(err, cause) || seed%2 == 1 && !errors.Is(err, context.Canceled) {
			t.Errorf("seed %d: %v", seed, err)
		}
		tx.Rollback()
		must(t, s.Close())
		cancel()
	}
}
