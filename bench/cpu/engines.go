package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"github.com/duckdb/duckdb-go/v2"

	"gsql"
)

type gsqlEngine struct{ s *gsql.Session }

func openGsql(threads int) (engine, error) {
	db, err := gsql.Open(gsql.Config{Workers: threads})
	if err != nil {
		return nil, err
	}
	return &gsqlEngine{db.NewSession()}, nil
}

func (e *gsqlEngine) exec(ctx context.Context, text string) error {
	_, _, err := e.s.Exec(ctx, text)
	return err
}

func (e *gsqlEngine) drain(ctx context.Context, text string) (n int64, err error) {
	r, err := e.s.QueryArrow(ctx, text)
	if err != nil {
		return 0, err
	}
	defer r.Release()
	for r.Next() {
		n += r.Record().NumRows()
	}
	return n, r.Err()
}

func (e *gsqlEngine) each(ctx context.Context, text string, f func([]any)) error {
	rows, err := e.s.Query(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			return err
		}
		f(row)
	}
	return nil
}

// duckEngine uses one connection, through Arrow if results are only read.
type duckEngine struct {
	db    *sql.DB
	conn  *sql.Conn
	arrow *duckdb.Arrow
}

func openDuckDB(threads int) (engine, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	e := &duckEngine{db: db, conn: conn}
	if err := e.exec(context.Background(), fmt.Sprintf("SET threads = %d", threads)); err != nil {
		return nil, err
	}
	err = conn.Raw(func(c any) (err error) {
		e.arrow, err = duckdb.NewArrowFromConn(c.(driver.Conn))
		return err
	})
	return e, err
}

func (e *duckEngine) exec(ctx context.Context, text string) error {
	_, err := e.conn.ExecContext(ctx, text)
	return err
}

func (e *duckEngine) drain(ctx context.Context, text string) (n int64, err error) {
	r, err := e.arrow.QueryContext(ctx, text)
	if err != nil {
		return 0, err
	}
	defer r.Release()
	for r.Next() {
		n += r.RecordBatch().NumRows()
	}
	return n, r.Err()
}

func (e *duckEngine) each(ctx context.Context, text string, f func([]any)) error {
	rows, err := e.conn.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return err
	}
	row, at := make([]any, len(cols)), make([]any, len(cols))
	for i := range row {
		at[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(at...); err != nil {
			return err
		}
		f(row)
	}
	return rows.Err()
}
