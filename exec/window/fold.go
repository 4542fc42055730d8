package window

import (
	"gsql/exec/sort"
	"gsql/sql/vec"
)

// fold is an aggregate with states of type S; the zero value is the state of no rows. The order
// in which rows are added and states merged does not matter.
type fold[S any] interface {
	lift(s *S, pos int)    // adds the row at a position
	merge(s, o *S)         // adds the rows of o
	put(i int, s *S) error // writes the result for position i
}

// dropping is a fold from which rows can be removed again without loss.
type dropping[S any] interface {
	fold[S]
	drop(s *S, pos int)
}

// input is an aggregate's argument.
type input struct {
	o       *Operator
	v       *vec.Vector
	allNull bool // the argument has type NULL
}

// at returns the row at a position; ok is false if the argument is NULL there.
func (in *input) at(pos int) (row int32, ok bool) {
	row = in.o.row(pos)
	return row, !in.allNull && (in.v.Null == nil || !in.v.Null[row])
}

// counts is COUNT(x).
type counts struct {
	input
	out *result
}

func (c counts) lift(s *int64, pos int) {
	if _, ok := c.at(pos); ok {
		*s++
	}
}

func (c counts) drop(s *int64, pos int) {
	if _, ok := c.at(pos); ok {
		*s--
	}
}

func (c counts) merge(s, o *int64) { *s += *o }

func (c counts) put(i int, s *int64) error {
	c.out.flat.I64[i] = *s
	return nil
}

// extremes is MIN or MAX. A state is the row of the best value plus one.
type extremes struct {
	input
	max bool
	out *result
}

func (e extremes) lift(s *int32, pos int) {
	if row, ok := e.at(pos); ok {
		row++
		e.merge(s, &row)
	}
}

func (e extremes) merge(s, o *int32) {
	if *s == 0 {
		*s = *o
		return
	}
	if *o == 0 {
		return
	}
	if d := sort.Compare(e.v, *o-1, e.v, *s-1); d < 0 && !e.max || d > 0 && e.max {
		*s = *o
	}
}

func (e extremes) put(i int, s *int32) error {
	e.out.idx[i] = *s - 1
	return nil
}

// unions is BIT_OR, or BIT_AND as the complement of the union of complements.
type unions struct {
	input
	complement bool
	out        *result
}

func (u unions) lift(s *uint64, pos int) {
	if row, ok := u.at(pos); ok {
		x := uint64(u.v.I64[row])
		if u.complement {
			x = ^x
		}
		*s |= x
	}
}

func (u unions) merge(s, o *uint64) { *s |= *o }

func (u unions) put(i int, s *uint64) error {
	x := *s
	if u.complement {
		x = ^x
	}
	u.out.flat.I64[i] = int64(x)
	return nil
}

// parities is BIT_XOR.
type parities struct {
	input
	out *result
}

func (x parities) lift(s *uint64, pos int) {
	if row, ok := x.at(pos); ok {
		*s ^= uint64(x.v.I64[row])
	}
}

func (x parities) drop(s *uint64, pos int) { x.lift(s, pos) }

func (x parities) merge(s, o *uint64) { *s ^= *o }

func (x parities) put(i int, s *uint64) error {
	x.out.flat.I64[i] = int64(*s)
	return nil
}
