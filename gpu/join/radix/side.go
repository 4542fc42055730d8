package radix

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
)

// side is one side of a join: its key column and the values that its rows carry through the
// partitioning.
type side struct {
	key   column.Column
	carry carry
}

// carry is what rows carry besides their keys: a column of their side, or two of 4 bytes, or their
// row numbers if number is set, or nothing. Rows that are NULL in valid are dropped.
type carry struct {
	width     int64
	number    bool
	low, high gpu.Ptr
	valid     gpu.Ptr
}

// rowNumbers makes rows carry their row numbers.
var rowNumbers = carry{width: 4, number: true}

// columnWidth is the width of the columns that are carried.
func (c carry) columnWidth() int64 {
	if c.high != 0 {
		return 4
	}
	return c.width
}

// leavesOut reports whether rows may be dropped, and how many validity columns are built to
// identify them.
func (s *side) leavesOut() (some bool, columns int64) {
	if s.key.Kind == column.F64 {
		columns++
	}
	if s.carry.valid != 0 && (s.key.Valid != 0 || s.key.Kind == column.F64) {
		columns++
	}
	return columns > 0 || s.key.Valid != 0 || s.carry.valid != 0, columns
}

// span is n rows of a side from row first on.
type span struct{ first, n int64 }

// at returns the address of the span in a column of the given width.
func (s span) at(p gpu.Ptr, width int64) gpu.Ptr { return p + gpu.Ptr(s.first*width) }

// partition writes the rows of a span to p, except those to drop.
func (s *side) partition(t *engine.Task, p *prim.Partitions, rows span) error {
	m := t.Mark()
	key, carried, n, err := s.rows(t, rows)
	if err == nil {
		err = p.Partition(t, key, carried, n)
	}
	return errors.Join(err, t.Release(m))
}

// rows returns the keys of a span and what its rows carry, except for those to drop, and how many
// remain.
func (s *side) rows(t *engine.Task, rows span) (key gpu.Ptr, carried prim.Carried, n int64, err error) {
	key = rows.at(s.key.Values, s.key.Kind.Width())
	carried = prim.Carried{Width: s.carry.width}
	if s.carry.number {
		carried.Addend = rows.first
	} else if s.carry.width != 0 {
		carried.Column = rows.at(s.carry.low, s.carry.columnWidth())
		if s.carry.high != 0 {
			carried.High = rows.at(s.carry.high, 4)
		}
	}
	n = rows.n
	if some, _ := s.leavesOut(); some && n > 0 {
		key, n, err = s.compact(t, rows, key, &carried)
	}
	return key, carried, n, err
}

// compact drops rows: it returns the keys and the number of the remaining rows, and sets carried to
// what they carry. It waits for the number.
func (s *side) compact(t *engine.Task, rows span, key gpu.Ptr, carried *prim.Carried) (gpu.Ptr, int64, error) {
	flags, err := s.flags(t, rows)
	if err != nil {
		return 0, 0, err
	}
	count, err := t.Alloc(8)
	if err != nil {
		return 0, 0, err
	}
	kept := func(width int64, in *gpu.Ptr) error {
		out, err := t.Alloc(rows.n * width)
		if err != nil {
			return err
		}
		from := *in
		if *in = out; from == 0 {
			return prim.SelectRows(t, flags, out, rows.n, count)
		}
		return prim.SelectValues(t, width, from, flags, out, rows.n, count)
	}
	err = kept(s.key.Kind.Width(), &key)
	if err == nil && carried.Width != 0 {
		err = kept(s.carry.columnWidth(), &carried.Column)
	}
	if err == nil && carried.High != 0 {
		err = kept(4, &carried.High)
	}
	if err != nil {
		return 0, 0, err
	}
	n, err := t.ReadWord(count)
	return key, int64(n), err
}

// flags returns one byte per row of the span: 0 if the key or a carried value is NULL, or the key
// is NaN.
func (s *side) flags(t *engine.Task, rows span) (gpu.Ptr, error) {
	var flags gpu.Ptr
	if s.key.Valid != 0 {
		flags = rows.at(s.key.Valid, 1)
	}
	if s.key.Kind == column.F64 {
		out, err := t.Alloc(rows.n)
		if err == nil {
			err = t.Launch("gsql_valid_numbers", "", rows.n, false, uint64(rows.at(s.key.Values, 8)), uint64(flags), uint64(out), uint64(rows.n))
		}
		if err != nil {
			return 0, err
		}
		flags = out
	}
	switch {
	case s.carry.valid == 0:
		return flags, nil
	case flags == 0:
		return rows.at(s.carry.valid, 1), nil
	}
	out, err := t.Alloc(rows.n)
	if err != nil {
		return 0, err
	}
	return out, t.Launch("gsql_valid_both", "", rows.n, false, uint64(flags), uint64(rows.at(s.carry.valid, 1)), uint64(out), uint64(rows.n))
}

// bytes returns the memory of the partitions of n rows and what building them takes in addition.
func (s *side) bytes(n int64, bits uint) (kept, scratch int64) {
	kept, scratch = prim.PartitionBytes(s.key.Kind != column.I32, s.carry.width, n, bits)
	if some, made := s.leavesOut(); some {
		scratch = max(scratch, prim.SelectBytes(n)) + padded(8) + made*padded(n) +
			padded(n*s.key.Kind.Width()) + 2*padded(n*s.carry.columnWidth())
	}
	return kept, scratch
}

// padded returns the arena's share of an allocation.
func padded(bytes int64) int64 { return (bytes + gpu.Alignment - 1) / gpu.Alignment * gpu.Alignment }
