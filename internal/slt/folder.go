package slt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gsql"
	"gsql/sql/catalog"
)

// runInFolder runs a file on the database in opt.Config.Path, closes and opens it, requires the tables
// and views that it had, and drops them for the next file.
func runInFolder(ctx context.Context, file string, opt Options, records []Record) Report {
	var rep Report
	var before, after []string
	err := withDatabase(opt, func(db *gsql.DB) (err error) {
		rep = Run(ctx, db, file, records)
		before, err = objects(ctx, db)
		return err
	})
	if err == nil {
		err = withDatabase(opt, func(db *gsql.DB) (err error) {
			if after, err = objects(ctx, db); err != nil {
				return err
			}
			return dropAll(ctx, db)
		})
	}
	if err == nil && !slices.Equal(before, after) {
		err = fmt.Errorf("the folder had %q, and after it was opened again %q", before, after)
	}
	if err != nil {
		rep.File, rep.Failed = file, rep.Failed+1
		rep.Err = errors.Join(rep.Err, fmt.Errorf("%s: %w", file, err))
	}
	return rep
}

// withDatabase opens the database, calls f and closes it.
func withDatabase(opt Options, f func(db *gsql.DB) error) error {
	db, err := gsql.Open(opt.config())
	if err != nil {
		return err
	}
	return errors.Join(f(db), db.Close())
}

// objects lists the tables with their numbers of rows, and the views.
func objects(ctx context.Context, db *gsql.DB) ([]string, error) {
	s := db.NewSession()
	defer s.Close()
	var out []string
	err := eachObject(ctx, s, func(name, kind string) error {
		if kind == "VIEW" {
			out = append(out, name)
			return nil
		}
		rows, err := column(ctx, s, "SELECT COUNT(*) FROM "+name)
		out = append(out, name+": "+strings.Join(rows, ""))
		return err
	})
	return out, err
}

// dropAll drops all databases, tables and views.
func dropAll(ctx context.Context, db *gsql.DB) error {
	s := db.NewSession()
	defer s.Close()
	err := eachObject(ctx, s, func(name, kind string) error {
		if kind == "VIEW" {
			_, _, err := s.Exec(ctx, "DROP VIEW "+name)
			return err
		}
		_, _, err := s.Exec(ctx, "DROP TABLE "+name)
		return err
	})
	if err != nil {
		return err
	}
	dbs, err := column(ctx, s, "SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN ('information_schema', 'performance_schema', '"+gsql.DefaultDatabase+"')")
	for _, name := range dbs {
		if _, _, err := s.Exec(ctx, "DROP DATABASE "+catalog.QuoteName(name)); err != nil {
			return err
		}
	}
	return err
}

// eachObject calls f with the qualified name of each table and view, and BASE TABLE or VIEW.
func eachObject(ctx context.Context, s *gsql.Session, f func(name, kind string) error) error {
	const from = " FROM information_schema.tables WHERE table_schema NOT IN ('information_schema', 'performance_schema') ORDER BY table_schema, table_name"
	var lists [3][]string
	for i, name := range []string{"table_schema", "table_name", "table_type"} {
		var err error
		if lists[i], err = column(ctx, s, "SELECT "+name+from); err != nil {
			return err
		}
	}
	for i := range lists[0] {
		if err := f(catalog.QuoteName(lists[0][i])+"."+catalog.QuoteName(lists[1][i]), lists[2][i]); err != nil {
			return err
		}
	}
	return nil
}

// column returns the first column of a query's rows as texts.
func column(ctx context.Context, s *gsql.Session, sql string) (out []string, err error) {
	rows, err := s.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for {
		b, err := rows.NextBatch()
		if err != nil || b == nil {
			return out, err
		}
		for i := range b.N {
			out = append(out, catalog.DatumAt(b.Cols[0], i).Text())
		}
	}
}
