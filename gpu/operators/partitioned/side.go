// Package partitioned divides the inputs of an equality join into partitions by the hashes of their keys, in host
// memory, for devices that do not have the memory for all rows. All cores divide an input while they read it, once.
// Partitions are joined one after another, so that each row crosses the link to a device once. A partition that is
// too large because of frequent keys is cut into chunks, whose pairs are joined.
//
// Rows are divided in chunks: the rows that one worker has read next to each other. A chunk holds the rows of each
// partition together, column by column, so that a partition is a range of rows of each chunk.
package partitioned

import (
	"sync"

	"gsql/exec/join/partition"
	"gsql/gpu/column"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
)

// MostBits is the largest number of hash bits by which inputs are divided.
const MostBits = 10

// Column is a column of an input.
type Column struct {
	Format column.Format
	// Key is set if rows are joined by the column. Rows with a NULL or a NaN there find no partners and are left
	// out. In other columns, a NaN is an error.
	Key bool
	// Bounded is set if the least and the greatest value are to be found. Otherwise bounds may be wider.
	Bounded bool
	// Name names the column in errors.
	Name string
}

// Side holds the rows of an input, divided. Several goroutines write them, each with its own Writer.
type Side struct {
	columns []Column
	digits  partition.Digits
	most    int // rows of a chunk
	acct    *mem.Account

	mu     sync.Mutex
	chunks []chunk
	held   mem.Buffers
	rows   []int64 // by partition
	found  []column.Found
}

// chunk is some rows in the order of their partitions. Those of partition p are from bounds[p] up to bounds[p+1].
type chunk struct {
	bounds []int32
	values [][]byte // by column
	valid  [][]byte // by column; nil if there are no NULLs
}

// chunkRows bounds the rows of a chunk: two copies of it are in a core's cache, and its partitions are long enough
// to be copied at the memory's rate.
const chunkRows = 1 << 16

// leastChunkRows is the least number of rows of a chunk.
const leastChunkRows = 1 << 11

// NewSide returns an input without rows that is to be divided by so many bits, of about the given number of rows
// for each Writer. Its memory is charged to acct and returned by Free.
func NewSide(columns []Column, bits uint, rows int64, acct *mem.Account) (*Side, error) {
	if bits < 1 || bits > MostBits {
		return nil, sqlerr.Internal("an input is divided by %d bits", bits)
	}
	s := &Side{columns: columns, acct: acct, rows: make([]int64, 1<<bits), found: make([]column.Found, len(columns))}
	s.digits = partition.Digits{Hashed: true, Shift: 64 - bits, Count: 1 << bits}
	s.most = int(min(max(rows, leastChunkRows), chunkRows))
	for i := range s.found {
		s.found[i].Bounds = column.None
	}
	return s, nil
}

// Partitions returns the number of partitions.
func (s *Side) Partitions() int { return s.digits.Count }

// Rows returns the number of rows of a partition.
func (s *Side) Rows(partition int) int64 { return s.rows[partition] }

// Total returns the number of rows of all partitions.
func (s *Side) Total() (n int64) {
	for _, rows := range s.rows {
		n += rows
	}
	return n
}

// Found describes the values of a column. It may include rows that have been left out.
func (s *Side) Found(column int) column.Found { return s.found[column] }

// HasNulls reports whether a column has NULLs in rows that may find partners.
func (s *Side) HasNulls(column int) bool { return !s.columns[column].Key && s.found[column].Nulls > 0 }

// RowBytes returns the bytes of a row on a device.
func (s *Side) RowBytes() (n int64) {
	for i, c := range s.columns {
		if n += c.Format.Kind.Width(); s.HasNulls(i) {
			n++
		}
	}
	return n
}

// Free returns the memory. It may be called on nil.
func (s *Side) Free() {
	if s != nil {
		s.held.Free()
		s.held, s.chunks = nil, nil
	}
}

// add takes a chunk over.
func (s *Side) add(c chunk, found []column.Found) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chunks = append(s.chunks, c)
	for p := range s.rows {
		s.rows[p] += int64(c.bounds[p+1] - c.bounds[p])
	}
	for i := range found {
		s.found[i].Nulls += found[i].Nulls
		s.found[i].Bounds = s.found[i].Bounds.With(found[i].Bounds)
	}
}

// hold keeps memory until Free.
func (s *Side) hold(b interface{ Free() }) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held.Add(b)
}

// ones are the flags of rows that are not NULL.
var ones = func() []byte {
	b := make([]byte, chunkRows)
	for i := range b {
		b[i] = 1
	}
	return b
}()

// Values returns the values of a column in a range of a partition's rows, in pieces.
func (s *Side) Values(column, partition int, from, to int64) [][]byte {
	width := s.columns[column].Format.Kind.Width()
	return s.pieces(partition, from, to, func(c *chunk, first, end int64) []byte {
		return c.values[column][first*width : end*width]
	})
}

// Valid returns the flags of a column's rows in the same way: 0 for NULL, otherwise 1.
func (s *Side) Valid(column, partition int, from, to int64) [][]byte {
	return s.pieces(partition, from, to, func(c *chunk, first, end int64) []byte {
		if c.valid[column] == nil {
			return ones[:end-first]
		}
		return c.valid[column][first:end]
	})
}

// pieces calls piece for the part of each chunk that has some of the rows.
func (s *Side) pieces(partition int, from, to int64, piece func(c *chunk, first, end int64) []byte) (out [][]byte) {
	for i := range s.chunks {
		c := &s.chunks[i]
		first, end := int64(c.bounds[partition]), int64(c.bounds[partition+1])
		if a, b := max(from, 0), min(to, end-first); a < b {
			out = append(out, piece(c, first+a, first+b))
		}
		from, to = from-(end-first), to-(end-first)
		if to <= 0 {
			break
		}
	}
	return out
}
