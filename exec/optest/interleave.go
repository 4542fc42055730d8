package optest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/op"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// interleaving is one goroutine that opens, reads and closes several streams of an operator in a
// random order: a stream may be opened when others have ended, may keep a batch while others end,
// and may be closed early as by LIMIT. Nothing depends on scheduling except what the operator
// does in Open, and a stream that waits for another one waits forever.
type interleaving struct {
	o       op.Operator
	rng     *rand.Rand
	most    int // streams at once
	opens   int // streams that may still be opened
	early   int // one in this many steps closes a stream early; 0 for none
	streams []*pulled
	ended   int // streams that returned all their rows
	rows    []string
}

// pulled is a stream and the last batch that it returned, which has not been read yet: the batch
// must stay valid whatever happens to other streams.
type pulled struct {
	op.Stream
	last *vec.Batch
}

// interleaved returns the rows of an operator whose streams it reads in an order that depends on
// seed. With an odd seed, it also closes streams early and returns only some of the rows.
func interleaved(ctx *op.Ctx, o op.Operator, seed uint64) (rows []string, err error) {
	x := &interleaving{o: o, rng: rand.New(rand.NewPCG(seed, 0)), most: ctx.Workers, opens: 2 * ctx.Workers}
	if o.Ordered() {
		x.most, x.opens = 1, 1
	}
	if seed%2 == 1 {
		x.early = 2 + x.rng.IntN(12)
	}
	for err == nil && (x.ended == 0 && x.opens > 0 || len(x.streams) > 0) {
		err = op.Guard(x.step)
	}
	for len(x.streams) > 0 {
		err = errors.Join(err, op.Guard(func() error { return x.close(0) }))
	}
	return x.rows, err
}

// step opens a stream, closes one early, or reads some batches of one.
func (x *interleaving) step() error {
	if len(x.streams) == 0 || len(x.streams) < x.most && x.opens > 0 && x.rng.IntN(4) == 0 {
		x.opens--
		s, err := x.o.Stream()
		if err == nil {
			x.streams = append(x.streams, &pulled{Stream: s})
		}
		return err
	}
	i := x.rng.IntN(len(x.streams))
	if x.early > 0 && x.rng.IntN(x.early) == 0 {
		return x.close(i)
	}
	for range 1 << x.rng.IntN(6) {
		if more, err := x.pull(i); err != nil || !more {
			return err
		}
	}
	return nil
}

// pull reads the last batch of a stream and requests the next one. It returns false at the end.
func (x *interleaving) pull(i int) (more bool, err error) {
	s := x.streams[i]
	if err := x.look(s); err != nil {
		return false, err
	}
	if s.last, err = s.Next(); s.last != nil || err != nil {
		return true, err
	}
	x.ended++
	if x.rng.IntN(2) == 0 { // other streams continue while this one is still open
		return false, nil
	}
	return false, x.close(i)
}

func (x *interleaving) look(s *pulled) (err error) {
	if s.last != nil {
		x.rows, err = appendLines(x.rows, s.last)
		s.last = nil
	}
	return err
}

func (x *interleaving) close(i int) error {
	s := x.streams[i]
	x.streams = slices.Delete(x.streams, i, i+1)
	return errors.Join(x.look(s), s.Close())
}

// seeds returns the number of interleavings in memory and on disk; odd ones close streams early.
// They run in one goroutine, so short runs, which are for the race detector, need only a few.
func seeds() (inMemory, onDisk uint64) {
	if testing.Short() {
		return 2, 1
	}
	return 6, 4
}

// runInterleaved checks the case with streams in random orders, also with too little memory and
// with cancellation.
func (c Case) runInterleaved(t *testing.T, want []string) {
	t.Helper()
	most, _ := seeds()
	for seed := uint64(1); seed <= most; seed++ {
		cfg := config{size: []int{3, 64, 500}[seed%3], forms: seed%4 < 2, workers: 3, seed: seed}
		got, peak, err := c.execute(cfg, 0, nil, nil)
		switch {
		case c.Err != 0:
			if err != nil && !errors.Is(err, c.Err) || err == nil && seed%2 == 0 {
				t.Fatalf("%v: error %v, want %d", cfg, err, c.Err)
			}
			continue
		case err == nil:
			err = c.compare(cfg, got, want)
		}
		if err != nil {
			t.Fatalf("%v: %v", cfg, err)
		}
		got, _, err = c.execute(cfg, peak/2, nil, nil)
		if err == nil {
			err = c.compare(cfg, got, want)
		}
		if err != nil && !errors.Is(err, sqlerr.OutOfMemory) {
			t.Fatalf("%v: %d of %d bytes: %v", cfg, peak/2, peak, err)
		}
		for i, rel := range c.Inputs {
			at := len(rel.Rows) / cfg.size / 2
			_, _, err := c.execute(cfg, 0, nil, func(s []*source, cancel context.CancelFunc) { s[i].cancelAt, s[i].cancel = at, cancel })
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("%v: cancelled in input %d at %d: %v", cfg, i, at, err)
			}
		}
	}
}

// compare compares rows with the expected ones, which are sorted unless c is in order.
func (c Case) compare(cfg config, got, want []string) error {
	if !c.InOrder {
		slices.Sort(got)
	}
	if cfg.seed%2 == 1 {
		return subset(got, want, c.InOrder)
	}
	if d := difference(got, want); d != "" {
		return errors.New(d)
	}
	return nil
}

// subset returns an error for a row that is not among the expected ones. Rows in order must be
// the first ones.
func subset(got, want []string, inOrder bool) error {
	at := 0
	for i, row := range got {
		for at < len(want) && !inOrder && want[at] < row {
			at++
		}
		if at == len(want) || want[at] != row {
			return fmt.Errorf("row %d of %d is not wanted, or too often: %s", i, len(got), row)
		}
		at++
	}
	return nil
}
