package sort

import (
	"errors"
	"math"
	"sync"
	"unsafe"

	"gsql/exec/colstore"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// runs are the sorted rows that were spilled (external merge sort: Knuth, The Art of Computer
// Programming, volume 3, 5.4). Rows have their morsel as a last column, so that rows with equal
// keys keep the order of the input.
type runs struct {
	file *spill.File

	mu  sync.Mutex
	all []run
}

// run is a sequence of rows in order, in blocks.
type run []spill.Block

const (
	// A block of a run has at most mostRows rows. It has fewer if memory is so short that runs
	// have less than runBlocks such blocks: about that many blocks are in memory when runs are
	// merged.
	minRows, mostRows = 64, 4 * vec.BatchSize
	runBlocks         = maxFanIn / 2
	// ownBlocks is the least number of blocks that fit in the sort's own memory.
	ownBlocks = 32
	// leastRun is the least number of rows in a run made to leave memory to other operators.
	leastRun = 2 * vec.BatchSize
	// sortBytes is the number of bytes per row that sorting needs.
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

// keep adds rows to the store. If they do not fit in memory, the rows of the store become a run;
// the memory for sorting them is reserved beforehand.
func (c *collector) keep(b *vec.Batch) error {
	if c.o.ctx.Spill == nil {
		return c.store.Append(b)
	}
	if c.store.Rows() >= leastRun && c.o.account.Crowds() {
		if err := c.o.arbiter.Put(c); err != nil {
			return err
		}
	}
	return c.orPut(b, c.o.arbiter.Add(c, func() error { return c.append(b) }))
}

// orPut makes a run of a batch that was refused for lack of memory. It requires no further memory
// from the account: the batch itself is in memory anyway. It returns any other error.
func (c *collector) orPut(b *vec.Batch, refusal error) error {
	if !errors.Is(refusal, sqlerr.OutOfMemory) {
		return refusal
	}
	rs, err := c.o.spilled()
	if err != nil {
		return err
	}
	flat := make([]*vec.Vector, len(b.Cols), len(b.Cols)+1)
	for i, col := range b.Cols {
		if flat[i] = col; col.Type.ID != types.Null {
			flat[i] = col.Flatten(nil)
		}
	}
	sorted, err := c.o.orderAlone(c.o.sortKeys(flat), b.N)
	if err != nil {
		return err
	}
	defer sorted.Free()
	morsel := func(rows []int32, out []int64) {
		for i := range rows {
			out[i] = b.Morsel
		}
	}
	return c.o.writeRun(rs, &vec.Batch{Cols: flat, N: b.N}, morsel, c.o.wanted(sorted.S[:b.N]))
}

// wanted returns the first of sorted rows, up to the limit.
func (o *Operator) wanted(sorted []int32) []int32 {
	if o.limit >= 0 && int64(len(sorted)) > o.limit {
		return sorted[:o.limit]
	}
	return sorted
}

// append adds rows to the store. If the store is empty and the rows do not fit, it releases its
// memory, so that a worker that waits for others holds none.
func (c *collector) append(b *vec.Batch) error {
	err := c.coverSort(int64(c.store.Rows() + b.N))
	if err == nil {
		err = c.store.Append(b)
	}
	if err != nil && c.store.Rows() == 0 { // release what the first columns took
		c.store.Free()
		c.coverSort(0)
	}
	return err
}

// coverSort adjusts the reserved memory to what sorting rows rows needs.
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

// Put implements spill.Holder. It makes a run of the store's rows.
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
		err = c.o.writeRunOf(rs, c.store, best)
	}
	sorted.Free()
	c.store.Free()
	c.coverSort(0)
	return err
}

// sorted returns the numbers of the store's rows in order, using the memory that coverSort
// reserved.
func (c *collector) sorted() (*mem.Buffer[int32], error) {
	return c.o.orderAlone(c.o.sortKeys(c.store.Columns()), c.store.Rows())
}

// orderAlone returns row numbers in order. Its memory is what coverSort reserved or, for the rows
// of a single batch, not counted. It uses one worker; the others continue meanwhile.
func (o *Operator) orderAlone(keys []column, rows int) (*mem.Buffer[int32], error) {
	alone := *o.ctx
	alone.Workers = 1
	return order(&alone, o.account.Prepaid("Sort", 0), keys, rows)
}

// spilled returns the operator's runs, which it creates if there are none.
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

// writeRunOf writes a run of the rows of a store; sorted lists their numbers in order.
func (o *Operator) writeRunOf(rs *runs, s *colstore.Store, sorted []int32) error {
	return o.writeRun(rs, &vec.Batch{Cols: s.Columns(), N: s.Rows()}, s.Morsels, sorted)
}

// writeRun writes a run of rows; sorted lists their numbers in order. morsels writes the morsels
// of rows to out.
func (o *Operator) writeRun(rs *runs, all *vec.Batch, morsels func(rows []int32, out []int64), sorted []int32) error {
	var r run
	rows := o.blockRows(all, len(sorted))
	from := vec.NewFlat(types.T(types.Int64), min(rows, len(sorted)))
	for rest := sorted; len(rest) > 0; {
		if err := o.ctx.Err(); err != nil {
			return err
		}
		n := min(len(rest), rows)
		b := vec.Select(all, rest[:n])
		morsels(rest[:n], from.I64)
		b.Cols = append(b.Cols, from.Slice(0, n))
		blocks, err := rs.file.WriteAll(b, n)
		if err != nil {
			return err
		}
		r, rest = append(r, blocks...), rest[n:]
	}
	rs.add(r)
	return nil
}

// blockRows returns the number of rows per block for a run of this many rows: so few that two
// runs can be merged in the sort's own memory.
func (o *Operator) blockRows(all *vec.Batch, rows int) int {
	n := min(max(rows/runBlocks, minRows), mostRows)
	own := o.account.OwnAbove()
	if own == 0 {
		return n
	}
	sample := min(all.N, minRows)
	bytes := int64(1)
	for _, c := range all.Cols {
		bytes += 9 * int64(sample)
		for i := range sample {
			if c.Str != nil {
				bytes += int64(len(c.Str[i*(all.N/sample)]))
			}
		}
	}
	return max(1, min(n, int(own/ownBlocks*int64(sample)/bytes)))
}

// mustSpill reports whether the workers' rows cannot be concatenated and sorted in memory,
// because others are on disk already or they do not fit.
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

// spillAll makes runs of the workers' rows.
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

// free frees the workers' rows.
func free(cs []*collector) {
	for _, c := range cs {
		c.store.Free()
		c.coverSort(0)
	}
}
