package keyindex

import (
	"context"
	"math/bits"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"gsql/sql/sqlerr"
)

const (
	pieceRows     = 1 << 14 // rows of a chunk that a goroutine takes at a time
	partitionRows = 1 << 14 // entries of a partition, which fits in a cache of the second level
	mostPartBits  = 11      // of the number of a partition: scattering rows to more is slow
)

// builder makes a block of the keys of chunks by radix partitioning: a pass over the chunks counts the rows of each
// partition, another one scatters them, and then each partition is sorted by itself.
type builder struct {
	form     Form
	chunks   []*Chunk
	pieces   []piece
	workers  int
	partBits uint
	places   [][]uint32 // by worker and partition: number of entries, then the place of the next one
	ends     []uint32   // of the partitions
	n        int        // keys without NULLs
	scratch  []scratch  // by worker
	*block
}

// scratch is memory for ordering a partition.
type scratch struct {
	words []uint64
	rows  []uint32
}

// piece is a stretch of rows of a chunk.
type piece struct {
	*Chunk
	from, to int
}

func newBuilder(form Form, chunks []*Chunk) *builder {
	b := &builder{form: form, chunks: chunks}
	rows := 0
	for _, c := range chunks {
		rows += c.n
		for from := 0; from < c.n; from += pieceRows {
			b.pieces = append(b.pieces, piece{c, from, min(c.n, from+pieceRows)})
		}
	}
	b.workers = min(runtime.GOMAXPROCS(0), max(1, len(b.pieces)/2))
	b.partBits = min(mostPartBits, uint(bits.Len(uint(rows/partitionRows))))
	return b
}

// part returns the number of the partition of a print.
func (b *builder) part(p print) uint64 { return p.hi >> (64 - b.partBits) }

// work returns the pieces of a worker. Those of the first one come first.
func (b *builder) work(worker int) []piece {
	return b.pieces[worker*len(b.pieces)/b.workers : (worker+1)*len(b.pieces)/b.workers]
}

// count counts the keys of each partition.
func (b *builder) count(ctx context.Context) error {
	b.places = make([][]uint32, b.workers)
	err := parallel(ctx, b.workers, b.workers, func(_, worker int) error {
		counts := make([]uint32, 1<<b.partBits)
		for _, p := range b.work(worker) {
			if err := ctx.Err(); err != nil {
				return sqlerr.From(err)
			}
			for i := p.from; i < p.to; i++ {
				if !p.isNull(i) {
					counts[b.part(p.print(i))]++
				}
			}
		}
		b.places[worker] = counts
		return nil
	})
	if err != nil {
		return err
	}
	at := uint32(0)
	b.ends = make([]uint32, 1<<b.partBits)
	for part := range b.ends {
		for _, counts := range b.places {
			counts[part], at = at, at+counts[part]
		}
		b.ends[part] = at
	}
	b.n = int(at)
	return nil
}

// scatter copies the keys to their partitions, each in the order of the rows.
func (b *builder) scatter(ctx context.Context) error {
	b.block = newBlock(b.form, b.chunks[0].first, b.n, max(bucketBits(b.n), b.partBits))
	b.scratch = make([]scratch, b.workers)
	b.top = uint32(b.chunks[len(b.chunks)-1].last() - b.base)
	return parallel(ctx, b.workers, b.workers, func(_, worker int) error {
		next := b.places[worker]
		for _, p := range b.work(worker) {
			if err := ctx.Err(); err != nil {
				return sqlerr.From(err)
			}
			for i := p.from; i < p.to; i++ {
				if p.isNull(i) {
					continue
				}
				key := p.print(i)
				part := b.part(key)
				at := next[part]
				next[part]++
				b.hi[at], b.rows[at] = key.hi, uint32(p.id(i)-b.base)
				if b.lo != nil {
					b.lo[at] = key.lo
				}
			}
		}
		return nil
	})
}

// bounds returns the range of a partition's entries.
func (b *builder) bounds(part int) (from, to int) {
	if part > 0 {
		from = int(b.ends[part-1])
	}
	return from, int(b.ends[part])
}

// buckets returns the numbers of a partition's buckets.
func (b *builder) buckets(part int) (from, to int) {
	each := (len(b.starts) - 1) >> b.partBits
	return part * each, (part + 1) * each
}

// most returns the number of entries of the largest partition.
func (b *builder) most() (most int) {
	for part := range b.ends {
		from, to := b.bounds(part)
		most = max(most, to-from)
	}
	return most
}

// scratchBytes is the size of the memory for ordering an entry.
const scratchBytes = 12

// order puts the entries of a partition in order.
func (b *builder) order(s *scratch, part int) {
	from, to := b.bounds(part)
	first, last := b.buckets(part)
	hi, rows := b.hi[from:to], b.rows[from:to]
	s.words, s.rows = append(s.words[:0], hi...), append(s.rows[:0], rows...)
	next := b.starts[first:last] // the number of entries of the buckets, then the places of the next ones
	for _, x := range hi {
		next[int(x>>b.shift)-first]++
	}
	at := uint32(0)
	for i, n := range next {
		next[i], at = at, at+n
	}
	for i, x := range s.words {
		bucket := int(x>>b.shift) - first
		to := next[bucket]
		next[bucket]++
		hi[to], rows[to] = x, s.rows[i]
		s.rows[i] = to
	}
	if b.lo != nil {
		lo := b.lo[from:to]
		s.words = append(s.words[:0], lo...)
		for i, x := range s.words {
			lo[s.rows[i]] = x
		}
	}
	start := from
	for i, end := range next {
		end := from + int(end)
		next[i] = uint32(start)
		b.sortBucket(start, end)
		start = end
	}
}

// parallel calls f with the numbers below n in several goroutines, the workers.
func parallel(ctx context.Context, workers, n int, f func(worker, i int) error) error {
	if n == 1 {
		return f(0, 0)
	}
	var next atomic.Int64
	var g errgroup.Group
	for worker := range min(workers, n) {
		g.Go(func() error {
			return sqlerr.Guard(func() error {
				for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
					if err := ctx.Err(); err != nil {
						return sqlerr.From(err)
					}
					if err := f(worker, int(i)); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	return g.Wait()
}
