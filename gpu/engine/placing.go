package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/sql/sqlerr"
)

// Placing fills whole columns. Several goroutines write rows in any order, each at its position. A block is a range of
// rows of all columns in one pinned buffer. It crosses the link as soon as it is complete, while other blocks are
// filled, so that the host writes each value only once.
//
// Blocks are opened in order, and there may be fewer buffers than blocks. A goroutine may therefore ask for a block only
// if all earlier rows have been written or have a goroutine that writes them without waiting for a later block.
type Placing struct {
	// Columns are the columns with their addresses.
	Columns []column.Narrow

	t       *Task
	forms   []StreamColumn
	entries []*entry // of those columns that stay in the cache
	rows    int64
	each    int64 // rows of a block
	blockForm
	blocks []atomic.Pointer[PlacedBlock]

	opening sync.Mutex
	opened  atomic.Int64 // blocks; it changes while opening is held

	queue sync.Mutex // held to queue copies
	ended int        // blocks queued
}

// PlacedBlock is a block of a Placing. Validity bits are 0 at first.
type PlacedBlock struct {
	*Block
	First, Rows int64
	// Mu must be held to write rows that begin or end within a word of validity bits.
	Mu      sync.Mutex
	missing atomic.Int64
}

// NewPlacing allocates memory for columns of the same number of rows, which is not 0. Valid is set for those that may
// have NULLs. With keep, the columns stay in the cache under their keys if there is enough memory. The error is 1037 if
// the device has too little.
func (t *Task) NewPlacing(keys []Key, keep bool, columns []column.Narrow) (*Placing, error) {
	p := &Placing{t: t, rows: columns[0].Rows}
	for i := range columns {
		c, x, err := t.place(keys[i], keep, columns[i])
		if x != nil {
			p.entries = append(p.entries, x)
		}
		if err != nil {
			p.forget()
			return nil, err
		}
		p.Columns = append(p.Columns, c)
		p.forms = append(p.forms, StreamColumn{Width: c.Width, Nullable: c.Valid != 0})
	}
	units := t.e.uploads.Size() / (rowBits(p.forms) * streamRows / 8)
	if units == 0 {
		p.forget()
		return nil, sqlerr.Internal("%d columns do not fit a block", len(columns))
	}
	p.each = min(units, (p.rows+streamRows-1)/streamRows) * streamRows
	p.blockForm = formOf(p.forms, p.each)
	p.blocks = make([]atomic.Pointer[PlacedBlock], (p.rows+p.each-1)/p.each)
	if err := t.order(t.Compute, t.e.upload); err != nil { // kernels may still use the memory
		p.forget()
		return nil, err
	}
	return p, nil
}

// Block returns the block that has a row. It waits for a buffer until ctx ends.
func (p *Placing) Block(ctx context.Context, row int64) (*PlacedBlock, error) {
	if row < 0 || row >= p.rows {
		return nil, sqlerr.Internal("row %d of %d", row, p.rows)
	}
	i := row / p.each
	b := p.blocks[i].Load()
	for ; b == nil; b = p.blocks[i].Load() {
		if err := p.open(ctx, i); err != nil {
			return nil, err
		}
	}
	return b, p.openAhead(i)
}

// open opens the next block unless those up to a number are open.
func (p *Placing) open(ctx context.Context, last int64) error {
	p.opening.Lock()
	defer p.opening.Unlock()
	if p.opened.Load() > last {
		return nil
	}
	staging, err := p.t.e.uploads.Get(ctx)
	if err != nil {
		return err
	}
	p.use(staging)
	return nil
}

// openAhead opens the block after a newly opened one if there is a buffer for it. Goroutines that write the rows of a
// block, a batch each, ask for the next one at almost the same time: they would all wait for the one that opens it, and
// then for each other's wake-up.
func (p *Placing) openAhead(newest int64) error {
	if p.opened.Load() != newest+1 || newest+1 == int64(len(p.blocks)) || !p.opening.TryLock() {
		return nil
	}
	defer p.opening.Unlock()
	if p.opened.Load() != newest+1 {
		return nil
	}
	staging, err := p.t.e.uploads.Idle()
	if staging != nil {
		p.use(staging)
	}
	return err
}

// use makes a buffer the next block.
func (p *Placing) use(staging *gpu.Staging) {
	at := p.opened.Load()
	b := &PlacedBlock{Block: p.block(staging), First: at * p.each}
	b.Rows = min(p.each, p.rows-b.First)
	b.missing.Store(b.Rows)
	for i, c := range p.forms {
		clear(b.Valid[i])
		clear(b.Values[i][b.Rows*int64(c.Width):])
	}
	p.blocks[at].Store(b)
	p.opened.Store(at + 1)
}

// Written records that rows of a block have been written. The call that completes the block queues its copy.
func (p *Placing) Written(b *PlacedBlock, rows int64) error {
	if b.missing.Add(-rows) > 0 {
		return nil
	}
	p.queue.Lock()
	defer p.queue.Unlock()
	p.ended++
	var errs []error
	for i := range p.Columns {
		c := &p.Columns[i]
		errs = append(errs, p.copy(c.Values+gpu.Ptr(b.First*int64(c.Width)), b.Values[i], b.Rows*int64(c.Width)))
		if c.Valid != 0 {
			errs = append(errs, p.copy(c.Valid+gpu.Ptr(b.First/8), b.Valid[i], (b.Rows+7)/8))
		}
	}
	errs = append(errs, p.t.e.uploads.Behind(b.staging, p.t.e.upload))
	p.t.e.uploads.Put(b.staging)
	b.staging = nil
	return errors.Join(errs...)
}

// copy queues copying the first bytes of a part, rounded up to the alignment of columns.
func (p *Placing) copy(dst gpu.Ptr, part []byte, bytes int64) error {
	return p.t.Device.CopyToDevice(dst, part[:(bytes+gpu.Alignment-1)/gpu.Alignment*gpu.Alignment], p.t.e.upload)
}

// Close waits for the copies. No goroutine may use the Placing any more. err is the reason why rows are missing, or nil.
// After an error no column is left in the cache.
func (p *Placing) Close(err error) error {
	for i := range p.opened.Load() {
		if b := p.blocks[i].Load(); b.staging != nil {
			p.t.e.uploads.Put(b.staging)
		}
	}
	if err == nil && p.ended < len(p.blocks) {
		err = sqlerr.Internal("rows are missing in %d of %d blocks", len(p.blocks)-p.ended, len(p.blocks))
	}
	if err = errors.Join(err, p.t.Device.Sync(p.t.e.upload)); err != nil {
		p.forget()
	}
	return err
}

// forget removes the columns from the cache.
func (p *Placing) forget() {
	for _, x := range p.entries {
		p.t.e.forget(x)
	}
}
