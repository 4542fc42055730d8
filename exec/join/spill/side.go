package spill

import (
	"math"
	"slices"

	"gsql/exec/colstore"
	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

const (
	dealBits  = 5
	dealParts = 1 << dealBits
	// nullPart is the partition of rows with NULLs, if they are separate.
	nullPart = dealParts
	// dealRows is the number of rows that a worker collects before writing them, once its side is
	// on disk.
	dealRows = 8 * vec.BatchSize
)

// spilledSide holds a side's rows on disk, partitioned by the hash of their keys.
type spilledSide struct {
	*spill.Partitions
	keys  []int // the key columns
	shift int   // right shift of a hash to its partition
	whole bool  // all rows are in one partition
	room  int64 // most bytes in a block; 0 means no limit
	// nulls finds the rows that go to nullPart; nil if there are none. drops is set if they are not
	// needed.
	nulls func(*match.Side) match.NullRows
	drops bool
	// number returns the number of a block's first row, for a last column of row numbers; nil if
	// rows are not numbered.
	number func(spill.Block) int64
}

// write writes rows. Their columns may have any form.
func (d *spilledSide) write(ctx *op.Ctx, b *vec.Batch) error {
	if d.whole {
		return d.append(ctx, b)
	}
	keys, flat := make([]*vec.Vector, len(d.keys)), make([]*vec.Vector, len(d.keys))
	for i, c := range d.keys {
		flat[i] = b.Cols[c].Flatten(nil)
	}
	hash, step := make([]uint64, min(dealRows, b.N)), d.blockRows(ctx, b)
	var rows [dealParts + 1][]int32
	for lo := 0; lo < b.N; lo += dealRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+dealRows, b.N)
		for i, k := range flat {
			keys[i] = k.Slice(lo, hi)
		}
		rowhash.Rows(keys, hash[:hi-lo])
		var nulls []int32
		if d.nulls != nil {
			nulls = d.nulls(&match.Side{Rows: hi - lo, Keys: keys}).Nulls
		}
		for i, h := range hash[:hi-lo] {
			p := h >> d.shift % dealParts
			if len(nulls) > 0 && int(nulls[0]) == i {
				p, nulls = nullPart, nulls[1:]
			}
			rows[p] = append(rows[p], int32(lo+i))
		}
		if d.drops {
			rows[nullPart] = rows[nullPart][:0]
		}
		for p := range rows {
			for some := range slices.Chunk(rows[p], step) {
				if err := d.Put(p, vec.Select(b, some)); err != nil {
					return err
				}
			}
			rows[p] = rows[p][:0]
		}
	}
	return nil
}

// append writes rows without partitioning them, in small blocks.
func (d *spilledSide) append(ctx *op.Ctx, all *vec.Batch) error {
	step := d.blockRows(ctx, all)
	for lo := 0; lo < all.N; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.Put(0, all.Slice(lo, min(lo+step, all.N))); err != nil {
			return err
		}
	}
	return nil
}

const (
	// blockShare is the largest share of a stream's memory, as its reciprocal, that the rows of a
	// block take: what an algorithm makes of the rows, such as a hash table, needs the rest.
	blockShare = 8
	// sampledRows is the number of rows whose texts are measured to estimate those of a batch.
	sampledRows = 64
)

// blockRows returns the number of rows of b per block, at least 1.
func (d *spilledSide) blockRows(ctx *op.Ctx, b *vec.Batch) int {
	rows := min(ctx.Rows(), 1<<numberBits)
	if d.room == 0 || b.N == 0 {
		return rows
	}
	n, bytes := min(b.N, sampledRows), 0
	for _, c := range b.Cols {
		bytes += 16 * n
		if c.Type.Kind() == types.KindStr {
			for _, s := range c.Slice(0, n).Flatten(nil).Str[:n] {
				bytes += len(s)
			}
		}
	}
	return int(min(int64(rows), max(1, d.room*int64(n)/int64(max(bytes, 1)))))
}

// skewed reports whether a partition has more than skewPart of the rows.
func (d *spilledSide) skewed(part int) bool {
	return float64(sizeOf(d.Blocks(part))) > skewPart*float64(d.size())
}

// all returns the blocks of all partitions.
func (d *spilledSide) all() (blocks []spill.Block) {
	for p := range dealParts + 1 {
		blocks = append(blocks, d.Blocks(p)...)
	}
	return blocks
}

// size returns the bytes of the rows without separate NULLs.
func (d *spilledSide) size() (n int64) {
	for p := range dealParts {
		n += sizeOf(d.Blocks(p))
	}
	return n
}

// source returns an operator that reads blocks in one goroutine.
func (d *spilledSide) source(blocks []spill.Block) *partSource {
	return &partSource{file: d.File, blocks: blocks, number: d.number}
}

// partSource reads blocks. It is its own only stream.
type partSource struct {
	ctx    *op.Ctx
	file   *spill.File
	from   *spill.Reader
	blocks []spill.Block

	number  func(spill.Block) int64
	batch   vec.Batch
	numbers vec.Vector
}

// Open implements op.Operator.
func (s *partSource) Open(ctx *op.Ctx) error {
	s.ctx, s.from = ctx, s.file.NewReader(ctx.Mem)
	return nil
}

// Stream implements op.Operator.
func (s *partSource) Stream() (op.Stream, error) { return s, nil }

// Ordered implements op.Operator. It returns true so that no second stream is made.
func (s *partSource) Ordered() bool { return true }

// Close implements op.Operator and op.Stream.
func (s *partSource) Close() error {
	s.from.Free()
	return nil
}

// Next implements op.Stream.
func (s *partSource) Next() (*vec.Batch, error) {
	if err := s.ctx.Err(); err != nil || len(s.blocks) == 0 {
		s.from.Free()
		return nil, err
	}
	block := s.blocks[0]
	b, err := s.from.Read(block)
	s.blocks = s.blocks[1:]
	if err == nil && s.number != nil {
		b = s.withNumbers(b, s.number(block))
	}
	return b, err
}

// numberBits is the number of bits of a row's number that count rows within a block.
const numberBits = 20

// placeNumber returns numbers that differ between blocks.
func placeNumber(b spill.Block) int64 { return b.Place() << numberBits }

// withNumbers adds a column with the numbers of a block's rows.
func (s *partSource) withNumbers(b *vec.Batch, first int64) *vec.Batch {
	s.numbers.Type = input.NumberType
	s.numbers.Resize(b.N)
	for i := range s.numbers.I64 {
		s.numbers.I64[i] = first + int64(i)
	}
	s.batch.Cols = append(append(s.batch.Cols[:0], b.Cols...), &s.numbers)
	s.batch.N = b.N
	return &s.batch
}

// keeper collects the rows of one worker in memory, or on disk once they no longer fit.
type keeper struct {
	ctx   *op.Ctx
	g     *Grace
	which int
	acct  *mem.Account // of the rows
	*input.Pile
	arbiter *spill.Arbiter
}

// Put implements spill.Holder.
func (k *keeper) Put() error {
	for _, s := range k.Stores {
		if err := k.g.PutStore(k.ctx, k.which, s); err != nil {
			return err
		}
	}
	k.Clear()
	return nil
}

// keep adds rows. It writes them to disk at once if they do not fit in memory at all.
func (k *keeper) keep(b *vec.Batch) error {
	if k.Rows() >= dealRows && (k.g.OnDisk(k.which) || k.acct.Crowds()) {
		if err := k.arbiter.Put(k); err != nil {
			return err
		}
	}
	err := k.arbiter.Add(k, func() error { return k.Append(b) })
	if k.g.Helps(k.ctx, err) {
		err = k.g.putBatch(k.ctx, k.which, b)
	}
	return err
}

// fits reports whether the workers' rows can be concatenated in memory.
func fits(acct *mem.Account, stores []*colstore.Store) bool {
	bytes, rows := colstore.ConcatBytes(stores...)
	return rows <= math.MaxInt32 && bytes <= acct.Left()
}
