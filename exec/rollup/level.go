package rollup

import (
	"errors"
	"slices"
	"sync"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// level has the groups by the first depth keys: the distinct ones of these keys, then the merged
// values. Its rows are in memory or on disk.
type level struct {
	o      *Operator
	depth  int
	keys   int // distinct keys
	cols   []logical.Column
	source op.Operator // makes the rows, and stays open as long as they may refer to its memory; nil for the input
	rows   int

	stores []*colstore.Store // of the workers
	pieces []piece           // of the stores and the blocks

	mu     sync.Mutex // guards the following while the rows are collected
	file   *spill.File
	blocks []spill.Block
}

// piece is a part of a level's rows: a block on disk, or some rows in memory.
type piece struct {
	block spill.Block
	rows  *vec.Batch // nil if they are on disk
}

func newLevel(o *Operator, depth int) *level {
	l := &level{o: o, depth: depth}
	for _, at := range o.keyAt[:depth] {
		l.keys = max(l.keys, at+1)
	}
	l.cols = slices.Concat(o.cols[:l.keys], o.cols[o.keys:])
	return l
}

// grouping returns the plan of the aggregation of l's rows that makes those of up.
func (l *level) grouping(up *level) *physical.Node {
	plan := &physical.HashAgg{Aggs: l.o.aggs}
	for _, c := range up.cols[:up.keys] {
		plan.Keys = append(plan.Keys, expr.Expr(c.Ref()))
	}
	in := &physical.Node{Cols: l.cols, Device: physical.CPU, Est: physical.Estimate{Rows: float64(l.rows)}}
	return &physical.Node{Op: plan, In: []*physical.Node{in}, Cols: up.cols, Device: physical.CPU}
}

// collect takes the rows of from, whose columns at the given positions are those of l; nil means
// all.
func (l *level) collect(ctx *op.Ctx, from op.Operator, at []int) error {
	ts := typesOf(l.cols)
	for range max(ctx.Workers, 1) {
		l.stores = append(l.stores, colstore.New(ts, l.o.account))
	}
	picked := make([]vec.Batch, len(l.stores))
	err := op.Each(ctx, from, func(w int, b *vec.Batch) error {
		if at != nil {
			p := &picked[w]
			p.Cols, p.N, p.Morsel = p.Cols[:0], b.N, b.Morsel
			for _, i := range at {
				p.Cols = append(p.Cols, b.Cols[i])
			}
			b = p
		}
		return l.add(l.stores[w], b)
	})
	if err == nil && l.o.ctx.Spill != nil && l.o.account.Crowds() {
		err = l.spillAll()
	}
	if err == nil {
		err = l.cut()
	}
	return err
}

// add adds rows to a worker's store. It spills them if there is no memory for them, or if they leave
// too little to the aggregations.
func (l *level) add(s *colstore.Store, b *vec.Batch) error {
	err := s.Append(b)
	if l.o.ctx.Spill == nil {
		return err
	}
	switch {
	case errors.Is(err, sqlerr.OutOfMemory):
		if err := l.put(s); err != nil {
			return err
		}
		return l.write(b)
	case err == nil && l.o.account.Crowds():
		return l.put(s)
	}
	return err
}

// put spills the rows of a store and frees it.
func (l *level) put(s *colstore.Store) error {
	defer s.Free()
	if s.Rows() == 0 {
		return nil
	}
	all := vec.Batch{Cols: s.Columns(), N: s.Rows()}
	for from := 0; from < all.N; from += l.o.ctx.Rows() {
		if err := l.o.ctx.Err(); err != nil {
			return err
		}
		if err := l.write(all.Slice(from, min(from+l.o.ctx.Rows(), all.N))); err != nil {
			return err
		}
	}
	return nil
}

// spillAll spills all rows, which then no longer refer to the source.
func (l *level) spillAll() error {
	for _, s := range l.stores {
		if err := l.put(s); err != nil {
			return err
		}
	}
	l.stores = nil
	return l.closeSource()
}

// write writes rows to the level's file.
func (l *level) write(b *vec.Batch) (err error) {
	l.mu.Lock()
	if l.file == nil {
		l.file, err = l.o.ctx.Spill.Create(typesOf(l.cols))
	}
	l.mu.Unlock()
	if err != nil {
		return err
	}
	blocks, err := l.file.WriteAll(b, l.o.ctx.Rows())
	l.mu.Lock()
	l.blocks = append(l.blocks, blocks...)
	l.mu.Unlock()
	return err
}

// cut divides the rows into pieces.
func (l *level) cut() error {
	for _, b := range l.blocks {
		l.pieces = append(l.pieces, piece{block: b})
		l.rows += b.Rows
	}
	inMemory := false
	for _, s := range l.stores {
		all := vec.Batch{Cols: s.Columns(), N: s.Rows()}
		l.rows += all.N
		inMemory = inMemory || all.N > 0
		for from := 0; from < all.N; from += l.o.ctx.Rows() {
			l.pieces = append(l.pieces, piece{rows: all.Slice(from, min(from+l.o.ctx.Rows(), all.N))})
		}
	}
	if inMemory {
		return nil
	}
	return l.closeSource()
}

// closeSource closes the operator that made the rows.
func (l *level) closeSource() error {
	if l.depth == len(l.o.keyAt) {
		return l.o.closeInput()
	}
	if l.source == nil {
		return nil
	}
	source := l.source
	l.source = nil
	return source.Close()
}

func (l *level) free() error {
	for _, s := range l.stores {
		s.Free()
	}
	l.stores, l.pieces = nil, nil
	err := l.closeSource()
	return errors.Join(err, l.file.Close())
}
