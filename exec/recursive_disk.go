package exec

import (
	"errors"
	"sync"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// recursiveDisk has the spilled rows of a recursive expression, in the order of the iterations.
type recursiveDisk struct {
	mu     sync.Mutex // guards file until it is created
	file   *spill.File
	blocks []spill.Block
	rows   int64
	seen   seen // only with Distinct
}

// mayLeave reports whether spilling can remedy err.
func (r *recursive) mayLeave(ctx *op.Ctx, err error) bool {
	return ctx.Spill != nil && errors.Is(err, sqlerr.OutOfMemory)
}

// write writes rows to the file, one block per batch.
func (r *recursive) write(rows *vec.Batch) (blocks []spill.Block, err error) {
	r.disk.mu.Lock()
	if r.disk.file == nil {
		r.disk.file, err = r.ctx.Spill.Create(columnTypes(r.node))
	}
	r.disk.mu.Unlock()
	for from := 0; from < rows.N && err == nil; from += r.ctx.Rows() {
		if err = r.ctx.Err(); err == nil {
			var some []spill.Block
			some, err = r.disk.file.WriteAll(rows.Slice(from, min(from+r.ctx.Rows(), rows.N)), r.ctx.Rows())
			blocks = append(blocks, some...)
		}
	}
	return blocks, err
}

// keep appends blocks to the rows of the expression.
func (r *recursive) keep(blocks []spill.Block) {
	r.disk.blocks = append(r.disk.blocks, blocks...)
	for _, b := range blocks {
		r.disk.rows += int64(b.Rows)
	}
}

// spillFirst spills the first n rows in memory and drops the others.
func (r *recursive) spillFirst(n int) error {
	all := vec.Batch{Cols: r.rows.Columns(), N: n}
	blocks, err := r.write(&all)
	if err == nil {
		r.keep(blocks)
	}
	r.rows.Free()
	r.rows = nil
	return err
}

// addOnDisk adds the rows of added, and those of fresh, which are on disk already, to the rows on
// disk. They become the work table.
func (r *recursive) addOnDisk(added *colstore.Store, fresh []spill.Block) error {
	if r.rows != nil {
		if err := r.spillFirst(r.rows.Rows()); err != nil {
			return err
		}
	}
	if added.Rows() > 0 {
		more, err := r.write(&vec.Batch{Cols: added.Columns(), N: added.Rows()})
		if err != nil {
			return err
		}
		fresh = append(fresh, more...)
	}
	added.Free()
	if r.plan.Distinct && len(fresh) > 0 {
		var err error
		if fresh, err = r.unseen(fresh); err != nil {
			return err
		}
	}
	r.keep(fresh)
	r.work.reset(r.disk.file, fresh, &vec.Batch{})
	return nil
}

// unseen returns the distinct rows of fresh that are not on disk yet. It computes them by EXCEPT,
// which spills if it lacks memory.
func (r *recursive) unseen(fresh []spill.Block) (out []spill.Block, err error) {
	if out, ok, err := r.allUnseen(fresh); ok || err != nil {
		return out, err
	}
	n := &physical.Node{Op: &physical.SetOp{Set: logical.Except}, Cols: r.node.Cols, Device: physical.CPU}
	except, err := newSetOp(n, onDisk(r.disk.file, fresh), onDisk(r.disk.file, r.disk.blocks))
	if err != nil {
		return nil, err
	}
	ctx := r.ctx.Within(r.account, nil)
	if err = except.Open(ctx); err == nil {
		var mu sync.Mutex
		err = op.Each(ctx, except, func(_ int, b *vec.Batch) error {
			blocks, err := r.write(b)
			mu.Lock()
			out = append(out, blocks...)
			mu.Unlock()
			return err
		})
	}
	return out, errors.Join(err, except.Close())
}

// collect reads in to its end. It returns the rows either in memory or as blocks on disk.
func (r *recursive) collect(ctx *op.Ctx, in op.Operator) (added *colstore.Store, fresh []spill.Block, err error) {
	set := &aside{r: r, arbiter: spill.NewArbiter(ctx)}
	var stores []*colstore.Store
	for range max(ctx.Workers, 1) {
		stores = append(stores, colstore.New(columnTypes(r.node), r.account))
	}
	err = op.Drain(ctx, in, func(w int, s op.Stream) error {
		k := &asideWorker{set, stores[w]}
		set.arbiter.Begin()
		defer set.arbiter.End(k)
		return k.drain(ctx, s)
	})
	bytes, _ := colstore.ConcatBytes(stores...)
	if err == nil && ctx.Spill != nil && (len(set.blocks) > 0 || bytes > r.account.Left()) {
		for _, s := range stores {
			if err == nil && s.Rows() > 0 {
				err = (&asideWorker{set, s}).Put()
			}
		}
	}
	if err != nil {
		for _, s := range stores {
			s.Free()
		}
		return nil, nil, err
	}
	added, err = colstore.Concat(ctx, stores...)
	return added, set.blocks, err
}

// aside collects rows before they are added; it may spill them.
type aside struct {
	r       *recursive
	arbiter *spill.Arbiter
	mu      sync.Mutex
	blocks  []spill.Block
}

// asideWorker holds the rows that one worker has in memory.
type asideWorker struct {
	set   *aside
	store *colstore.Store
}

func (k *asideWorker) drain(ctx *op.Ctx, s op.Stream) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := s.Next()
		if b == nil || err != nil {
			return err
		}
		add := func() error {
			err := k.store.Append(b)
			if err != nil && k.store.Rows() == 0 { // release what the first columns took
				k.store.Free()
			}
			return err
		}
		if ctx.Spill == nil {
			err = add()
		} else {
			err = k.set.arbiter.Add(k, add)
		}
		if err != nil {
			return err
		}
	}
}

// Rows implements spill.Holder.
func (k *asideWorker) Rows() int { return k.store.Rows() }

// Put implements spill.Holder.
func (k *asideWorker) Put() error {
	blocks, err := k.set.r.write(&vec.Batch{Cols: k.store.Columns(), N: k.store.Rows()})
	k.store.Free()
	k.set.mu.Lock()
	k.set.blocks = append(k.set.blocks, blocks...)
	k.set.mu.Unlock()
	return err
}
