// Package dump writes a database as a script of SQL statements and Parquet files with the rows,
// from which any database can be made again.
package dump

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gsql"
	"gsql/sql/catalog"
)

// Script is the name of the file with the statements.
const Script = "dump.sql"

// Write writes the databases that s sees to a folder, which must be missing or empty: Script, and a
// Parquet file for each table that has rows. It reads one snapshot. progress is called after each
// table.
func Write(ctx context.Context, s *gsql.Session, folder string, progress func(table string, rows int64)) (err error) {
	if err := emptyFolder(folder); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(folder, Script), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return err
	}
	w := &writer{ctx: ctx, s: s, folder: folder, out: bufio.NewWriter(f), progress: progress}
	defer func() { err = errors.Join(err, w.out.Flush(), f.Sync(), f.Close()) }()
	return w.all()
}

func emptyFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", folder)
	}
	return err
}

type writer struct {
	ctx      context.Context
	s        *gsql.Session
	folder   string
	out      *bufio.Writer
	files    int
	views    []view
	progress func(table string, rows int64)
}

// view is a view that is written after all tables.
type view struct{ db, name, create string }

// all writes everything. The settings at the beginning make all values come back as they are.
func (w *writer) all() error {
	fmt.Fprintf(w.out, "-- Made by gsql dump. In this folder's parent, to make the database again:\n"+
		"--   gsql 'NEW.gsql?dir=%s' -f %s\n", filepath.Base(w.folder), filepath.Join(filepath.Base(w.folder), Script))
	settings := []string{"SET time_zone = '+00:00'", "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'"}
	for _, set := range settings {
		fmt.Fprintf(w.out, "%s;\n", set)
		if _, _, err := w.s.Exec(w.ctx, set); err != nil {
			return err
		}
	}
	if _, _, err := w.s.Exec(w.ctx, "START TRANSACTION WITH CONSISTENT SNAPSHOT"); err != nil {
		return err
	}
	dbs, err := w.column("SELECT schema_name FROM information_schema.schemata ORDER BY schema_name")
	if err != nil {
		return err
	}
	for _, db := range dbs {
		if virtual := strings.EqualFold(db, "information_schema") || strings.EqualFold(db, "performance_schema"); virtual {
			continue
		}
		if err := w.database(db); err != nil {
			return err
		}
	}
	return w.writeViews()
}

// database writes the tables of a database and collects its views.
func (w *writer) database(db string) error {
	coll, err := w.column("SELECT default_collation_name FROM information_schema.schemata WHERE schema_name = ?", db)
	if err != nil || len(coll) != 1 {
		return errors.Join(err, fmt.Errorf("database %s has %d collations", db, len(coll)))
	}
	fmt.Fprintf(w.out, "\nCREATE DATABASE IF NOT EXISTS %s;\nALTER DATABASE %s COLLATE %s;\nUSE %s;\n",
		catalog.QuoteName(db), catalog.QuoteName(db), coll[0], catalog.QuoteName(db))
	rows, err := w.rows("SELECT table_name, table_type, create_options FROM information_schema.tables WHERE table_schema = ? ORDER BY table_name", db)
	if err != nil {
		return err
	}
	for _, r := range rows {
		qualified := catalog.QuoteName(db) + "." + catalog.QuoteName(r[0])
		create, err := w.rows("SHOW CREATE TABLE " + qualified)
		if err != nil {
			return err
		}
		if r[1] == "VIEW" {
			w.views = append(w.views, view{db, r[0], create[0][1]})
			continue
		}
		fmt.Fprintf(w.out, "%s;\n", create[0][1])
		if err := w.table(db, r[0], qualified); err != nil {
			return err
		}
		if strings.Contains(r[2], "cached=on") {
			fmt.Fprintf(w.out, "ALTER TABLE %s CACHE;\n", catalog.QuoteName(r[0]))
		}
	}
	return nil
}

// table writes the rows of a table to a file of its own.
func (w *writer) table(db, name, qualified string) error {
	cols, err := w.column("SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND generation_expression = '' ORDER BY ordinal_position", db, name)
	if err != nil {
		return err
	}
	w.files++
	file := fmt.Sprintf("%04d_%s.parquet", w.files, plain(name))
	list := catalog.QuoteNames(cols)
	_, _, err = w.s.Exec(w.ctx, fmt.Sprintf("SELECT %s FROM %s INTO OUTFILE %s", list, qualified, catalog.QuoteText(filepath.Join(w.absolute(), file))))
	if err != nil {
		return err
	}
	n, err := w.column("SELECT COUNT(*) FROM " + qualified)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "INSERT INTO %s (%s) SELECT * FROM %s;\n", catalog.QuoteName(name), list, catalog.QuoteName(file))
	var rows int64
	if _, err := fmt.Sscan(n[0], &rows); err != nil {
		return err
	}
	w.progress(db+"."+name, rows)
	return nil
}

func (w *writer) absolute() string {
	abs, err := filepath.Abs(w.folder)
	if err != nil {
		return w.folder
	}
	return abs
}

// plain returns the letters and digits of a name, for the name of a file.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return -1
	}, name)
}

// writeViews writes the views, each after those that it reads. Views that read each other's names
// otherwise, which cannot exist, are written last.
func (w *writer) writeViews() error {
	left := w.views
	for len(left) > 0 {
		ready := slices.DeleteFunc(slices.Clone(left), func(v view) bool {
			return slices.ContainsFunc(left, func(o view) bool { return o != v && reads(v, o) })
		})
		if len(ready) == 0 {
			ready = left
		}
		for _, v := range ready {
			fmt.Fprintf(w.out, "\nUSE %s;\n%s;\n", catalog.QuoteName(v.db), v.create)
		}
		left = slices.DeleteFunc(slices.Clone(left), func(v view) bool { return slices.Contains(ready, v) })
	}
	return nil
}

// reads reports whether v may read o: whether its text contains the name.
func reads(v, o view) bool {
	return strings.Contains(strings.ToLower(v.create), strings.ToLower(o.name))
}

// column returns the first column of a query's rows.
func (w *writer) column(query string, args ...any) ([]string, error) {
	rows, err := w.rows(query, args...)
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r[0]
	}
	return out, err
}

// rows returns the rows of a query as texts.
func (w *writer) rows(query string, args ...any) ([][]string, error) {
	rows, err := w.s.Query(w.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out [][]string
	for values, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		r := make([]string, len(values))
		for i, v := range values {
			r[i] = fmt.Sprint(v)
		}
		out = append(out, r)
	}
	return out, nil
}
