package sort

import (
	"math"
	"sync"
	"unsafe"

	"gsql/exec/colstore"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// runs are the sorted rows that left memory (external merge sort: Knuth, The Art of
// Computer Programming, volume 3, 5.4). Rows have the morsel they came from as a last
// column, so that rows with equal keys stay in the order of the input.
type runs struct {
	file *spill.File

	mu  sync.Mutex
	all []run
}

// run is rows in order, some to a block.
type run []spill.Block

const (
	// A block of a run has at most mostRows rows, and fewer where there is so little memory
	// that runs have less than runBlocks such blocks: as many are in memory when they are merged.
	minRows, mostRows = 64, 4 * vec.BatchSize
	runBlocks         = maxFanIn / 2
	// leastRun is the least rows of a run that is made to leave memory to others.
	leastRun = 2 * vec.BatchSize
	// sortBytes is what sorting takes a row.
	sortBytes = 2*int64(unsafe.Sizeof(entry{})) + 4
)

func (r *runs) close() error {
	if r == nil {
		return nil
	}
	return r.file.Close()
}

func (r *runs) add(x run) {
	r.mu.Lock()
	r.all = append(r.all, x)
	r.mu.Unlock()
}

// keep adds rows to the store. Where memory has no room for them, what is there becomes a
// run: the memory that sorting it takes is reserved beforehand.
func (c *collector) keep(b *vec.Batch) error {
	if c.o.ctx.Spill == nil {
		return c.store.Append(b)
	}
	if c.store.Rows() >= leastRun && c.o.account.Crowds() {
		if err := c.o.room.Put(c); err != nil {
			return err
		}
	}
	return c.o.room.Add(c, func() error { return c.append(b) })
}

// append adds rows to the store. Who has none but those, for which there is no room, holds
// nothing while it waits for the others.
func (c *collector) append(b *vec.Batch) error {
	err := c.coverSort(int64(c.store.Rows() + b.N))
	if err == nil {
		err = c.store.Append(b)
	}
	if err != nil && c.store.Rows() == 0 { // what it took is room for others
		c.store.Free()
		c.coverSort(0)
	}
	return err
}

// coverSort makes what is reserved memory for sorting so many rows.
func (c *collector) coverSort(rows int64) error {
	want := rows * (sortBytes + c.o.perRow)
	if want < c.held {
		c.o.account.Release(c.held - want)
	} else if err := c.o.account.Reserve(want - c.held); err != nil {
		return err
	}
	c.held = want
	return nil
}

// Rows implements spill.Holder.
func (c *collector) Rows() int { return c.store.Rows() }

// Put implements spill.Holder: it makes a run of the store's rows.
func (c *collector) Put() error {
	rs, err := c.o.spilled()
	var sorted *mem.Buffer[int32]
	if err == nil {
		sorted, err = c.sorted()
	}
	if err == nil {
		best := sorted.S[:c.store.Rows()]
		if limit := c.o.limit; limit >= 0 && int64(len(best)) >= limit {
			best = best[:limit]
			c.tighten(c.boundOf(best))
		}
		err = c.o.writeRun(rs, c.store, best)
	}
	sorted.Free()
	c.store.Free()
	c.coverSort(0)
	return err
}

// sorted gives the numbers of the store's rows in order, in the memory that coverSort reserved.
func (c *collector) sorted() (*mem.Buffer[int32], error) {
	return c.o.orderAlone(c.o.sortKeys(c.store.Columns()), c.store.Rows())
}

// orderAlone gives the numbers of rows in order, in memory that is nobody's. The other workers go
// on meanwhile.
func (o *Operator) orderAlone(keys []column, rows int) (*mem.Buffer[int32], error) {
	alone := *o.ctx
	alone.Workers = 1
	return order(&alone, mem.NewRoot("Sort", 0), keys, rows)
}

// spilled gives the operator's runs, making them for the first.
func (o *Operator) spilled() (*runs, error) {
	o.spilling.Lock()
	defer o.spilling.Unlock()
	if o.runs == nil {
		f, err := o.runFile()
		if err != nil {
			return nil, err
		}
		o.runs = &runs{file: f}
	}
	return o.runs, nil
}

// runFile makes a file for runs.
func (o *Operator) runFile() (*spill.File, error) {
	return o.ctx.Spill.Create(append(o.types[:len(o.types):len(o.types)], types.T(types.Int64)))
}

// writeRun makes a run of rows of a store, whose numbers in order it gets.
func (o *Operator) writeRun(rs *runs, s *colstore.Store, sorted []int32) error {
	cols := append(s.Columns(), s.Morsels())
	var r run
	rows := min(max(len(sorted)/runBlocks, minRows), mostRows)
	for rest := sorted; len(rest) > 0; {
		if err := o.ctx.Err(); err != nil {
			return err
		}
		n := min(len(rest), rows)
		block, err := rs.file.Write(vec.Select(&vec.Batch{Cols: cols, N: s.Rows()}, rest[:n]))
		if err != nil {
			return err
		}
		r, rest = append(r, block), rest[n:]
	}
	rs.add(r)
	return nil
}

// mustSpill tells whether the workers' rows cannot be put together and sorted in memory,
// where others are on disk already or there is no room.
func (o *Operator) mustSpill(cs []*collector) bool {
	if o.runs != nil || o.ctx.Spill == nil {
		return o.runs != nil
	}
	var held int64
	stores := make([]*colstore.Store, len(cs))
	for i, c := range cs {
		stores[i], held = c.store, held+c.held
	}
	bytes, rows := colstore.ConcatBytes(stores...)
	return rows > math.MaxInt32 || o.account.Left()+held < bytes+rows*(sortBytes+o.perRow)
}

// spillAll makes runs of what the workers hold.
func (o *Operator) spillAll(cs []*collector) error {
	for i, c := range cs {
		if c.store.Rows() == 0 {
			continue
		}
		if err := c.Put(); err != nil {
			free(cs[i+1:])
			return err
		}
	}
	return nil
}

// free gives back what the workers hold.
func free(cs []*collector) {
	for _, c := range cs {
		c.store.Free()
		c.coverSort(0)
	}
}
