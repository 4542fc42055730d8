package format

import (
	"errors"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

const (
	// partText is about the most bytes of texts in the parts that Parts makes.
	partText = 1 << 20
	// freeWritten is the number of bytes that an encoder holds without charging for them.
	freeWritten = 4 << 20
)

// Written accounts for rows that an encoder holds before it writes them.
type Written struct {
	Account *mem.Account // may be nil
	Factor  int64        // bytes of memory that a byte of the rows takes
	Others  func() error // has the encoders of a statement's other files write their rows; nil if there are none
	rows    int64        // bytes of the rows held
	charged int64
}

// Hold charges for further rows of the given size. If there is no memory for them, flush must write
// those held; then other files must write theirs. The error is the account's refusal.
func (w *Written) Hold(size int64, flush func() error) error {
	err := w.charge(size)
	if errors.Is(err, sqlerr.OutOfMemory) && w.rows > 0 {
		if err := flush(); err != nil {
			return err
		}
		w.Free()
		err = w.charge(size)
	}
	if errors.Is(err, sqlerr.OutOfMemory) && w.Others != nil {
		if err := w.Others(); err != nil {
			return err
		}
		err = w.charge(size)
	}
	return err
}

func (w *Written) charge(size int64) error {
	free := int64(freeWritten)
	if w.Others != nil { // many files might hold as much
		free = 0
	}
	if more := w.Factor*max(w.rows+size-free, 0) - w.charged; more > 0 {
		if err := w.Account.ReserveFor("writing a file", more); err != nil {
			return err
		}
		w.charged += more
	}
	w.rows += size
	return nil
}

// Free releases what is charged for rows that have been written.
func (w *Written) Free() {
	w.Account.Discard(w.charged)
	w.rows, w.charged = 0, 0
}

// Parts calls f with the rows of b and their size in bytes, in parts of few rows if texts are long.
func Parts(b *vec.Batch, f func(part *vec.Batch, size int64) error) error {
	for from := 0; from < b.N; {
		to, size := from, int64(0)
		for ; to < b.N && (to == from || size < partText); to++ {
			row := int64(0)
			for _, c := range b.Cols {
				row += bytesAt(c, to)
			}
			if to > from && row >= partText {
				break
			}
			size += row
		}
		part := b
		if to-from < b.N {
			part = b.Slice(from, to)
		}
		if err := f(part, size); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// bytesAt returns about the number of bytes that the value of row i takes.
func bytesAt(v *vec.Vector, i int) int64 {
	const number = 8
	if v.Type.Kind() != types.KindStr {
		return number
	}
	base, at := v.Slot(i)
	if at < 0 {
		return number
	}
	return number + int64(len(base.Str[at]))
}
