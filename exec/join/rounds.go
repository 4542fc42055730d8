package join

import (
	"errors"
	"sync"
	"unsafe"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

const (
	// leastRound and mostRound bound the rows of a round.
	leastRound, mostRound = 16, 1 << 22
	// roundRows is how many probe rows come for each build row in the rounds of all streams
	// together: what a round reads of the build side should serve it several times.
	roundRows = 4
	// roundBytes is what a row of a round takes beside its columns: the code and the row's
	// number, twice, and the partition.
	roundBytes = 26
)

// rounds are runs of probe rows that the streams of a radix join collect before they look
// them up, each on its own. They take a small part of what the whole side would.
type rounds struct {
	spec *sideSpec // of the probe side
	keys bool      // keys are columns of a round

	types  []types.Type // of the columns, then of those keys that are not among them
	keyCol []int        // where keys are
	rows   int          // of a round

	partitions int // of the build side

	mu    sync.Mutex
	ready []*round
	held  holdings
}

// round has the rows of one stream.
type round struct {
	store  *colstore.Store // the columns
	n      int             // codes of rows that may have partners
	codes  *mem.Buffer[uint64]
	rows   *mem.Buffer[int32]
	digits *mem.Buffer[uint16] // their partitions
	// ordered and orderedRows are codes and rows in the order of the partitions.
	ordered     *mem.Buffer[uint64]
	orderedRows *mem.Buffer[int32]
	groups      *mem.Buffer[uint64] // through which they go there; nil where there are few
}

// prepare makes the rounds of ctx.Workers streams, so that a want of memory shows while the
// build side of so many rows, in so many partitions, can still go to disk. Pairs found by exact codes are not compared.
func (r *rounds) prepare(ctx *op.Ctx, acct *mem.Account, exact bool, build, partitions int) error {
	r.partitions = partitions
	r.types, r.keyCol = r.spec.stored()
	if r.keys = r.keys || !exact; !r.keys {
		r.types, r.keyCol = r.types[:len(r.spec.at)], nil
	}
	workers := max(ctx.Workers, 1)
	fitting := acct.Left() / 4 / int64(workers) / r.rowBytes() // others need memory, too
	wanted := max(block, min(roundRows*build/workers, mostRound))
	r.rows = int(max(leastRound, min(int64(wanted), fitting)))
	for range workers {
		room, err := r.make(acct)
		if err != nil {
			return err
		}
		r.ready = append(r.ready, room)
	}
	return nil
}

// rowBytes is what a row of a round takes, flags of NULLs included.
func (r *rounds) rowBytes() int64 {
	n := int64(roundBytes + len(r.types))
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

func (r *rounds) make(acct *mem.Account) (*round, error) {
	one := &round{store: colstore.New(r.types, acct)}
	r.held.add(one)
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
	if combines(r.rows, r.partitions) {
		var err error
		if one.groups, err = buffers(acct, r.partitions); err != nil {
			return nil, err
		}
	}
	return one, nil
}

// buffers gives those through which the codes go to so many partitions, nil where they are too few.
func (r *round) buffers(partitions int) []uint64 {
	if r.groups == nil || !combines(r.n, partitions) {
		return nil
	}
	return r.groups.S
}

func scratch[T any](acct *mem.Account, b **mem.Buffer[T], n int) (err error) {
	*b, err = mem.Scratch[T](acct, n)
	return err
}

// Free gives back the memory.
func (r *round) Free() {
	r.store.Free()
	r.codes.Free()
	r.rows.Free()
	r.digits.Free()
	r.ordered.Free()
	r.orderedRows.Free()
	r.groups.Free()
}

// take gives a round that no stream has.
func (r *rounds) take(acct *mem.Account) (*round, error) {
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

// put takes back the round of a stream that ends.
func (r *rounds) put(one *round) {
	r.mu.Lock()
	r.ready = append(r.ready, one)
	r.mu.Unlock()
}

// roundSource collects the rounds of a stream.
type roundSource struct {
	ctx    *op.Ctx
	rounds *rounds
	in     op.Stream
	reader *reader
	prober *radixProber
	batch  *vec.Batch // of the stream
	from   int        // first row of it that no round has
	row    vec.Batch
	side   Side
}

// next implements probeRows.
func (s *roundSource) next() (*Side, int64, error) {
	store := s.prober.round.store
	store.Truncate(0)
	s.prober.round.n = 0
	for store.Rows() < s.rounds.rows {
		more, err := s.advance()
		if err != nil {
			return nil, 0, err
		}
		if !more {
			break
		}
		n := min(s.rounds.rows-store.Rows(), s.batch.N-s.from)
		if err = s.add(n); errors.Is(err, sqlerr.OutOfMemory) && store.Rows() > 0 {
			break
		}
		for errors.Is(err, sqlerr.OutOfMemory) && n > 1 { // long texts: fewer of them
			n /= 2
			err = s.add(n)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	if store.Rows() == 0 {
		return nil, 0, nil
	}
	cols := store.Columns()
	s.side.Rows, s.side.Cols, s.side.Keys = store.Rows(), cols[:len(s.reader.spec.at)], s.side.Keys[:0]
	for _, c := range s.rounds.keyCol {
		s.side.Keys = append(s.side.Keys, cols[c])
	}
	return &s.side, 0, nil
}

// advance gets another batch where that is needed; it is false at the end.
func (s *roundSource) advance() (bool, error) {
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

// add takes the next n rows of the batch.
func (s *roundSource) add(n int) error {
	b := s.batch
	if n < b.N {
		b = b.Slice(s.from, s.from+n)
	}
	side, err := s.reader.read(b)
	if err != nil {
		return err
	}
	store := s.prober.round.store
	s.row.N = b.N
	s.row.Cols = append(s.row.Cols[:0], side.Cols...)
	for i, c := range s.rounds.keyCol {
		if c == len(s.row.Cols) {
			s.row.Cols = append(s.row.Cols, side.Keys[i])
		}
	}
	base := store.Rows()
	if err := store.Append(&s.row); err != nil {
		return err
	}
	s.prober.gather(side, base)
	s.from += n
	return nil
}

// close implements probeRows.
func (s *roundSource) close() { s.rounds.put(s.prober.round) }
