package optest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/sql/sqlerr"
)

// RunSpilling runs the operator with spill space and with the given parts of the memory that it
// normally takes. The result must be the same, and some rows must have spilled. The relations
// should have tens of thousands of rows, and some must be smaller than that part. If c.Want is
// nil, the result with all the memory is expected. Spilling must succeed for any number of
// workers, regardless of which of them holds memory when another one needs it.
func (c Case) RunSpilling(t *testing.T, parts ...float64) {
	t.Helper()
	want := lines(c.Want)
	if !c.InOrder {
		slices.Sort(want)
	}
	for _, cfg := range short([]config{{size: 500, workers: 1}, {size: 200, forms: true, workers: 3}, {size: 200, forms: true, workers: 8}}) {
		all, peak, err := c.execute(cfg, 0, nil, nil)
		if err != nil {
			t.Fatalf("%v: %v", cfg, err)
		}
		if c.Want == nil {
			if want = all; !c.InOrder {
				slices.Sort(want)
			}
		}
		if cfg.workers > 3 {
			parts = parts[len(parts)-1:]
		}
		for _, part := range parts {
			limit := int64(part * float64(peak))
			space := spill.NewSpace(t.TempDir(), 0)
			got, most, err := c.execute(cfg, limit, func(ctx *op.Ctx) { ctx.Spill = space }, nil)
			if err != nil {
				t.Fatalf("%v: %d of %d bytes: %v", cfg, limit, peak, err)
			}
			if err := c.compare(cfg, got, want); err != nil {
				t.Fatalf("%v: %d of %d bytes: %v", cfg, limit, peak, err)
			}
			// What many workers need together depends on how they share the rows.
			unwritten := space.Written() == 0 && cfg.workers <= 3
			if space.Used() != 0 || unwritten || cfg.workers == 1 && most > limit {
				t.Fatalf("%v: %d bytes were on disk, %d are left; %d in memory, limit %d", cfg, space.Written(), space.Used(), most, limit)
			}
		}
		if cfg.workers <= 3 {
			c.failSpilling(t, cfg, int64(parts[0]*float64(peak)))
		}
		if cfg.workers == 3 {
			c.RunInterleaved(t, int64(parts[len(parts)-1]*float64(peak)))
		}
	}
}

// RunInterleaved runs the operator with limit bytes of memory and spill space, and reads its
// streams in random orders. The result must be the same as with all streams at once and enough
// memory, although a stream may hold memory while others continue.
func (c Case) RunInterleaved(t *testing.T, limit int64) {
	t.Helper()
	all, _, err := c.execute(config{size: 500, workers: 1}, 0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !c.InOrder {
		slices.Sort(all)
	}
	_, most := seeds()
	for seed := uint64(1); seed <= most; seed++ {
		cfg := config{size: 200, forms: seed%2 == 0, workers: 3, seed: seed}
		space := spill.NewSpace(t.TempDir(), 0)
		got, _, err := c.execute(cfg, limit, func(ctx *op.Ctx) { ctx.Spill = space }, nil)
		if err == nil {
			err = c.compare(cfg, got, all)
		}
		if err != nil || space.Used() != 0 {
			t.Fatalf("%v: %d bytes: %v; %d bytes are left on disk", cfg, limit, err, space.Used())
		}
	}
}

// failSpilling fills the disk, and makes the inputs fail after rows have spilled.
func (c Case) failSpilling(t *testing.T, cfg config, limit int64) {
	t.Helper()
	full := spill.NewSpace(t.TempDir(), 1000)
	_, _, err := c.execute(cfg, limit, func(ctx *op.Ctx) { ctx.Spill = full }, nil)
	if !errors.Is(err, sqlerr.DiskFull) || full.Used() != 0 {
		t.Fatalf("%v: a full disk gives %v; %d bytes are left", cfg, err, full.Used())
	}
	_, _, err = c.execute(cfg, limit, func(ctx *op.Ctx) { ctx.Spill = spill.NewSpace("/does/not/exist", 0) }, nil)
	if !errors.Is(err, sqlerr.CantCreateFile) {
		t.Fatalf("%v: no directory gives %v", cfg, err)
	}
	for i, rel := range c.Inputs {
		late := len(rel.Rows) / cfg.size * 9 / 10
		want := sqlerr.New(sqlerr.OutOfMemory, "Out of memory; an input's own")
		c.failInput(t, cfg, limit, i, late, ErrInput)
		c.failInput(t, cfg, limit, i, late, want)
		c.failInput(t, cfg, limit, i, failOpen, want)
	}
}

// failInput makes an input fail. The operator must return that error and leave nothing on disk,
// even if it would spill after such an error of its own.
func (c Case) failInput(t *testing.T, cfg config, limit int64, i, at int, failure error) {
	t.Helper()
	space := spill.NewSpace(t.TempDir(), 0)
	_, _, err := c.execute(cfg, limit, func(ctx *op.Ctx) { ctx.Spill = space }, func(s []*source, _ context.CancelFunc) { s[i].failAt, s[i].failure = at, failure })
	if !errors.Is(err, failure) || space.Used() != 0 {
		t.Fatalf("%v: input %d failed at %d with %v: %v; %d bytes are left", cfg, i, at, failure, err, space.Used())
	}
}
