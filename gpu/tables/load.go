// Package tables brings columns of tables to a device in narrow form, and describes these columns.
package tables

import (
	"errors"
	"fmt"

	"gsql/exec/op"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/lower"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Load returns columns of a table in device memory, in the order of ordinals, for the duration of
// the task. All of the query's workers read the columns that are not in the device's cache. One scan
// writes those whose form is known from statistics. Another one measures the rest first, or several do
// if the query has too little memory for all columns together. If
// cacheable is set, they stay in the cache. All columns have the rows in the table's order.
// uploaded is the number of bytes copied to the device.
//
// The error is a column.Refusal if a column cannot have this form, and 1037 if the device or the
// query has too little memory for it.
func Load(ctx *op.Ctx, t *engine.Task, table catalog.Table, ordinals []int, cacheable bool) (columns []column.Narrow, uploaded int64, err error) {
	columns = make([]column.Narrow, len(ordinals))
	var known, unknown []int // positions in ordinals
	for i, ordinal := range ordinals {
		if err := refusal(table, ordinal); err != nil {
			return nil, 0, err
		}
		if cacheable { // other tables' names and versions do not identify their contents
			if c, ok := t.Narrow(Key(table, ordinal)); ok {
				columns[i] = c
				continue
			}
		}
		if placeable(table, ordinal) {
			known = append(known, i)
		} else {
			unknown = append(unknown, i)
		}
	}
	load := func(positions []int, by loader) error {
		if len(positions) == 0 {
			return nil
		}
		some := make([]int, len(positions))
		for i, at := range positions {
			some[i] = ordinals[at]
		}
		loaded, n, err := by(ctx, t, table, some, cacheable)
		uploaded += n
		for i := range loaded {
			columns[positions[i]] = loaded[i]
		}
		return err
	}
	if err = load(known, placed); errors.Is(err, errNoPlaces) || errors.Is(err, column.ErrRange) {
		unknown, err = append(unknown, known...), nil
	}
	if err == nil {
		err = load(unknown, measured)
	}
	if err != nil {
		return nil, uploaded, err
	}
	return columns, uploaded, nil
}

// loader loads columns of a table that are not in the cache.
type loader func(ctx *op.Ctx, t *engine.Task, table catalog.Table, ordinals []int, cacheable bool) (columns []column.Narrow, uploaded int64, err error)

// LoadDerived returns the values of a function of a column in device memory, as Load does. The error is a
// column.Refusal if the function fails for a value of the column.
func LoadDerived(ctx *op.Ctx, t *engine.Task, table catalog.Table, d lower.Derived, cacheable bool) (c column.Narrow, uploaded int64, err error) {
	k := DerivedKey(table, &d)
	if cacheable {
		if c, ok := t.Narrow(k); ok {
			return c, 0, nil
		}
	}
	s := newScan(ctx, table, []int{d.Ordinal})
	defer s.free()
	if err := s.derive(&d); err != nil {
		return c, 0, err
	}
	if err := s.read(); err != nil {
		return c, 0, err
	}
	l, err := s.layout(0)
	if err != nil {
		return c, 0, named(table, d.Ordinal, err)
	}
	c, err = upload(t, k, cacheable, l)
	return c, c.Bytes(), err
}

// measured loads columns by one scan or, if the query has too little memory for that, by several.
func measured(ctx *op.Ctx, t *engine.Task, table catalog.Table, ordinals []int, cacheable bool) (columns []column.Narrow, uploaded int64, err error) {
	s := newScan(ctx, table, ordinals)
	err = s.read()
	if err == nil {
		columns, uploaded, err = s.upload(t, cacheable)
		s.free()
		return columns, uploaded, err
	}
	s.free()
	half := len(ordinals) / 2
	if half == 0 || !errors.Is(err, sqlerr.OutOfMemory) {
		return nil, 0, err
	}
	for _, some := range [][]int{ordinals[:half], ordinals[half:]} {
		more, n, err := measured(ctx, t, table, some, cacheable)
		if uploaded += n; err != nil {
			return nil, uploaded, err
		}
		columns = append(columns, more...)
	}
	return columns, uploaded, nil
}

// upload copies the columns that were read to the device.
func (s *scan) upload(t *engine.Task, cacheable bool) (columns []column.Narrow, uploaded int64, err error) {
	for i, ordinal := range s.ordinals {
		l, err := s.layout(i)
		if err != nil {
			return nil, uploaded, named(s.table, ordinal, err)
		}
		c, err := upload(t, Key(s.table, ordinal), cacheable, l)
		if err != nil {
			return nil, uploaded, err
		}
		columns, uploaded = append(columns, c), uploaded+c.Bytes()
	}
	return columns, uploaded, nil
}

// refusal returns the reason why a column cannot be on a device if its type is the reason, else
// nil.
func refusal(table catalog.Table, ordinal int) error {
	columns := table.Schema().Columns
	if ordinal < 0 || ordinal >= len(columns) {
		return sqlerr.Internal("table '%s' has no column number %d", table.Name(), ordinal)
	}
	if err := column.Narrowable(columns[ordinal].Type); err != nil {
		return named(table, ordinal, err)
	}
	return nil
}

// named adds the column's name to an error.
func named(table catalog.Table, ordinal int, err error) error {
	return fmt.Errorf("column %s: %w", name(table, ordinal), err)
}

func name(table catalog.Table, ordinal int) string {
	return table.Name() + "." + table.Schema().Columns[ordinal].Name
}

// Key returns the name of a column in the caches of devices.
func Key(table catalog.Table, ordinal int) engine.Key {
	return engine.Key{Table: table.Name(), Version: table.Version(), Column: ordinal, Name: table.Schema().Columns[ordinal].Name, Narrow: true, Stay: table.Schema().Cached}
}

// DerivedKey is Key for a function of a column.
func DerivedKey(table catalog.Table, d *lower.Derived) engine.Key {
	k := Key(table, d.Ordinal)
	k.Derived = d.Key()
	return k
}

// upload copies a column to the device.
func upload(t *engine.Task, k engine.Key, cacheable bool, l *column.Layout) (column.Narrow, error) {
	width := int64(l.Width)
	values := func(dst []byte, from int64) { l.Values(dst, from/width) }
	var valid func(dst []byte, from int64)
	if l.Nulls > 0 {
		valid = func(dst []byte, from int64) { l.ValidBits(dst, from*8) }
	}
	return t.LoadNarrow(k, cacheable, l.Narrow, values, valid)
}

// layout returns column i of the scan, which has ended.
func (s *scan) layout(i int) (*column.Layout, error) {
	t := s.types[i]
	parts, makers := s.parts(i)
	if t.Kind() != types.KindStr {
		return column.NewLayout(t.Kind() == types.KindF64, parts, nil, nil), nil
	}
	all := make([]*column.Texts, len(s.workers))
	for w := range s.workers {
		all[w] = s.workers[w].packers[i].Texts
	}
	d, codes, err := column.Unite(all, s.account.Reserve)
	if err != nil {
		return nil, err
	}
	byPart := make([][]uint32, len(parts))
	for p, w := range makers {
		byPart[p] = codes[w]
	}
	return column.NewLayout(false, parts, d, byPart), nil
}

// slabs is memory for parts, charged to an account.
type slabs struct {
	account *mem.Account
	buffers mem.Buffers
	rest    []uint64
	next    int // words of the next slab
}

// The words of the first and of the largest slab.
const (
	firstSlab = 2 << 10
	mostSlab  = 128 << 10
)

// room returns n words.
func (s *slabs) room(n int) ([]uint64, error) {
	if n > len(s.rest) {
		s.next = min(max(2*s.next, firstSlab), mostSlab)
		b, err := mem.Scratch[uint64](s.account, max(n, s.next))
		if err != nil {
			return nil, err
		}
		s.buffers.Add(b)
		s.rest = b.S
	}
	out := s.rest[:n:n]
	s.rest = s.rest[n:]
	return out, nil
}
