package lower_test

import (
	"context"
	"errors"
	"math"
	"slices"

	"gsql/gpu/column"
	"gsql/gpu/pipeline/pipelinetest"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// hostColumns holds columns of tables on the host, described as if they were on a device.
type hostColumns map[catalog.Table]map[int]*hostColumn

type hostColumn struct {
	narrow column.Narrow
	values pipelinetest.Column
}

// Rows implements lower.Columns.
func (h hostColumns) Rows(t catalog.Table) int64 { return t.Stats().Rows }

// Column implements lower.Columns.
func (h hostColumns) Column(t catalog.Table, ordinal int) (column.Narrow, error) {
	if h[t] == nil {
		h[t] = map[int]*hostColumn{}
	}
	c := h[t][ordinal]
	if c == nil {
		var err error
		if c, err = read(t, ordinal); err != nil {
			return column.Narrow{}, err
		}
		h[t][ordinal] = c
	}
	return c.narrow, nil
}

// read reads a column of a table with its bounds or its dictionary.
func read(t catalog.Table, ordinal int) (*hostColumn, error) {
	source, err := t.Scan(context.Background(), catalog.ScanSpec{Columns: []int{ordinal}})
	if err != nil {
		return nil, err
	}
	defer source.Close()
	reader, err := source.NewReader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var all []catalog.Datum
	for {
		b, err := reader.Next()
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		v := b.Cols[0].Flatten(&vec.Vector{})
		for i := range v.N {
			all = append(all, catalog.DatumAt(v, i))
		}
	}
	return describe(all, t.Schema().Columns[ordinal].Type)
}

func describe(all []catalog.Datum, t types.Type) (*hostColumn, error) {
	c := &hostColumn{narrow: column.Narrow{Rows: int64(len(all)), Width: 8, Float: t.Kind() == types.KindF64, Min: math.MaxInt64, Max: math.MinInt64}}
	if t.Kind() == types.KindStr {
		c.narrow.Texts = &column.Dictionary{}
		for _, d := range all {
			if !d.Null {
				c.narrow.Texts.Texts = append(c.narrow.Texts.Texts, d.Str)
			}
		}
		slices.Sort(c.narrow.Texts.Texts)
		c.narrow.Texts.Texts = slices.Compact(c.narrow.Texts.Texts)
	}
	for _, d := range all {
		i := d.I64
		switch t.Kind() {
		case types.KindDec:
			i = int64(d.Dec.LowBits())
			if d.Dec.HighBits() != i>>63 {
				return nil, errors.New("values of more than 18 digits")
			}
		case types.KindStr:
			at, _ := slices.BinarySearch(c.narrow.Texts.Texts, d.Str)
			i = int64(at)
		}
		c.values.Valid = append(c.values.Valid, !d.Null)
		c.values.Ints, c.values.Floats = append(c.values.Ints, i), append(c.values.Floats, d.F64)
		if d.Null {
			c.narrow.Valid = 1
		} else {
			c.narrow.Min, c.narrow.Max = min(c.narrow.Min, i), max(c.narrow.Max, i)
		}
	}
	if c.narrow.Min > c.narrow.Max {
		c.narrow.Min, c.narrow.Max = 0, 0
	}
	if t.Kind() == types.KindF64 {
		c.values.Ints = nil
	} else {
		c.values.Floats = nil
	}
	return c, nil
}
