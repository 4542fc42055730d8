package agg

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// The rows in a partition's buffer: firstBuffer at first, growFactor times as many whenever one is
// full, and at most maxBuffer. Few rows thus touch little memory and make no groups before the end,
// which would have to be merged. minBuffer is the least number up to which buffers may grow unless
// memory is scarce.
const (
	firstBuffer = vec.BatchSize / 2
	growFactor  = 4
	minBuffer   = vec.BatchSize
	maxBuffer   = 8 * vec.BatchSize
)

// reserve allocates the first buffers for add.
func (s *splitter) reserve() (err error) {
	s.most = s.mostRoom()
	s.room = min(firstBuffer, s.most)
	s.step = min(s.room, minBuffer)
	if s.hashes, err = mem.Scratch[uint64](s.o.account, s.room*splitParts); err != nil {
		return err
	}
	for i := range s.cols {
		if err := s.cols[i].reserve(s.o.account, s.room*splitParts); err != nil {
			return err
		}
	}
	return nil
}

// mostRoom returns the number of rows up to which a partition's buffer may grow now.
func (s *splitter) mostRoom() int {
	least := minBuffer
	if s.o.ctx.Spill != nil {
		least = leastBuffer
	}
	return min(max(s.rowsWithin(), least), maxBuffer)
}

// rowsWithin returns how many rows per partition's buffer fit in the worker's share of memory.
func (s *splitter) rowsWithin() int {
	row := 8
	for _, c := range s.cols {
		row += c.width()
	}
	budget := s.o.buffers
	if s.o.ctx.Spill != nil {
		budget = min(budget, s.o.account.Left()/int64(4*s.o.ctx.Workers))
	}
	return int(budget) / splitParts / row
}

// reserve allocates memory for a number of rows, without NULL flags.
func (c *splitColumn) reserve(a *mem.Account, rows int) (err error) {
	switch c.t.Kind() {
	case types.KindI64, types.KindU64:
		c.i64, err = mem.Scratch[int64](a, rows)
	case types.KindF64:
		c.f64, err = mem.Scratch[float64](a, rows)
	case types.KindDec:
		c.dec, err = mem.Scratch[decimal128.Num](a, rows)
	case types.KindStr:
		if err = a.Reserve(int64(rows * c.width())); err == nil {
			c.str = make([]string, rows)
		}
	}
	return err
}

// widen grows the buffers if one of them has no room for count further rows, as long as they may grow
// and are half full together. One that a frequent key fills is better aggregated.
func (s *splitter) widen(count *[splitParts]int32) {
	full, sum := false, 0
	for p, n := range count {
		n += s.n[p]
		full = full || int(n) > s.room
		sum += int(n)
	}
	if !full || s.room >= s.most || 2*sum < s.room*splitParts {
		return
	}
	if room := min(growFactor*s.room, s.mostRoom()); room <= s.room || !s.grow(room) {
		s.most = s.room
	}
}

// grow enlarges each partition's buffer to a number of rows. It returns false and changes nothing if
// memory does not suffice.
func (s *splitter) grow(room int) bool {
	wide := splitter{o: s.o, room: room, cols: make([]splitColumn, len(s.cols))}
	err := move(s, &wide, s.hashes, &wide.hashes)
	for i := range s.cols {
		from, to := &s.cols[i], &wide.cols[i]
		to.t, to.own = from.t, from.own
		if err == nil {
			err = s.moveColumn(&wide, from, to)
		}
	}
	if err != nil {
		wide.freeBuffers()
		return false
	}
	s.freeMemory()
	s.room, s.step, s.hashes, s.cols = room, min(room, minBuffer), wide.hashes, wide.cols
	return true
}

// moveColumn copies a column's buffers to those of wide, which it allocates.
func (s *splitter) moveColumn(wide *splitter, from, to *splitColumn) (err error) {
	if err := to.reserve(s.o.account, wide.room*splitParts); err != nil {
		return err
	}
	switch from.t.Kind() {
	case types.KindI64, types.KindU64:
		copyParts(s, wide, from.i64.S, to.i64.S)
	case types.KindF64:
		copyParts(s, wide, from.f64.S, to.f64.S)
	case types.KindDec:
		copyParts(s, wide, from.dec.S, to.dec.S)
	case types.KindStr:
		copyParts(s, wide, from.str, to.str)
	}
	if from.null == nil {
		return nil
	}
	return move(s, wide, from.null, &to.null)
}

// move allocates a buffer for the rows of wide and copies the rows of s to it.
func move[T any](s, wide *splitter, from *mem.Buffer[T], to **mem.Buffer[T]) (err error) {
	if *to, err = mem.Scratch[T](s.o.account, wide.room*splitParts); err == nil {
		copyParts(s, wide, from.S, (*to).S)
	}
	return err
}

// copyParts copies what the buffers of s hold to the places that the rows have in wide.
func copyParts[T any](s, wide *splitter, from, to []T) {
	for p, n := range s.n {
		at := p * s.room
		copy(to[p*wide.room:], from[at:at+int(n)])
	}
}

// freeBuffers frees only the buffers.
func (s *splitter) freeBuffers() {
	for p := range s.texts {
		s.uncover(p)
	}
	s.freeMemory()
}

// freeMemory frees the memory of the buffers; the charge for their texts stays.
func (s *splitter) freeMemory() {
	s.hashes.Free()
	s.hashes = nil
	for i := range s.cols {
		c := &s.cols[i]
		c.i64.Free()
		c.f64.Free()
		c.dec.Free()
		c.null.Free()
		s.o.account.Release(int64(len(c.str) * c.width()))
		c.i64, c.f64, c.dec, c.null, c.str = nil, nil, nil, nil, nil
	}
}
