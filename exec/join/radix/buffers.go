package radix

import (
	"errors"
	"sync"
	"unsafe"

	"gsql/exec/colstore"
	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/join/partition"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

const (
	// leastRows and mostRows bound the number of rows in a buffer.
	leastRows, mostRows = 16, 1 << 22
	// rowsPerBuildRow is the number of probe rows per build row in the buffers of all streams
	// together: the build data that a buffer brings into the cache should be used several times.
	rowsPerBuildRow = 4
	// rowOverhead is the number of bytes of a buffered row besides its columns: the code and the
	// row's number, twice, and the partition.
	rowOverhead = 26
)

// probeBuffers are the buffers in which the streams of a radix join collect probe rows before
// looking them up, one for each stream. They take a small fraction of the memory of the whole
// probe side.
type probeBuffers struct {
	spec *input.Spec // of the probe side
	keys bool        // a buffer has columns for the keys

	types  []types.Type // of the columns, then of the keys that are not among them
	keyCol []int        // the columns of the keys
	rows   int          // in a buffer

	partitions int // of the build side

	mu    sync.Mutex
	ready []*probeBuffer
	held  mem.Buffers
}

// probeBuffer holds the rows of one stream.
type probeBuffer struct {
	store  *colstore.Store // the columns
	n      int             // number of codes; rows that cannot have partners have none
	codes  *mem.Buffer[uint64]
	rows   *mem.Buffer[int32]
	digits *mem.Buffer[uint16] // the partitions of codes
	// ordered and orderedRows are codes and rows in partition order.
	ordered     *mem.Buffer[uint64]
	orderedRows *mem.Buffer[int32]
	groups      *mem.Buffer[uint64] // write-combining buffers; nil if there are few partitions
}

// prepare makes the buffers of ctx.Workers streams. It does so early because the build side,
// which has this many rows and partitions, can still spill if memory is short. Keys are kept only
// if pairs must be compared.
func (r *probeBuffers) prepare(ctx *op.Ctx, acct *mem.Account, exact bool, build, partitions int) error {
	r.partitions = partitions
	r.types, r.keyCol = r.spec.Layout()
	if r.keys = r.keys || !exact; !r.keys {
		r.types, r.keyCol = r.types[:len(r.spec.At)], nil
	}
	workers := max(ctx.Workers, 1)
	fitting := acct.Left() / 4 / int64(workers) / r.rowBytes() // leave memory to other operators
	wanted := max(op.Block, min(rowsPerBuildRow*build/workers, mostRows))
	r.rows = int(max(leastRows, min(int64(wanted), fitting)))
	for range workers {
		room, err := r.make(acct)
		if err != nil {
			return err
		}
		r.ready = append(r.ready, room)
	}
	return nil
}

// rowBytes returns the size of a buffered row, including its NULL flags.
func (r *probeBuffers) rowBytes() int64 {
	n := int64(rowOverhead + len(r.types))
	for _, t := range r.types {
		switch t.Kind() {
		case types.KindDec, types.KindStr:
			n += int64(unsafe.Sizeof(""))
		case types.KindNull:
		default:
			n += 8
		}
	}
	return n
}

func (r *probeBuffers) make(acct *mem.Account) (*probeBuffer, error) {
	one := &probeBuffer{store: colstore.New(r.types, acct)}
	r.held.Add(one)
	if err := one.store.Reserve(r.rows); err != nil {
		return nil, err
	}
	for _, b := range []**mem.Buffer[uint64]{&one.codes, &one.ordered} {
		if err := scratch(acct, b, r.rows); err != nil {
			return nil, err
		}
	}
	for _, b := range []**mem.Buffer[int32]{&one.rows, &one.orderedRows} {
		if err := scratch(acct, b, r.rows); err != nil {
			return nil, err
		}
	}
	if err := scratch(acct, &one.digits, r.rows); err != nil {
		return nil, err
	}
	if partition.Combines(r.rows, r.partitions) {
		var err error
		if one.groups, err = partition.Buffers(acct, r.partitions); err != nil {
			return nil, err
		}
	}
	return one, nil
}

// buffers returns the write-combining buffers for a number of partitions, or nil if there are too
// few codes.
func (r *probeBuffer) buffers(partitions int) []uint64 {
	if r.groups == nil || !partition.Combines(r.n, partitions) {
		return nil
	}
	return r.groups.S
}

func scratch[T any](acct *mem.Account, b **mem.Buffer[T], n int) (err error) {
	*b, err = mem.Scratch[T](acct, n)
	return err
}

// Free releases the memory.
func (r *probeBuffer) Free() {
	r.store.Free()
	r.codes.Free()
	r.rows.Free()
	r.digits.Free()
	r.ordered.Free()
	r.orderedRows.Free()
	r.groups.Free()
}

// take returns a buffer that no stream uses.
func (r *probeBuffers) take(acct *mem.Account) (*probeBuffer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.ready)
	if n == 0 {
		return r.make(acct)
	}
	one := r.ready[n-1]
	r.ready = r.ready[:n-1]
	return one, nil
}

// put takes back the buffer of a stream that has ended.
func (r *probeBuffers) put(one *probeBuffer) {
	r.mu.Lock()
	r.ready = append(r.ready, one)
	r.mu.Unlock()
}

// bufferSource fills the buffers of a stream.
type bufferSource struct {
	ctx     *op.Ctx
	buffers *probeBuffers
	in      op.Stream
	reader  match.BatchReader
	prober  *prober
	batch   *vec.Batch // of the stream
	from    int        // its first row that is not yet in a buffer
	row     vec.Batch
	side    match.Side
}

// NextSide implements ProbeRows.
func (s *bufferSource) NextSide() (*match.Side, int64, error) {
	store := s.prober.buffer.store
	store.Truncate(0)
	s.prober.buffer.n = 0
	for store.Rows() < s.buffers.rows {
		more, err := s.advance()
		if err != nil {
			return nil, 0, err
		}
		if !more {
			break
		}
		n := min(s.buffers.rows-store.Rows(), s.batch.N-s.from)
		err = s.add(n, store.Append)
		full := errors.Is(err, sqlerr.OutOfMemory)
		if full && store.Rows() == 0 { // no memory for the texts: a buffer within one batch borrows them
			err = s.add(n, store.Borrow)
		} else if full {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		if full {
			break
		}
	}
	if store.Rows() == 0 {
		return nil, 0, nil
	}
	cols := store.Columns()
	s.side.Rows, s.side.Cols, s.side.Keys = store.Rows(), cols[:len(s.buffers.spec.At)], s.side.Keys[:0]
	for _, c := range s.buffers.keyCol {
		s.side.Keys = append(s.side.Keys, cols[c])
	}
	return &s.side, 0, nil
}

// advance reads another batch if necessary; it returns false at the end.
func (s *bufferSource) advance() (bool, error) {
	if s.batch != nil && s.from < s.batch.N {
		return true, nil
	}
	if err := s.ctx.Err(); err != nil {
		return false, err
	}
	b, err := s.in.Next()
	s.batch, s.from = b, 0
	return b != nil, err
}

// add appends the next n rows of the batch, using a method of the store.
func (s *bufferSource) add(n int, take func(*vec.Batch) error) error {
	b := s.batch
	if n < b.N {
		b = b.Slice(s.from, s.from+n)
	}
	side, err := s.reader.Read(b)
	if err != nil {
		return err
	}
	store := s.prober.buffer.store
	s.row.N = b.N
	s.row.Cols = append(s.row.Cols[:0], side.Cols...)
	for i, c := range s.buffers.keyCol {
		if c == len(s.row.Cols) {
			s.row.Cols = append(s.row.Cols, side.Keys[i])
		}
	}
	base := store.Rows()
	if err := take(&s.row); err != nil {
		return err
	}
	s.prober.gather(side, base)
	s.from += n
	return nil
}

// Close implements ProbeRows.
func (s *bufferSource) Close() { s.buffers.put(s.prober.buffer) }
