package keyindex

import (
	"context"
	"math"
	"sync/atomic"

	"gsql/sql/sqlerr"
)

// Others is an index in which the keys of new rows are looked up before they are entered into another or the same one.
type Others struct {
	Index *Index
	// Taken reports whether a row with one of the keys keeps it from being entered. It is called by several goroutines.
	Taken func(id int64) bool
}

// Enter enters the keys of chunks, which are in the order of their rows' ids, unless one of them is taken: by a row of
// others, which include x, or by a row before. It returns the id of the first row whose key is taken, and -1 if
// there is none.
func (x *Index) Enter(ctx context.Context, chunks []*Chunk, others ...Others) (taken int64, err error) {
	before := x.Mark()
	for len(chunks) > 0 && err == nil {
		n := together(chunks)
		if taken, err = x.enter(ctx, chunks[:n], others); err != nil || taken >= 0 {
			x.Reset(before)
			return taken, err
		}
		chunks = chunks[n:]
	}
	return -1, nil
}

// together returns the number of chunks from the first whose ids are so close that they fit in a block.
func together(chunks []*Chunk) int {
	n := 1
	for n < len(chunks) && closeTogether(chunks[0].first, chunks[n].last()) {
		n++
	}
	return n
}

func (x *Index) enter(ctx context.Context, chunks []*Chunk, others []Others) (taken int64, err error) {
	if above(chunks, others) {
		for _, c := range chunks {
			x.runs = append(x.runs, newKeyRun(c.ints, c.first))
		}
		return -1, x.Charge()
	}
	b := newBuilder(x.form, chunks)
	if err := b.count(ctx); err != nil || b.n == 0 {
		return -1, err
	}
	refused := true
	size, scratch := blockBytes(x.form, b.n), int64(b.workers*b.most()*scratchBytes)
	if err := x.holding().Grow(size + scratch); err != nil {
		return -1, err
	}
	defer func() {
		x.holding().GrowAnyway(-scratch)
		if refused {
			x.holding().GrowAnyway(-size)
			x.charged -= size
		}
	}()
	x.charged += size
	if err := b.scatter(ctx); err != nil {
		return -1, err
	}
	f := finder{builder: b, others: others}
	f.first.Store(math.MaxInt64)
	if err := f.find(ctx); err != nil || f.first.Load() < math.MaxInt64 {
		return f.first.Load(), err
	}
	for _, c := range chunks {
		x.top = max(x.top, c.top())
	}
	x.take(b.block)
	refused = false
	return -1, nil
}

// above reports whether the keys of chunks are ascending integers above those of all others, so that they can be
// kept as runs.
func above(chunks []*Chunk, others []Others) bool {
	rows := 0
	for i, c := range chunks {
		if !c.climbs || c.ids != nil || i > 0 && c.ints[0] <= chunks[i-1].ints[chunks[i-1].n-1] {
			return false
		}
		rows += c.n
	}
	for _, o := range others {
		if !o.Index.empty() && chunks[0].ints[0] <= o.Index.max() {
			return false
		}
	}
	return rows >= runRows
}

// finder orders the entries of a new block and finds the first row whose key is taken.
type finder struct {
	*builder
	others []Others
	first  atomic.Int64 // its id; math.MaxInt64 if there is none
}

func (f *finder) find(ctx context.Context) error {
	err := parallel(ctx, f.workers, len(f.ends), func(worker, part int) error {
		f.order(&f.scratch[worker], part)
		from, to := f.bounds(part)
		for i := from; i < to; i++ {
			if i%claimRows == 0 && ctx.Err() != nil {
				return sqlerr.From(ctx.Err())
			}
			if i > from && f.hi[i] == f.hi[i-1] {
				f.repeats(i, from)
			}
			f.look(i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, o := range f.others {
		o.Index.eachSingle(func(p print, id int64) bool {
			if own := f.lowest(p); own >= 0 && o.Taken(id) {
				f.note(own)
			}
			return true
		})
	}
	return nil
}

// claimRows is the number of keys between checks for cancellation.
const claimRows = 4096

// note records that the key of a row is taken.
func (f *finder) note(id int64) {
	for first := f.first.Load(); id < first && !f.first.CompareAndSwap(first, id); {
		first = f.first.Load()
	}
}

// repeats notes the row of entry i if an earlier one, from the given one on, has the same print. Rows with the same first
// word are in order.
func (f *finder) repeats(i, from int) {
	if f.id(i) >= f.first.Load() {
		return
	}
	for j := i - 1; j >= from && f.hi[j] == f.hi[i]; j-- {
		if f.lo == nil || f.lo[j] == f.lo[i] {
			f.note(f.id(i))
			return
		}
	}
}

// look notes the row of entry i if its key is in a block or run of others.
func (f *finder) look(i int) {
	p, own := f.print(i), int64(-1)
	for k := range f.others {
		o := &f.others[k]
		for _, b := range o.Index.blocks {
			if id := b.get(p); id >= 0 && o.Taken(id) {
				own = f.id(i)
			}
		}
		if len(o.Index.runs) > 0 {
			if id, ok := o.Index.inRuns(intOf(p)); ok && o.Taken(id) {
				own = f.id(i)
			}
		}
	}
	if own >= 0 {
		f.note(own)
	}
}
