package gsql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// selectIntoVars runs SELECT ... INTO @a, @b: the one row's values become those of the
// variables, which stay as they are where there is no row.
func (r *stmtRun) selectIntoVars(n ast.Node, names []string) (*Rows, error) {
	r.s.beginImplicitly()
	tx, done := r.view()
	defer done()
	bound, err := r.binder(tx).Query(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	if len(bound.Columns) != len(names) {
		return nil, sqlerr.New(sqlerr.WrongNumberOfColumnsInSelect, "The used SELECT statements have a different number of columns").
			WithHint("%d column(s), but %d variable(s).", len(bound.Columns), len(names))
	}
	plan, err := r.optimize(bound.Node)
	if err != nil {
		return nil, err
	}
	var row []catalog.Datum
	err = r.each(plan, func(b *vec.Batch) error {
		if b.N > 1 || b.N == 1 && row != nil {
			return sqlerr.New(sqlerr.TooManyRows, "Result consisted of more than one row")
		}
		for _, c := range b.Cols[:b.N*len(b.Cols)] {
			d := catalog.DatumAt(c, 0)
			d.Str = strings.Clone(d.Str) // it outlives the batch
			row = append(row, d)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if row == nil {
		r.s.Warn(uint16(sqlerr.NoData), "No data - zero rows fetched, selected, or processed")
		return &Rows{}, nil
	}
	for i, name := range names {
		r.s.SetUserVar(name, row[i])
	}
	return &Rows{Affected: 1}, nil
}
