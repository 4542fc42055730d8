package lower_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gsql/gpu/column"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline/pipelinetest"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// hostColumns holds columns of tables on the host, described as if they were on a device.
type hostColumns map[catalog.Table]map[int]*hostColumn

type hostColumn struct {
	narrow column.Narrow
	values pipelinetest.Column
}

// known is columns on the host.
type known interface {
	lower.Columns
	column(r *lower.Relation, ordinal int) *hostColumn
}

// raw is columns of which the host computes functions.
type raw struct {
	hostColumns
	derived map[string]*hostColumn
}

// Raw implements lower.Columns.
func (raw) Raw(catalog.Table, int) bool { return true }

// late is columns of which the host reads those that a program only returns.
type late struct{ hostColumns }

// Late implements lower.Columns.
func (late) Late(_ catalog.Table, ordinal int, _ float64) bool { return ordinal >= 0 }

func (h hostColumns) column(r *lower.Relation, ordinal int) *hostColumn { return h[r.Table][ordinal] }

func (h raw) column(r *lower.Relation, ordinal int) *hostColumn {
	if at := ordinal - len(r.Table.Schema().Columns); at >= 0 {
		return h.derived[nameOf(r.Table, &r.Derived[at])]
	}
	return h.hostColumns[r.Table][ordinal]
}

func nameOf(t catalog.Table, d *lower.Derived) string {
	return fmt.Sprint(t.Name(), " ", d.Ordinal, " ", d.Key())
}

// Raw implements lower.Columns.
func (hostColumns) Raw(catalog.Table, int) bool { return false }

// Derived implements lower.Columns.
func (hostColumns) Derived(catalog.Table, lower.Derived) (column.Narrow, error) {
	return column.Narrow{}, errors.New("a function of a column that is not raw")
}

// Derived implements lower.Columns.
func (h raw) Derived(t catalog.Table, d lower.Derived) (column.Narrow, error) {
	name := nameOf(t, &d)
	if h.derived[name] == nil {
		c, err := derived(t, &d)
		if err != nil {
			return column.Narrow{}, err
		}
		h.derived[name] = c
	}
	return h.derived[name].narrow, nil
}

// derived computes a function of a table's column, row by row.
func derived(t catalog.Table, d *lower.Derived) (*hostColumn, error) {
	all, err := values(t, d.Ordinal)
	if err != nil {
		return nil, err
	}
	p, err := eval.Compile(d.Expr, []expr.ColID{d.Column})
	if err != nil {
		return nil, err
	}
	ev := p.NewEvaluator(kernel.Ctx{})
	defer ev.Release()
	for i, x := range all {
		v := vec.NewFlat(x.Type, 1)
		x.Put(v, 0)
		out, err := ev.Eval(&vec.Batch{Cols: []*vec.Vector{v}, N: 1})
		if err != nil {
			return nil, err
		}
		all[i] = catalog.DatumAt(out, 0)
		all[i].Str = strings.Clone(all[i].Str)
	}
	return describe(all, d.Expr.T)
}

// Late implements lower.Columns.
func (h hostColumns) Late(catalog.Table, int, float64) bool { return false }

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
	all, err := values(t, ordinal)
	if err != nil {
		return nil, err
	}
	return describe(all, t.Schema().Columns[ordinal].Type)
}

func values(t catalog.Table, ordinal int) ([]catalog.Datum, error) {
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
	return all, nil
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
