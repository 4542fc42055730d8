// Package colstore collects batches in large flat columns, such as the build side of a join or
// the rows of a sort. Each worker fills its own Store without locks; Concat then makes one store
// of them, in the order of the source if batches have morsel numbers.
package colstore

import (
	"math"
	"slices"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Store is a growing set of rows with one flat column for each type. It is for one goroutine
// while it grows; several may read it afterwards. All its payload is charged to the account, and
// that of types without pointers is off the Go heap. The bytes of strings are not copied. They
// are charged too, unless another owner accounts for them (vec.Vector.TextBytes).
type Store struct {
	account *mem.Account
	cols    []column
	rows    int
	text    int64 // bytes of texts charged to the account
	runs    []run
}

// run records that the rows from start up to the next run came from one morsel.
type run struct {
	morsel int64
	start  int
}

// New makes an empty store.
func New(ts []types.Type, account *mem.Account) *Store {
	s := &Store{account: account, cols: make([]column, len(ts))}
	for i, t := range ts {
		s.cols[i] = column{t: t, kind: t.Kind()}
	}
	return s
}

// Rows returns the number of rows held.
func (s *Store) Rows() int { return s.rows }

// Append copies the rows of b, whose columns are those of the store, in order. It returns the
// account's error if memory is refused, or error 1037 if there would be more rows than the 2^31
// that an index of a view can address. After an error, the store must still be freed.
func (s *Store) Append(b *vec.Batch) error {
	text := int64(0)
	for _, c := range b.Cols[:len(s.cols)] {
		text += c.TextBytes()
	}
	return s.add(b, text)
}

// Borrow is Append for callers that drop the rows before b becomes invalid: the owner of b's
// texts continues to account for them.
func (s *Store) Borrow(b *vec.Batch) error { return s.add(b, 0) }

// add appends rows and charges text bytes of texts.
func (s *Store) add(b *vec.Batch, text int64) error {
	if s.rows+b.N > math.MaxInt32 {
		return sqlerr.New(sqlerr.OutOfMemory, "Out of memory; an operator cannot hold more than %d rows", math.MaxInt32)
	}
	if n := len(s.runs); n == 0 || s.runs[n-1].morsel != b.Morsel {
		s.runs = append(s.runs, run{b.Morsel, s.rows})
	}
	if err := s.account.Reserve(text); err != nil {
		return err
	}
	for i := range s.cols {
		if err := s.append(i, b.Cols[i]); err != nil {
			s.account.Release(text)
			return err
		}
	}
	s.text += text
	s.rows += b.N
	return nil
}

// append adds the rows of v to column i. Columns of equal types touch new memory at the same row, where
// a single batch takes long: a cancelled statement ends between them.
func (s *Store) append(i int, v *vec.Vector) error {
	if err := s.account.Stopped(); err != nil {
		return err
	}
	return s.cols[i].append(s.account, s.rows, v)
}

// Reserve allocates an empty store for n rows with NULLs in all columns, before the first row
// comes. The memory is not touched until it is used.
func (s *Store) Reserve(n int) error {
	for i := range s.cols {
		if err := s.cols[i].scratch(s.account, n); err != nil {
			return err
		}
	}
	return nil
}

// Columns returns the rows as flat vectors. They share the store's memory and are valid
// until the next Append or Free.
func (s *Store) Columns() []*vec.Vector {
	out := make([]*vec.Vector, len(s.cols))
	for i := range s.cols {
		out[i] = s.cols[i].vector(s.rows)
	}
	return out
}

// Update sets vectors that Columns returned to the current rows after further Appends.
func (s *Store) Update(cols []*vec.Vector) {
	for i := range s.cols {
		*cols[i] = *s.cols[i].vector(s.rows)
	}
}

// Truncate drops the rows from number n on. The store keeps their memory, except for their
// estimated share of the texts.
func (s *Store) Truncate(n int) {
	if n < s.rows {
		gone := s.text - int64(float64(s.text)*float64(n)/float64(s.rows))
		s.account.Discard(gone)
		s.text -= gone
	}
	s.rows = n
	for len(s.runs) > 0 && s.runs[len(s.runs)-1].start >= n {
		s.runs = s.runs[:len(s.runs)-1]
	}
}

// Free releases the memory. It may be called on nil and more than once.
func (s *Store) Free() {
	if s == nil {
		return
	}
	for i := range s.cols {
		s.cols[i].free(s.account)
	}
	s.account.Discard(s.text)
	s.rows, s.text, s.runs = 0, 0, nil
}

// Pick returns a new store with the rows idx of s, in the order of s. It sorts idx.
func (s *Store) Pick(idx []int32) (*Store, error) {
	slices.Sort(idx)
	out := s.like()
	cols := s.Columns()
	for i, r := range s.runs {
		end := s.rows
		if i+1 < len(s.runs) {
			end = s.runs[i+1].start
		}
		n, _ := slices.BinarySearch(idx, int32(end))
		if n == 0 {
			continue
		}
		b := vec.Select(&vec.Batch{Cols: cols, N: s.rows, Morsel: r.morsel}, idx[:n])
		if err := out.Append(b); err != nil {
			out.Free()
			return nil, err
		}
		idx = idx[n:]
	}
	return out, nil
}

// Batch returns rows from number at on that came from the same morsel, at most most of them,
// valid until the next Append or Free.
func (s *Store) Batch(at, most int) *vec.Batch {
	i, _ := slices.BinarySearchFunc(s.runs, at+1, func(r run, row int) int { return r.start - row })
	end := s.rows
	if i < len(s.runs) {
		end = s.runs[i].start
	}
	b := &vec.Batch{N: min(end-at, most), Morsel: s.runs[i-1].morsel}
	for i := range s.cols {
		b.Cols = append(b.Cols, s.cols[i].vector(s.rows).Slice(at, at+b.N))
	}
	return b
}

// Morsels writes the morsel number of each of some rows to out.
func (s *Store) Morsels(rows []int32, out []int64) {
	if len(s.runs) == 1 {
		for i := range rows {
			out[i] = s.runs[0].morsel
		}
		return
	}
	for i, row := range rows {
		at, _ := slices.BinarySearchFunc(s.runs, int(row)+1, func(r run, row int) int { return r.start - row })
		out[i] = s.runs[at-1].morsel
	}
}

// Bytes returns the number of bytes that the store has charged to its account.
func (s *Store) Bytes() int64 {
	return s.text + s.columnBytes()
}

// columnBytes returns Bytes without the bytes of texts.
func (s *Store) columnBytes() int64 {
	n := int64(0)
	for i := range s.cols {
		n += s.cols[i].bytes()
	}
	return n
}
