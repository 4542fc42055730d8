package statement

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/dml"
	"gsql/sql/sqlerr"
	"gsql/storage"
	"gsql/storage/files"
	"gsql/storage/files/csv"
)

// loadData runs LOAD DATA [LOCAL] INFILE: the file's lines become rows of the table,
// typed by its columns. Without IGNORE the first bad line fails; with IGNORE bad lines are
// skipped and listed in SHOW WARNINGS. Without strict mode, fields are texts, which the INSERT fits
// to the columns with warnings.
func loadData(r *run, tx *storage.Tx, n *ast.LoadDataStmt) (*Result, error) {
	if n.FileLocRef == ast.FileLocClient {
		if err := r.s.DB.CheckLocalInfile(); err != nil {
			return nil, err
		}
	}
	schema, err := r.columnsOf(tx, n.Table)
	if err != nil {
		return nil, err
	}
	opt, err := loadOptions(n)
	if err != nil {
		return nil, err
	}
	general, done := r.s.FileOptions()
	defer done()
	opt.Dir, opt.Disk, opt.Mem = general.Dir, general.Disk, general.Mem
	opt.IgnoreErrors = n.OnDuplicate == ast.OnDuplicateKeyHandlingIgnore
	m := newMapping(schema, n.ColumnsAndUserVars, r.s.Mode.Strict())
	opt.Columns, opt.Types, opt.OwnColumns = m.fields, m.types, true
	m.assign(n.ColumnAssignments)
	file, err := files.Open(r.ctx, n.Path, opt)
	if err != nil {
		return nil, err
	}
	on := failOnDuplicate
	switch {
	case n.OnDuplicate == ast.OnDuplicateKeyHandlingReplace:
		on = replaceDuplicate
	case opt.IgnoreErrors && dml.HasUnique(schema):
		on = ignoreDuplicate
	}
	return insertFile(r, tx, n.Table, file, m, on)
}

// loadOptions translates the FIELDS, LINES and IGNORE clauses; MySQL's defaults are tabs, no quotes
// and backslash escapes.
func loadOptions(n *ast.LoadDataStmt) (files.Options, error) {
	header, quote, escape := false, byte(0), byte('\\')
	opt := files.Options{Options: csv.Options{Delimiter: "\t", Lines: "\n", Header: &header, Quote: &quote, Escape: &escape}}
	if f := n.FieldsInfo; f != nil {
		if f.Terminated != nil {
			opt.Delimiter = *f.Terminated
		}
		if f.Enclosed != nil && *f.Enclosed != "" {
			quote = (*f.Enclosed)[0]
		}
		if f.Escaped != nil {
			escape = 0
			if *f.Escaped != "" {
				escape = (*f.Escaped)[0]
			}
		}
		if f.DefinedNullBy != nil {
			opt.NullText = []string{*f.DefinedNullBy}
		}
	}
	if opt.Delimiter == "" {
		return opt, sqlerr.Unsupported(0, "fixed-width fields (FIELDS TERMINATED BY '')")
	}
	if l := n.LinesInfo; l != nil {
		if l.Terminated != nil {
			opt.Lines = *l.Terminated
		}
		if l.Starting != nil {
			opt.LinePrefix = *l.Starting
		}
	}
	if n.Format != nil || len(n.Options) > 0 {
		return opt, sqlerr.Unsupported(0, "FORMAT and WITH of LOAD DATA").WithHint("IMPORT INTO reads files of any format.")
	}
	if n.Charset != nil {
		if err := setCharset(&opt, *n.Charset); err != nil {
			return opt, err
		}
	}
	if n.IgnoreLines != nil {
		opt.SkipLines = int(*n.IgnoreLines)
	}
	if opt.NullText == nil {
		opt.NullText = []string{`\N`, "NULL"}
	}
	return opt, nil
}

// setCharset sets the character set of a text file.
func setCharset(opt *files.Options, name string) (err error) {
	var ok bool
	if opt.Charset, ok = csv.Charset(name); !ok {
		err = sqlerr.Unsupported(0, "files in the character set %s", name)
	}
	return err
}
