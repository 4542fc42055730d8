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

// recursiveDisk has the rows of a recursive expression once memory had no room for them, in the
// order of iterations.
type recursiveDisk struct {
	mu     sync.Mutex // guards file until it is there
	file   *spill.File
	blocks []spill.Block
	rows   int64
	seen   seen // with Distinct
}

// mayLeave reports whether going to disk remedies an error.
func (r *recursive) mayLeave(ctx *op.Ctx, err error) bool {
	return ctx.Spill != nil && errors.Is(err, sqlerr.OutOfMemory)
}

// write puts rows into the file, a batch a block.
func (r *recursive) write(rows *vec.Batch) (blocks []spill.Block, err error) {
	r.disk.mu.Lock()
	if r.disk.file == nil {
		r.disk.file, err = r.ctx.Spill.Create(columnTypes(r.node))
	}
	r.disk.mu.Unlock()
	for from := 0; from < rows.N && err == nil; from += r.ctx.Rows() {
		if err = r.ctx.Err(); err == nil {
			var b spill.Block
			b, err = r.disk.file.Write(rows.Slice(from, min(from+r.ctx.Rows(), rows.N)))
			blocks = append(blocks, b)
		}
	}
	return blocks, err
}

// keep makes blocks the last rows.
func (r *recursive) keep(blocks []spill.Block) {
	r.disk.blocks = append(r.disk.blocks, blocks...)
	for _, b := range blocks {
		r.disk.rows += int64(b.Rows)
	}
}

// putAway moves the first n rows in memory to disk. Further ones are forgotten.
func (r *recursive) putAway(n int) error {
	all := vec.Batch{Cols: r.rows.Columns(), N: n}
	blocks, err := r.write(&all)
	if err == nil {
		r.keep(blocks)
	}
	r.rows.Free()
	r.rows = nil
	return err
}

// addOnDisk adds rows, of which fresh are on disk already, to those there; they are the work
// table then.
func (r *recursive) addOnDisk(added *colstore.Store, fresh []spill.Block) error {
	if r.rows != nil {
		if err := r.putAway(r.rows.Rows()); err != nil {
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

// unseen returns the different rows of blocks that are not among those before: as EXCEPT does,
// which goes to disk where it lacks memory.
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

// collect reads in to its end: its rows are in memory, or in blocks on disk.
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

// aside are rows that go to disk before they are added.
type aside struct {
	r       *recursive
	arbiter *spill.Arbiter
	mu      sync.Mutex
	blocks  []spill.Block
}

// asideWorker is what one worker has of them in memory.
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
			if err != nil && k.store.Rows() == 0 { // what some columns took is room for others
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
