package durable

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// Stats are the statistics of a table at a checkpoint and what they cover.
type Stats struct {
	catalog.Stats
	Churn int64 // Table.Churn when they were computed
	End   int64 // Table.NextRow when they were computed
}

// stats writes statistics; nil means that there are none.
func (e *encoder) stats(s *Stats) {
	e.flags(s != nil, s != nil && s.Exact)
	if s == nil {
		return
	}
	e.int(s.Churn)
	e.int(s.End)
	e.int(s.Rows)
	e.int(s.Bytes)
	e.uint(uint64(len(s.Columns)))
	for i := range s.Columns {
		e.columnStats(&s.Columns[i])
	}
}

func (d *decoder) stats(schema *catalog.Schema) *Stats {
	var some bool
	s := &Stats{}
	if d.flags(&some, &s.Exact); !some {
		return nil
	}
	s.Churn, s.End, s.Rows, s.Bytes = d.int(), d.int(), d.int(), d.int()
	n := d.count(1)
	if n != len(schema.Columns) {
		d.fail(errUnknown)
		return nil
	}
	s.Columns = make([]catalog.ColumnStats, n)
	for i := range s.Columns {
		s.Columns[i] = d.columnStats(schema.Columns[i].Type)
	}
	return s
}

func (e *encoder) columnStats(c *catalog.ColumnStats) {
	e.flags(c.Sorted, c.Hist != nil)
	e.int(c.Nulls)
	e.int(c.NDV)
	e.float(c.AvgLen)
	e.datum(c.Min)
	e.datum(c.Max)
	e.uint(uint64(len(c.MCV)))
	for i := range c.MCV {
		e.datum(&c.MCV[i].Value)
		e.int(c.MCV[i].Rows)
	}
	if c.Hist == nil {
		return
	}
	e.int(c.Hist.Rows)
	e.uint(uint64(len(c.Hist.Bounds)))
	for _, x := range c.Hist.Bounds {
		e.float(x)
	}
}

func (d *decoder) columnStats(t types.Type) (c catalog.ColumnStats) {
	var hist bool
	d.flags(&c.Sorted, &hist)
	c.Nulls, c.NDV, c.AvgLen, c.Min, c.Max = d.int(), d.int(), d.float(), d.datum(t), d.datum(t)
	for range d.count(2) {
		v, rows := d.datum(t), d.int()
		if v == nil {
			d.fail(errUnknown)
			return c
		}
		c.MCV = append(c.MCV, catalog.ValueCount{Value: *v, Rows: rows})
	}
	if !hist {
		return c
	}
	c.Hist = &catalog.Histogram{Rows: d.int()}
	for range d.count(8) {
		c.Hist.Bounds = append(c.Hist.Bounds, d.float())
	}
	return c
}

func (e *encoder) float(x float64) { e.word(math.Float64bits(x)) }
func (d *decoder) float() float64  { return math.Float64frombits(d.word()) }

// datum writes a value of a column's type that is not NULL; nil is written, too.
func (e *encoder) datum(v *catalog.Datum) {
	e.flags(v != nil)
	if v == nil {
		return
	}
	switch v.Type.Kind() {
	case types.KindF64:
		e.float(v.F64)
	case types.KindDec:
		e.word(v.Dec.LowBits())
		e.word(uint64(v.Dec.HighBits()))
	case types.KindStr:
		e.text(v.Str)
	default:
		e.int(v.I64)
	}
}

func (d *decoder) datum(t types.Type) *catalog.Datum {
	var some bool
	if d.flags(&some); !some {
		return nil
	}
	v := &catalog.Datum{Type: t}
	switch t.Kind() {
	case types.KindF64:
		v.F64 = d.float()
	case types.KindDec:
		low, high := d.word(), d.word()
		v.Dec = decimal128.New(int64(high), low)
	case types.KindStr:
		v.Str = d.text()
	default:
		v.I64 = d.int()
	}
	return v
}
