package tables

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"gsql/exec/op"
	"gsql/gpu/column"
	"gsql/gpu/lower"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// batchRows is the number of rows of a part, which is the size of a reader's batches.
const batchRows = 8 * vec.BatchSize

// scan reads columns of a table into parts in host memory, each as narrow as its values allow. The
// bounds of a column are thus measured, not estimated, and its parts take no more memory than the
// column will take on the device.
type scan struct {
	ctx      *op.Ctx
	table    catalog.Table
	ordinals []int
	types    []types.Type  // of what is packed
	program  *eval.Program // computes what is packed from the only column; nil if columns are packed themselves
	account  *mem.Account
	workers  []worker
	order    []packed // of all workers, in the table's order
}

// worker reads some of the morsels.
type worker struct {
	number  int
	packers []*column.Packer
	memory  slabs
	done    []packed
}

// packed is a batch: a part of each column.
type packed struct {
	morsel int64
	worker int
	parts  []column.Part
}

func newScan(ctx *op.Ctx, table catalog.Table, ordinals []int) *scan {
	s := &scan{ctx: ctx, table: table, ordinals: ordinals, account: ctx.Account("Device columns of " + table.Name())}
	for _, o := range ordinals {
		s.types = append(s.types, table.Schema().Columns[o].Type)
	}
	s.workers = make([]worker, max(ctx.Workers, 1))
	for i := range s.workers {
		s.workers[i].number, s.workers[i].memory.account = i, s.account
	}
	s.addPackers()
	return s
}

func (s *scan) addPackers() {
	for i := range s.workers {
		w := &s.workers[i]
		w.packers = nil
		for _, t := range s.types {
			w.packers = append(w.packers, column.NewPacker(t, w.memory.room, s.account.Reserve))
		}
	}
}

// derive makes the scan pack the values of a function of its only column.
func (s *scan) derive(d *lower.Derived) (err error) {
	if s.program, err = eval.Compile(d.Expr, []expr.ColID{d.Column}); err != nil {
		return err
	}
	s.types = []types.Type{d.Expr.T}
	s.addPackers()
	return nil
}

// failing is the reason why a function that fails for a value of its column is not on a device: the row of
// that value may not be one of those that a query computes it for.
const failing = column.Refusal("a function fails for one of its values")

// free releases the parts.
func (s *scan) free() {
	for i := range s.workers {
		s.workers[i].memory.buffers.Free()
	}
	s.account.End()
}

// read scans the table with all workers.
func (s *scan) read() error {
	spec := catalog.ScanSpec{Columns: s.ordinals, BatchSize: batchRows, Narrow: s.program == nil, Passing: true, Mem: s.account, Progress: s.ctx.Read}
	err := scanWith(s.ctx, s.table, spec, len(s.workers), func(ctx context.Context, source catalog.Source, worker int) error {
		return s.work(ctx, source, &s.workers[worker])
	})
	if err == nil {
		s.sort()
	}
	return err
}

// scanWith scans a table with several workers. The first error ends the others.
func scanWith(query *op.Ctx, table catalog.Table, spec catalog.ScanSpec, workers int, work func(ctx context.Context, source catalog.Source, worker int) error) error {
	ctx, cancel := context.WithCancelCause(query.Context)
	defer cancel(nil)
	source, err := table.Scan(ctx, spec)
	if err != nil {
		return err
	}
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			if errs[w] = sqlerr.Guard(func() error { return work(ctx, source, w) }); errs[w] != nil {
				cancel(errs[w])
			}
		})
	}
	wg.Wait()
	err = source.Close()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return errors.Join(append(errs, err)...)
}

// work packs the batches of one reader.
func (s *scan) work(ctx context.Context, source catalog.Source, w *worker) error {
	r, err := source.NewReader()
	if err != nil {
		return err
	}
	var function *eval.Evaluator
	if s.program != nil {
		function = s.program.NewEvaluator(kernel.Ctx{Mem: s.account})
		defer function.Release()
	}
	err = eachBatch(ctx, r, func(b *vec.Batch) error {
		if b.N == 0 {
			return nil
		}
		return s.packBatch(w, b, function)
	})
	if err = errors.Join(err, r.Close()); err != nil {
		return err
	}
	for _, p := range w.packers {
		if p.Texts != nil {
			if err := p.Texts.Sort(); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachBatch calls f for each batch of a reader until the context ends.
func eachBatch(ctx context.Context, r catalog.Reader, f func(b *vec.Batch) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := r.Next()
		if b == nil || err != nil {
			return err
		}
		if err := f(b); err != nil {
			return err
		}
	}
}

// batchBytes is the host memory that a batch takes in addition to its parts, plus partBytes for
// each column.
const (
	batchBytes = 64
	partBytes  = 128
)

// packBatch packs the columns of a batch, or the values of a function of them.
func (s *scan) packBatch(w *worker, b *vec.Batch, function *eval.Evaluator) error {
	if function == nil {
		return s.pack(w, b)
	}
	v, err := function.Eval(b)
	switch {
	case errors.Is(err, sqlerr.OutOfMemory):
		return err
	case err != nil:
		return named(s.table, s.ordinals[0], failing)
	}
	if v.Form == vec.View && v.Base.Dict { // its texts go with the evaluator
		base, view := *v.Base, *v
		base.Dict = false
		view.Base, v = &base, &view
	}
	return s.pack(w, &vec.Batch{Cols: []*vec.Vector{v}, N: b.N, Morsel: b.Morsel})
}

func (s *scan) pack(w *worker, b *vec.Batch) error {
	if err := s.account.Reserve(batchBytes + partBytes*int64(len(b.Cols))); err != nil {
		return err
	}
	parts := make([]column.Part, len(b.Cols))
	for i, v := range b.Cols {
		var err error
		if parts[i], err = w.packers[i].Pack(v); err != nil {
			return named(s.table, s.ordinals[i], err)
		}
	}
	w.done = append(w.done, packed{b.Morsel, w.number, parts})
	return nil
}

// sort brings the batches into the table's order. Those of one morsel come from one worker.
func (s *scan) sort() {
	for i := range s.workers {
		s.order = append(s.order, s.workers[i].done...)
		s.workers[i].done = nil
	}
	slices.SortStableFunc(s.order, func(a, b packed) int { return cmp.Compare(a.morsel, b.morsel) })
}

// parts returns the parts of column i and the number of the worker that made each.
func (s *scan) parts(i int) (parts []column.Part, makers []int) {
	parts, makers = make([]column.Part, len(s.order)), make([]int, len(s.order))
	for k, b := range s.order {
		parts[k], makers[k] = b.parts[i], b.worker
	}
	return parts, makers
}
