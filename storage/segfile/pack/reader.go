package pack

import (
	"encoding/binary"
	"errors"
)

// ErrMalformed reports bytes that no writer makes.
var ErrMalformed = errors.New("malformed data")

// Reader reads what the functions of this package have written. After an error, all its methods
// return errors.
type Reader struct {
	src []byte
	bad bool
}

// NewReader returns a Reader of src.
func NewReader(src []byte) *Reader { return &Reader{src: src} }

// Rest returns the bytes that have not been read.
func (r *Reader) Rest() []byte { return r.src }

// Err returns ErrMalformed if anything before could not be read.
func (r *Reader) Err() error {
	if r.bad {
		return ErrMalformed
	}
	return nil
}

// End returns ErrMalformed unless everything has been read without error.
func (r *Reader) End() error {
	if len(r.src) > 0 {
		r.fail()
	}
	return r.Err()
}

func (r *Reader) fail() { r.src, r.bad = nil, true }

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if len(r.src) == 0 {
		r.fail()
		return 0
	}
	b := r.src[0]
	r.src = r.src[1:]
	return b
}

// Uvarint reads an unsigned integer.
func (r *Reader) Uvarint() uint64 {
	x, n := binary.Uvarint(r.src)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.src = r.src[n:]
	return x
}

// Varint reads a signed integer.
func (r *Reader) Varint() int64 {
	x, n := binary.Varint(r.src)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.src = r.src[n:]
	return x
}

// Count reads a number that is at most limit.
func (r *Reader) Count(limit int) int {
	x := r.Uvarint()
	if x > uint64(limit) {
		r.fail()
		return 0
	}
	return int(x)
}

// Take returns the next n bytes, which it does not copy.
func (r *Reader) Take(n int) []byte {
	if n < 0 || n > len(r.src) {
		r.fail()
		return nil
	}
	b := r.src[:n]
	r.src = r.src[n:]
	return b
}
