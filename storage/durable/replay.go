package durable

import (
	"errors"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/storage/chainlog"
	"gsql/storage/segment"
)

// replay is what repeating commits on all cores needs beside the catalog: commits are decoded ahead,
// and full tails become segments while later commits are repeated.
type replay struct {
	account     *mem.Account
	definitions sync.Map // *definition by id of the table

	sealing errgroup.Group
	held    sync.Mutex
	again   []func() error // seals that found too little memory
}

// startReplay prepares c for the commits of logs.
func (c *Catalog) startReplay() {
	c.replay.account = c.account
	c.replay.sealing.SetLimit(runtime.GOMAXPROCS(0))
	for _, t := range c.Tables {
		c.replay.define(t)
	}
}

// define notes how the rows of a table are decoded from now on.
func (r *replay) define(t *Table) {
	r.definitions.Store(t.ID, &definition{t.Schema, t.SegmentRows})
}

// forget drops the definition of a table.
func (r *replay) forget(table uint64) { r.definitions.Delete(table) }

func (r *replay) definition(table uint64) *definition {
	if d, ok := r.definitions.Load(table); ok {
		return d.(*definition)
	}
	return nil
}

// repeat repeats the commits of spans. at is the place of the last one that was tried.
func (c *Catalog) repeat(spans []span) (at chainlog.Pos, err error) {
	for i := range spans {
		s := &spans[i]
		if s.first == c.Sequence+1 && c.fits(s) {
			at = s.records[len(s.records)-1].End
			if err := c.together(s); err != nil {
				return at, err
			}
			continue
		}
		if c.account.Left() < scarce {
			if err := c.settle(); err != nil {
				return at, err
			}
		}
		for _, r := range s.records {
			if at = r.End; err == nil {
				err = c.apply(r.Contents)
			}
		}
		if err != nil {
			return at, err
		}
	}
	return at, nil
}

// scarce is the memory below which segments are completed before commits are repeated one by one.
const scarce = 256 << 20

// fits reports whether the rows of a span were decoded by the definitions of the tables.
func (c *Catalog) fits(s *span) bool {
	for _, x := range s.tables {
		t := c.Tables[x.table]
		if t == nil || x.def == nil || t.Schema != x.def.schema || t.SegmentRows != x.def.segmentRows {
			return false
		}
	}
	return s.tables != nil
}

// together repeats the commits of a span.
func (c *Catalog) together(s *span) error {
	for _, x := range s.tables {
		t := c.Tables[x.table]
		seal := func() error { return c.seal(t) }
		for _, r := range x.runs {
			if err := t.startAt(r.first, seal); err != nil {
				return err
			}
			for _, b := range r.blocks {
				if err := c.addBlock(t, b); err != nil {
					return err
				}
			}
			t.NextRow = t.Rows.Next()
		}
		if len(x.deleted) > 0 {
			if err := t.delete(x.deleted); err != nil {
				return err
			}
		}
		if x.counted {
			t.Auto = x.counter
		}
	}
	c.Sequence += uint64(len(s.records))
	return nil
}

// addBlock adds rows to the tail, which becomes a segment before it gets too long.
func (c *Catalog) addBlock(t *Table, b filled) error {
	s := c.shape(t)
	if t.Tail.N > 0 && (t.Tail.N+b.Cap > s.SegmentRows || t.Tail.Bytes+b.text > segment.MaxBytes) {
		if err := c.seal(t); err != nil {
			return err
		}
	}
	t.Tail = t.Tail.Add(b.Block, b.text)
	t.Churn += int64(b.Cap)
	if s.Full(&t.Tail) {
		return c.seal(t)
	}
	return nil
}

// seal makes the tail a segment, whose columns are there only after settle.
func (c *Catalog) seal(t *Table) error {
	tail, schema, r := t.Tail, t.Schema, &c.replay
	next := t.Rows.Next()
	if tail.N > 0 {
		if c.account.Left()/tailPart < tail.Memory() {
			if err := c.settle(); err != nil {
				return err
			}
		}
		out := &segment.Segment{Rows: tail.N}
		t.Segs = append(t.Segs, segment.Sealed{Segment: out, Base: tail.Base, Del: t.TailDel})
		build := func() error {
			s, err := tail.Seal(c.account, schema)
			if err == nil {
				out.Cols, out.Bytes = s.Cols, s.Bytes // its rows are counted and deleted meanwhile
			}
			return err
		}
		r.sealing.Go(func() error {
			err := sqlerr.Guard(build)
			if errors.Is(err, sqlerr.OutOfMemory) {
				r.held.Lock()
				defer r.held.Unlock()
				r.again, err = append(r.again, build), nil
			}
			return err
		})
	}
	t.Tail, t.TailDel = segment.Tail{Base: next}, nil
	return nil
}

// tailPart is how many times the memory of a tail must be left for others to become segments beside
// it.
const tailPart = 8

// settle waits until all segments are complete.
func (c *Catalog) settle() error {
	r := &c.replay
	err := r.sealing.Wait()
	r.sealing = errgroup.Group{}
	r.sealing.SetLimit(runtime.GOMAXPROCS(0))
	for _, build := range r.again {
		if err == nil {
			err = build()
		}
	}
	r.again = nil
	return err
}
