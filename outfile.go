package gsql

import (
	"strings"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/timezone"
	"gsql/sql/vec"
	"gsql/storage/files"
)

// takeInto takes the INTO clause off a query and gives it, nil for none. That of a set
// operation stands in its last SELECT.
func takeInto(n ast.Node) *ast.SelectIntoOption {
	clause := intoClause(n)
	if clause == nil {
		return nil
	}
	into := *clause
	*clause = nil
	return into
}

// intoClause gives the place of a query's INTO clause, or nil where it can have none.
func intoClause(n ast.Node) **ast.SelectIntoOption {
	switch n := n.(type) {
	case *ast.SelectStmt:
		return &n.SelectIntoOpt
	case *ast.SetOprStmt:
		list := n.SelectList.Selects
		if last, ok := list[len(list)-1].(*ast.SelectStmt); ok && !last.IsInBraces {
			return intoClause(last)
		}
	}
	return nil
}

// selectInto runs SELECT ... INTO OUTFILE: the file's ending says the format.
func (r *stmtRun) selectInto(n ast.Node, into *ast.SelectIntoOption) (*Rows, error) {
	opt, err := r.outfileOptions(into)
	if err != nil {
		return nil, err
	}
	r.s.beginImplicitly()
	tx, done := r.view()
	defer done()
	bound, err := r.binder(tx).Query(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	plan, err := r.optimize(bound.Node)
	if err != nil {
		return nil, err
	}
	w, err := files.NewWriter(r.s.db.path(into.FileName), fileColumns(bound.Names, resultColumns(bound)), opt)
	if err != nil {
		return nil, err
	}
	rows, zone := int64(0), time.UTC
	if files.KeepsZones(into.FileName) {
		zone = timezone.Of(r.s)
	}
	err = r.each(plan, func(b *vec.Batch) error {
		rows += int64(b.N)
		return w.Write(arrowvec.InUTC(b, zone))
	})
	if err != nil {
		w.Abort()
		return nil, err
	}
	return &Rows{Affected: rows}, w.Close()
}

func fileColumns(names []string, cols []Column) []catalog.Column {
	out := make([]catalog.Column, len(cols))
	for i, c := range cols {
		out[i] = catalog.Column{Name: names[i], Type: c.Type, NotNull: !c.Nullable}
	}
	return out
}

// outfileOptions translates the FIELDS and LINES clauses.
func (r *stmtRun) outfileOptions(n *ast.SelectIntoOption) (files.WriteOptions, error) {
	var opt files.WriteOptions
	if n.Tp != ast.SelectIntoOutfile {
		return opt, sqlerr.Unsupported(0, "SELECT ... INTO DUMPFILE or variables")
	}
	if !isFile(n.FileName) {
		return opt, sqlerr.Unsupported(0, "files named like '%s'", n.FileName).
			WithHint("gsql tells the format from the ending: .csv, .tsv, .parquet, .arrow; .csv and .tsv with .gz or .zst too.")
	}
	if f := n.FieldsInfo; f != nil {
		if f.Terminated != nil {
			opt.Delimiter = *f.Terminated
		}
		if f.Enclosed != nil {
			opt.Quote, opt.Enclose = firstByte(*f.Enclosed), files.EncloseAll
			if f.OptEnclosed {
				opt.Enclose = files.EncloseText
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

// firstByte gives the first byte of s, or zero for none.
func firstByte(s string) *byte {
	var b byte
	if s != "" {
		b = s[0]
	}
	return &b
}
