package operators

import (
	"sync/atomic"

	"gsql/exec/op"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/run"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// fusedRows is the result of pipelines, which streams convert to batches.
type fusedRows struct {
	cols   []logical.Column
	outs   []lower.Output
	texts  []*vec.Vector // dictionaries of the outputs that are texts
	rows   *run.Rows
	narrow bool // decimals of up to 18 digits may be Narrow
	batch  int
	taken  atomic.Int64 // rows that streams have taken
	reads  []placeRead
}

// newFusedRows returns the rows of a result whose columns are cols.
func newFusedRows(ctx *op.Ctx, cols []logical.Column, outs []lower.Output, rows *run.Rows, narrow bool, tables []catalog.Table) (*fusedRows, error) {
	if len(cols) != len(outs) {
		return nil, sqlerr.Internal("pipelines with %d columns instead of %d", len(outs), len(cols))
	}
	f := &fusedRows{cols: cols, outs: outs, texts: make([]*vec.Vector, len(outs)), rows: rows, narrow: narrow, batch: ctx.Rows()}
	for i := range outs {
		o := &outs[i]
		if err := check(o, len(rows.Columns)); err != nil {
			return nil, err
		}
		if o.Form == lower.Text {
			f.texts[i] = &vec.Vector{Type: o.Type, N: len(o.Texts.Texts), Str: o.Texts.Texts, Dict: true}
		}
	}
	var err error
	f.reads, err = placeReads(outs, tables)
	return f, err
}

// check returns an error unless an output can be made from a number of columns.
func check(o *lower.Output, columns int) error {
	has := func(c int) bool { return c >= 0 && c < columns }
	ok := has(o.Value) && (o.Valid == pipeline.None || has(o.Valid))
	switch o.Form {
	case lower.Text:
		ok = ok && o.Texts != nil && o.Type.Kind() == types.KindStr
	case lower.Real:
		ok = ok && o.Type.Kind() == types.KindF64
	case lower.RealMean:
		ok = ok && o.Type.Kind() == types.KindF64 && has(o.Count)
	case lower.Mean:
		ok = ok && has(o.Count)
	case lower.Wide, lower.Long:
		ok = ok && has(o.High)
	case lower.WideMean:
		ok = ok && has(o.High) && has(o.Count)
	}
	if !ok {
		return sqlerr.Internal("pipelines with a column of %s that has no form", o.Type.Name())
	}
	return nil
}
