package join

import (
	"math"
	"slices"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

const (
	dealBits  = 5
	dealParts = 1 << dealBits
	// nullPart is the partition of rows with NULLs, where they lie apart.
	nullPart = dealParts
	// dealRows is how many rows a worker collects before it deals them out, once its side
	// is on disk.
	dealRows = 8 * vec.BatchSize
)

// dealt is a side's rows on disk, by the hash of their keys.
type dealt struct {
	*spill.Partitions
	keys  []int // columns of the keys
	shift int   // the hash's bits that tell the partition
	whole bool  // all rows are one partition's
	apart *plan // rows in which it finds NULLs are nullPart's; may be nil
	// numbered gives rows their numbers, which differ, as a last column.
	numbered bool
}

// deal writes the rows of a store.
func (d *dealt) deal(ctx *op.Ctx, s *colstore.Store) error {
	if d.whole {
		return d.append(ctx, s)
	}
	cols, step := s.Columns(), dealRows
	if d.apart != nil { // as many are held as fit
		step = ctx.Rows()
	}
	keys := make([]*vec.Vector, len(d.keys))
	hash := make([]uint64, min(dealRows, s.Rows()))
	var rows [dealParts + 1][]int32
	for lo := 0; lo < s.Rows(); lo += dealRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+dealRows, s.Rows())
		for i, c := range d.keys {
			keys[i] = cols[c].Slice(lo, hi)
		}
		rowhash.Rows(keys, hash[:hi-lo])
		for i, h := range hash[:hi-lo] {
			p := h >> d.shift % dealParts
			if d.apart != nil && d.apart.hasNull(&Side{Keys: keys}, i) {
				p = nullPart
			}
			rows[p] = append(rows[p], int32(lo+i))
		}
		for p := range rows {
			for some := range slices.Chunk(rows[p], step) {
				if err := d.Put(p, vec.Select(&vec.Batch{Cols: cols, N: s.Rows()}, some)); err != nil {
					return err
				}
			}
			rows[p] = rows[p][:0]
		}
	}
	return nil
}

// append writes the rows of a store as they come, in small blocks.
func (d *dealt) append(ctx *op.Ctx, s *colstore.Store) error {
	all := &vec.Batch{Cols: s.Columns(), N: s.Rows()}
	step := min(ctx.Rows(), 1<<numberBits)
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

// source gives blocks as an operator for one goroutine.
func (d *dealt) source(blocks []spill.Block) *partSource {
	return &partSource{from: d.NewReader(), blocks: blocks, numbered: d.numbered}
}

// partSource reads blocks. It is its own and only stream.
type partSource struct {
	ctx    *op.Ctx
	from   *spill.Reader
	blocks []spill.Block

	numbered bool
	batch    vec.Batch
	numbers  vec.Vector
}

// Open implements op.Operator.
func (s *partSource) Open(ctx *op.Ctx) error {
	s.ctx = ctx
	return nil
}

// Stream implements op.Operator.
func (s *partSource) Stream() (op.Stream, error) { return s, nil }

// Ordered implements op.Operator: it is true so that no second stream is made.
func (s *partSource) Ordered() bool { return true }

// Close implements op.Operator and op.Stream.
func (s *partSource) Close() error { return nil }

// Next implements op.Stream.
func (s *partSource) Next() (*vec.Batch, error) {
	if err := s.ctx.Err(); err != nil || len(s.blocks) == 0 {
		return nil, err
	}
	block := s.blocks[0]
	b, err := s.from.Read(block)
	s.blocks = s.blocks[1:]
	if err == nil && s.numbered {
		b = s.number(b, block.Place())
	}
	return b, err
}

// numberBits are those of a row's number that count within a block.
const numberBits = 20

// number adds the numbers of a block's rows.
func (s *partSource) number(b *vec.Batch, place int64) *vec.Batch {
	s.numbers.Type = NumberType
	s.numbers.Resize(b.N)
	for i := range s.numbers.I64 {
		s.numbers.I64[i] = place<<numberBits + int64(i)
	}
	s.batch.Cols = append(append(s.batch.Cols[:0], b.Cols...), &s.numbers)
	s.batch.N = b.N
	return &s.batch
}

// keeper collects the rows of one worker, in memory or, once there is no room for them, on
// disk.
type keeper struct {
	ctx   *op.Ctx
	g     *grace
	which int
	acct  *mem.Account // of the rows
	*pile
	room *spill.Room
}

// Put implements spill.Holder.
func (k *keeper) Put() error {
	for _, s := range k.stores {
		if err := k.g.put(k.ctx, k.which, s); err != nil {
			return err
		}
	}
	k.clear()
	return nil
}

// keep adds rows.
func (k *keeper) keep(b *vec.Batch) error {
	if k.Rows() >= dealRows && (k.g.onDisk(k.which) || k.acct.Crowds()) {
		if err := k.room.Put(k); err != nil {
			return err
		}
	}
	return k.room.Add(k, func() error { return k.Append(b) })
}

// fits tells whether the workers' rows can be put together in memory.
func fits(acct *mem.Account, stores []*colstore.Store) bool {
	bytes, rows := colstore.ConcatBytes(stores...)
	return rows <= math.MaxInt32 && bytes <= acct.Left()
}
