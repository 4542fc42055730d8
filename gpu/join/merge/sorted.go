package merge

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
)

// sorted is a column in ascending order without its NULLs and NaNs.
type sorted struct {
	kind column.Kind
	n    int64
	keys gpu.Ptr
	rows gpu.Ptr // int32 row numbers of the keys; 0 if key i belongs to row i
}

// sort returns c in order. Everything in the result except c itself is memory of the task.
func sort(t *engine.Task, c column.Column) (sorted, error) {
	s := sorted{kind: c.Kind, n: c.Rows, keys: c.Values}
	all := c.Valid == 0 && c.Kind != column.F64
	if all {
		if ok, err := inOrder(t, s); ok || err != nil {
			return s, err
		}
	}
	begin := t.Mark()
	var to prim.Pairs
	var err error
	if to.Keys, err = t.Alloc(c.Rows * c.Kind.Width()); err != nil {
		return s, err
	}
	if to.Values, err = t.Alloc(c.Rows * 4); err != nil {
		return s, err
	}
	m := t.Mark()
	ok := false
	if !all {
		if s, err = comparable(t, c); err != nil {
			return s, err
		}
		if ok, err = inOrder(t, s); err != nil {
			return s, err
		}
	}
	switch {
	case ok && s.rows == 0:
		return s, t.Release(begin)
	case ok:
		err = errors.Join(t.Device.CopyDevice(to.Keys, s.keys, s.n*c.Kind.Width(), t.Compute), t.Device.CopyDevice(to.Values, s.rows, s.n*4, t.Compute))
	default:
		by := prim.Sorting{Kind: c.Kind, Bounded: c.Bounded, Min: c.Min, Max: c.Max}
		err = by.Sort(t, prim.Pairs{Keys: s.keys, Values: s.rows}, to, 4, s.n)
	}
	s.keys, s.rows = to.Keys, to.Values
	return s, errors.Join(err, t.Release(m))
}

// sortBytes returns the most memory that sort takes, and how much of it its result keeps.
func sortBytes(c column.Column, inOrder bool) (most, kept int64) {
	all := c.Valid == 0 && c.Kind != column.F64
	if inOrder && all {
		return padded(8), 0
	}
	kept = padded(c.Rows*c.Kind.Width()) + padded(4*c.Rows)
	most = kept + prim.Sorting{Kind: c.Kind}.SortBytes(c.Rows, 4)
	if !all {
		most += kept + padded(c.Rows) + prim.SelectBytes(c.Rows) + 2*padded(8)
	}
	return most, kept
}

// comparable returns the rows of c that are neither NULL nor NaN, in row order.
func comparable(t *engine.Task, c column.Column) (sorted, error) {
	s := sorted{kind: c.Kind, n: c.Rows, keys: c.Values}
	flags := c.Valid
	var err error
	if c.Kind == column.F64 {
		if flags, err = t.Alloc(c.Rows); err != nil {
			return s, err
		}
		err = t.Launch("gsql_comparable", "f64", c.Rows, false, uint64(c.Values), uint64(c.Valid), uint64(c.Rows), uint64(flags))
		if err != nil {
			return s, err
		}
	}
	rows, err := t.Alloc(4 * c.Rows)
	if err != nil {
		return s, err
	}
	count, err := t.Alloc(8)
	if err != nil {
		return s, err
	}
	if err := prim.SelectRows(t, flags, rows, c.Rows, count); err != nil {
		return s, err
	}
	n, err := t.ReadWord(count)
	if err != nil || int64(n) == c.Rows {
		return s, err
	}
	s.n, s.rows = int64(n), rows
	if s.keys, err = t.Alloc(s.n * c.Kind.Width()); err != nil {
		return s, err
	}
	return s, prim.Gather(t, c.Kind.Width(), c.Values, rows, s.keys, s.n)
}

// inOrder reports whether the keys ascend.
func inOrder(t *engine.Task, s sorted) (bool, error) {
	m := t.Mark()
	word, err := t.Alloc(8)
	if err != nil {
		return false, err
	}
	if err := t.Fill(word, 0, 8); err != nil {
		return false, err
	}
	err = t.Launch("gsql_sorted_check", s.kind.Suffix(), s.n, s.kind.Width() == 8, uint64(s.keys), uint64(s.n), uint64(word))
	if err != nil {
		return false, err
	}
	descends, err := t.ReadWord(word)
	return descends == 0, errors.Join(err, t.Release(m))
}

// padded returns the arena's share of an allocation.
func padded(bytes int64) int64 { return (bytes + gpu.Alignment - 1) / gpu.Alignment * gpu.Alignment }
