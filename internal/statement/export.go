package statement

import (
	"strings"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/result"
	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/timezone"
	"gsql/sql/vec"
	"gsql/storage/files"
	"gsql/storage/files/csv"
)

// selectIntoFile runs SELECT ... INTO OUTFILE. The file's ending chooses the format.
func selectIntoFile(r *run, n ast.Node, into *ast.SelectIntoOption) (*Result, error) {
	opt, err := outfileOptions(r, into)
	if err != nil {
		return nil, err
	}
	r.s.StartImplicitly()
	tx, done := r.s.View()
	defer done()
	if err := r.lockRows(tx, n, nil); err != nil {
		return nil, err
	}
	bound, err := r.binder(tx).Query(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	plan, err := r.optimize(bound.Node)
	if err != nil {
		return nil, err
	}
	settings, account := r.execOptions(plan)
	opt.Disk, opt.Dir, opt.Mem = r.s.DB.Disk, r.s.DB.Dir, account
	w, err := files.NewWriter(into.FileName, fileColumns(bound.Names, resultColumns(bound)), opt)
	if err != nil {
		return nil, err
	}
	rows, zone := int64(0), time.UTC
	if files.KeepsZones(into.FileName) {
		zone = timezone.Of(r.s)
	}
	defer w.Abort()
	res, err := r.startIn(plan, settings, account)
	if err != nil {
		return nil, err
	}
	for err == nil {
		var b *vec.Batch
		if b, err = res.Next(); err != nil || b == nil {
			break
		}
		rows += int64(b.N)
		err = w.Write(arrowvec.InUTC(b, zone))
	}
	if err == nil {
		err = w.Close() // while the account is open
	} else {
		w.Abort()
	}
	if cerr := res.Close(); err == nil {
		err = cerr
	}
	return &Result{Affected: rows}, err
}

// fileColumns returns the columns of a file that a query is written to.
func fileColumns(names []string, cols []result.Column) []catalog.Column {
	out := make([]catalog.Column, len(cols))
	for i, c := range cols {
		out[i] = catalog.Column{Name: names[i], Type: c.Type, NotNull: !c.Nullable}
	}
	return out
}

// outfileOptions translates the FIELDS and LINES clauses.
func outfileOptions(r *run, n *ast.SelectIntoOption) (files.WriteOptions, error) {
	var opt files.WriteOptions
	if n.Tp != ast.SelectIntoOutfile {
		return opt, sqlerr.Unsupported(0, "SELECT ... INTO DUMPFILE or variables")
	}
	if !files.IsPath(n.FileName) {
		return opt, sqlerr.Unsupported(0, "files named like '%s'", n.FileName).
			WithHint("The ending of the name determines the format: .csv, .tsv, .json, .ndjson, .parquet or .arrow, each optionally followed by .gz or .zst.")
	}
	if f := n.FieldsInfo; f != nil {
		if f.Terminated != nil {
			opt.Delimiter = *f.Terminated
		}
		if f.Enclosed != nil {
			opt.Quote, opt.Enclose = firstByte(*f.Enclosed), csv.EncloseAll
			if f.OptEnclosed {
				opt.Enclose = csv.EncloseText
			}
		}
		if f.Escaped != nil {
			opt.Escape = firstByte(*f.Escaped)
		}
	}
	if l := n.LinesInfo; l != nil {
		if l.Starting != nil {
			opt.LinePrefix = *l.Starting
		}
		if l.Terminated != nil {
			opt.Lines = *l.Terminated
		}
	}
	text := n.FileName
	if (n.FieldsInfo != nil || n.LinesInfo != nil) && !strings.Contains(text, ".csv") && !strings.Contains(text, ".tsv") {
		return opt, sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of FIELDS or LINES and '%s'", text)
	}
	return opt, nil
}

// firstByte returns the first byte of s, or zero for none.
func firstByte(s string) *byte {
	var b byte
	if s != "" {
		b = s[0]
	}
	return &b
}

// selectIntoVars runs SELECT ... INTO @a, @b: the variables take the values of the only row.
// Without a row they are unchanged.
func selectIntoVars(r *run, n ast.Node, names []string) (*Result, error) {
	r.s.StartImplicitly()
	tx, done := r.s.View()
	defer done()
	if err := r.lockRows(tx, n, nil); err != nil {
		return nil, err
	}
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
		return &Result{}, nil
	}
	for i, name := range names {
		if err := r.s.SetUserVar(name, row[i]); err != nil {
			return nil, err
		}
	}
	return &Result{Affected: 1}, nil
}
