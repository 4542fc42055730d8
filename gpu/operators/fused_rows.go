package operators

import (
	"sync/atomic"

	"gsql/exec/op"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline/run"
	"gsql/planner/logical"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// fusedRows is the result of pipelines, which streams convert to batches.
type fusedRows struct {
	cols   []logical.Column
	outs   []lower.Output
	texts  []*vec.Vector // dictionaries of the outputs that are texts
	rows   *run.Rows
	narrow bool // decimals of at most 18 digits may be Narrow
	batch  int
	taken  atomic.Int64 // rows that streams have taken
}

// newFusedRows returns the rows of a result whose columns are cols.
func newFusedRows(ctx *op.Ctx, cols []logical.Column, outs []lower.Output, rows *run.Rows, narrow bool) (*fusedRows, error) {
	if len(cols) != len(outs) {
		return nil, sqlerr.Internal("pipelines with %d columns instead of %d", len(outs), len(cols))
	}
	f := &fusedRows{cols: cols, outs: outs, texts: make([]*vec.Vector, len(outs)), rows: rows, narrow: narrow, batch: ctx.Rows()}
	for i := range outs {
		if o := &outs[i]; o.Form == lower.Text {
			f.texts[i] = &vec.Vector{Type: o.Type, N: len(o.Texts.Texts), Str: o.Texts.Texts, Dict: true}
		}
	}
	return f, nil
}
