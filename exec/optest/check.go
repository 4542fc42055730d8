package optest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Case is an operator under test.
type Case struct {
	Inputs []*Relation
	// Build makes the operator over inputs that return the relations.
	Build func(in []op.Operator) (op.Operator, error)
	// Want holds the rows of a naive evaluation.
	Want [][]catalog.Datum
	// InOrder compares rows in order; otherwise they are compared as multisets.
	InOrder bool
	// Err is the error number that the operator must return instead, or 0.
	Err sqlerr.Code
	// SkipMemory omits the test with little memory, for operators that hold none.
	SkipMemory bool
}

// config is one way to run a case.
type config struct {
	size    int
	forms   bool
	workers int
	most    int    // the most rows in a batch of the operator; 0 for any number
	seed    uint64 // of an order in which streams are read: see interleaved; 0 for all at once
}

func (c config) String() string {
	return fmt.Sprintf("batches of %d, forms %v, %d workers, seed %d", c.size, c.forms, c.workers, c.seed)
}

var configs = []config{
	{size: vec.BatchSize, workers: 1}, {size: vec.BatchSize, forms: true, workers: 1}, {size: 1, forms: true, workers: 1}, {size: 3, forms: true, workers: 1},
	{size: 3, workers: 3}, {size: 64, forms: true, workers: 3},
}

// short returns the configs to run. Short runs, which are for the race detector, use only those
// with several workers.
func short(all []config) []config {
	if !testing.Short() {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(c config) bool { return c.workers == 1 })
}

// Run checks the case in every way.
func (c Case) Run(t *testing.T) {
	mem.PoisonFreed()
	t.Helper()
	want := lines(c.Want)
	if !c.InOrder {
		slices.Sort(want)
	}
	for _, cfg := range short(configs) {
		got, peak, err := c.execute(cfg, 0, nil, nil)
		switch {
		case c.Err != 0:
			if !errors.Is(err, c.Err) {
				t.Fatalf("%v: error %v, want %d", cfg, err, c.Err)
			}
			continue
		case err != nil:
			t.Fatalf("%v: %v", cfg, err)
		}
		if err := c.compare(cfg, got, want); err != nil {
			t.Fatalf("%v: %v", cfg, err)
		}
		c.runFailures(t, cfg, peak)
	}
	c.runInterleaved(t, want)
}

// runFailures cancels the operator, makes its inputs fail and limits its memory. In each case the
// operator must return and hold nothing afterwards.
func (c Case) runFailures(t *testing.T, cfg config, peak int64) {
	t.Helper()
	for i, rel := range c.Inputs {
		batches := len(rel.Rows) / cfg.size
		moments := []int{batches / 2, 0, batches}
		if testing.Short() {
			moments = moments[:1]
		}
		for _, at := range moments {
			_, _, err := c.execute(cfg, 0, nil, func(s []*source, _ context.CancelFunc) { s[i].failAt = at })
			if err != nil && !errors.Is(err, ErrInput) {
				t.Fatalf("%v: input %d failed at %d: %v", cfg, i, at, err)
			}
			_, _, err = c.execute(cfg, 0, nil, func(s []*source, cancel context.CancelFunc) { s[i].cancelAt, s[i].cancel = at, cancel })
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("%v: cancelled in input %d at %d: %v", cfg, i, at, err)
			}
		}
	}
	if c.SkipMemory || peak < 100 {
		return
	}
	for _, limit := range []int64{1, peak / 3, peak * 9 / 10} {
		_, _, err := c.execute(cfg, limit, nil, nil)
		if err != nil && !errors.Is(err, sqlerr.OutOfMemory) {
			t.Fatalf("%v: %d of %d bytes: %v", cfg, limit, peak, err)
		}
		if err == nil && limit == 1 {
			t.Fatalf("%v: %d bytes used against a limit of 1", cfg, peak)
		}
	}
}

// execute runs the operator once and returns its rows and the most memory it held. It returns an
// error of its own if memory, a stream or an input is not released.
func (c Case) execute(cfg config, limit int64, adapt func(*op.Ctx), prepare func([]*source, context.CancelFunc)) (rows []string, peak int64, err error) {
	parent, cancel := context.WithCancel(context.Background())
	defer cancel()
	account := mem.NewRoot("query", limit)
	ctx := &op.Ctx{Context: parent, Mem: account, Workers: cfg.workers, BatchSize: cfg.size}
	if adapt != nil {
		adapt(ctx)
	}
	var sources []*source
	for _, rel := range c.Inputs {
		sources = append(sources, newSource(rel, cfg.size, cfg.forms))
	}
	if prepare != nil {
		prepare(sources, cancel)
	}
	rows, err = c.runOver(ctx, cfg, sources)
	return rows, account.Peak(), err
}

// runOver makes the operator over sources and runs it once. It returns an error of its own if
// memory, a stream or an input is not released.
func (c Case) runOver(ctx *op.Ctx, cfg config, sources []*source) (rows []string, err error) {
	in := make([]op.Operator, len(sources))
	for i, s := range sources {
		in[i] = s
	}
	o, err := c.Build(in)
	if err != nil {
		return nil, err
	}
	err = o.Open(ctx)
	if err == nil {
		rows, err = cfg.take(ctx, o, sources)
	}
	if closeErr := o.Close(); err == nil {
		err = closeErr
	}
	if used := ctx.Mem.Used(); used != 0 {
		return nil, fmt.Errorf("%d bytes held after Close (error: %v)", used, err)
	}
	for i, s := range sources {
		if len(s.streams) != 0 {
			return nil, fmt.Errorf("%d streams of input %d left open (error: %v)", len(s.streams), i, err)
		}
		if s.open > 0 {
			return nil, fmt.Errorf("input %d left open (error: %v)", i, err)
		}
	}
	return rows, err
}

// take returns the rows of an open operator.
func (c config) take(ctx *op.Ctx, o op.Operator, sources []*source) ([]string, error) {
	if c.seed == 0 {
		return drain(ctx, o, c.most)
	}
	for _, s := range sources {
		s.alone = true
	}
	return interleaved(ctx, o, c.seed)
}

// drain returns the rows of an operator. Batches must have at most most rows, unless that is 0.
// Every stream returns its first batch before any is asked for its second.
func drain(ctx *op.Ctx, o op.Operator, most int) ([]string, error) {
	workers := ctx.Workers
	if o.Ordered() {
		workers = 1
	}
	parts := make([][]string, workers)
	var begun sync.WaitGroup
	begun.Add(workers)
	err := op.Parallel(ctx, workers, func(w int) error {
		arrive := sync.OnceFunc(begun.Done)
		defer arrive()
		s, err := o.Stream()
		if err != nil {
			return err
		}
		for err == nil {
			var b *vec.Batch
			if b, err = s.Next(); err != nil || b == nil {
				break
			}
			arrive()
			begun.Wait()
			if parts[w], err = appendLines(parts[w], b); most > 0 && b.N > most {
				err = fmt.Errorf("a batch of %d rows, more than %d", b.N, most)
			}
		}
		return errors.Join(err, s.Close())
	})
	return slices.Concat(parts...), err
}

func appendLines(to []string, b *vec.Batch) ([]string, error) {
	if b.N == 0 {
		return nil, errors.New("empty batch")
	}
	for i := range b.N {
		row := make([]catalog.Datum, len(b.Cols))
		for j, c := range b.Cols {
			if c.N != b.N {
				return nil, fmt.Errorf("column %d has %d rows of %d", j, c.N, b.N)
			}
			row[j] = catalog.DatumAt(c, i)
		}
		to = append(to, line(row))
	}
	return to, nil
}

// Lines returns rows as sorted texts, in which columns are separated by " | ".
func Lines(rows [][]catalog.Datum) []string {
	out := lines(rows)
	slices.Sort(out)
	return out
}

func lines(rows [][]catalog.Datum) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = line(row)
	}
	return out
}

// line returns a row as text. It writes floats with nine digits, because the order of summation
// varies, and slightly changed, so that no short number is halfway between two numbers of nine
// digits.
func line(row []catalog.Datum) string {
	parts := make([]string, len(row))
	for i, d := range row {
		switch {
		case d.Null:
			parts[i] = "NULL"
		case d.Type.Kind() == types.KindF64:
			parts[i] = fmt.Sprintf("%.9g", d.F64*(1+1e-13)+0)
		case d.Type.Kind() == types.KindStr:
			parts[i] = fmt.Sprintf("%q", d.Str)
		default:
			parts[i] = d.Text()
		}
	}
	return strings.Join(parts, " | ")
}

func difference(got, want []string) string {
	if slices.Equal(got, want) {
		return ""
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("%d rows, want %d; row %d is\n%s, want\n%s", len(got), len(want), i, got[i], want[i])
		}
	}
	return fmt.Sprintf("%d rows, want %d; they begin alike", len(got), len(want))
}

// RunQuick checks only the result, in full batches with one and with two workers, for relations
// that are too large for Run.
func (c Case) RunQuick(t *testing.T) {
	mem.PoisonFreed()
	t.Helper()
	want := lines(c.Want)
	if !c.InOrder {
		slices.Sort(want)
	}
	for _, cfg := range short([]config{{size: vec.BatchSize, forms: true, workers: 1}, {size: 500, workers: 2}}) {
		got, _, err := c.execute(cfg, 0, nil, nil)
		if err != nil {
			t.Fatalf("%v: %v", cfg, err)
		}
		if err := c.compare(cfg, got, want); err != nil {
			t.Fatalf("%v: %v", cfg, err)
		}
	}
}
