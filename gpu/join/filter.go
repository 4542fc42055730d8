package join

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
)

// Filter calls produce with an output that passes on to out the pairs for which all of rest, the
// conditions that the algorithm did not use, are true. Pieces have up to pairs pairs. If rest is
// empty, produce receives out itself.
func Filter(t *engine.Task, rest []Condition, out Output, pairs int64, produce func(out Output) error) error {
	if len(rest) == 0 {
		return produce(out)
	}
	m := t.Mark()
	f := &filter{t: t, rest: rest, out: out, pairs: pairs}
	err := f.alloc()
	if err == nil {
		err = produce(f)
	}
	if err == nil {
		err = f.flush()
	}
	return errors.Join(err, t.Release(m))
}

// FilterBytes returns the memory that Filter takes for pieces of up to pairs pairs.
func FilterBytes(rest []Condition, pairs int64) int64 {
	if len(rest) == 0 {
		return 0
	}
	return 2*padded(4*pairs) + padded(pairs) + padded(8) + prim.SelectBytes(pairs)
}

// filter collects the pairs that pass in pieces of out.
type filter struct {
	t     *engine.Task
	rest  []Condition
	out   Output
	pairs int64 // of the memory below

	left, right, flags, count gpu.Ptr

	to       struct{ left, right gpu.Ptr } // the piece of out that is being filled
	capacity int64                         // of it; 0: there is none
	used     int64
}

func (f *filter) alloc() (err error) {
	for _, a := range []struct {
		p     *gpu.Ptr
		bytes int64
	}{{&f.left, 4 * f.pairs}, {&f.right, 4 * f.pairs}, {&f.flags, f.pairs}, {&f.count, 8}} {
		if *a.p, err = f.t.Alloc(a.bytes); err != nil {
			return err
		}
	}
	return nil
}

// Piece returns no more pairs than the piece of out can still hold.
func (f *filter) Piece() (left, right gpu.Ptr, capacity int64, err error) {
	if f.capacity == 0 {
		if f.to.left, f.to.right, f.capacity, err = f.out.Piece(); err != nil {
			return 0, 0, 0, err
		}
	}
	return f.left, f.right, min(f.pairs, f.capacity-f.used), nil
}

func (f *filter) Emit(n int64) error {
	if err := match(f.t, f.rest, f.left, f.right, n, f.flags); err != nil {
		return err
	}
	at := gpu.Ptr(4 * f.used)
	if err := prim.SelectPairs(f.t, f.left, f.right, f.flags, f.to.left+at, f.to.right+at, n, f.count); err != nil {
		return err
	}
	kept, err := f.t.ReadWord(f.count)
	if err != nil {
		return err
	}
	f.used += int64(kept)
	// A piece is full once the next input piece might not fit into it.
	if f.capacity-f.used < min(f.pairs, f.capacity) {
		return f.flush()
	}
	return nil
}

// flush emits what has been collected.
func (f *filter) flush() error {
	if f.used == 0 {
		return nil
	}
	n := f.used
	f.used, f.capacity = 0, 0
	return f.out.Emit(n)
}

// match sets a byte for each pair: 1 if all conditions are true.
func match(t *engine.Task, conditions []Condition, left, right gpu.Ptr, n int64, flags gpu.Ptr) error {
	for i, c := range conditions {
		var first uint64
		if i == 0 {
			first = 1
		}
		err := t.Launch("gsql_pair_match", c.Left.Kind.Suffix(), n, false, uint64(left), uint64(right), uint64(n),
			uint64(c.Left.Values), uint64(c.Left.Valid), uint64(c.Right.Values), uint64(c.Right.Valid), uint64(c.Op), first, uint64(flags))
		if err != nil {
			return err
		}
	}
	return nil
}
