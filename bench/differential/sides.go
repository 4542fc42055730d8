package main

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"gsql"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// modes is the sql_mode of both sides.
const modes = "STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_IN_DATE,NO_ZERO_DATE,NO_ENGINE_SUBSTITUTION"

// statementLimit is how long a statement may run.
const statementLimit = 5 * time.Second

// answer is the answer to a statement: rows, or an error with its number.
type answer struct {
	rows     [][]string // as printed; NULL is the constant null
	floats   []bool     // by column: whether values are compared as numbers
	affected int64

	code    int // 0 for none
	message string
	timeout bool
}

var negativeZero = regexp.MustCompile(`^-0(\.0+)?$`)

const null = "\x00NULL"

// theirSide is a connection to the MariaDB server.
type theirSide struct {
	db   *sql.DB
	conn *sql.Conn
}

// The server's ways to run subqueries, without and with its optimisations: if they return different
// answers, the fault is the server's.
const (
	plainSwitch  = "SET optimizer_switch = 'semijoin=off,materialization=off,subquery_cache=off,exists_to_in=off,condition_pushdown_for_derived=off,split_materialized=off,not_null_range_scan=off'"
	cleverSwitch = "SET optimizer_switch = 'default'"
)

// connect opens a connection with our modes and string comparisons.
func connect(socket string) (*theirSide, error) {
	db, err := sql.Open("mysql", "root@unix("+socket+")/?maxAllowedPacket=0&interpolateParams=true")
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	t := &theirSide{db, conn}
	for _, s := range []string{"SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin", "SET time_zone = '+00:00', sql_mode = '" + modes + "'", plainSwitch} {
		if a := t.exec(s); a.code != 0 {
			return nil, errors.New(s + ": " + a.message)
		}
	}
	return t, nil
}

func (t *theirSide) close() { _ = errors.Join(t.conn.Close(), t.db.Close()) }

func (t *theirSide) failed(err error) answer {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return answer{code: int(e.Number), message: e.Message, timeout: e.Number == 1969 || e.Number == 1028}
	}
	return answer{code: -1, message: err.Error()}
}

// wavers reports whether the server answers a query differently with other optimisations.
func (t *theirSide) wavers(text string, ordered bool, plain answer) bool {
	t.exec(cleverSwitch)
	defer t.exec(plainSwitch)
	return differs(t.query(text), plain, ordered) != ""
}

func (t *theirSide) exec(text string) answer {
	r, err := t.conn.ExecContext(context.Background(), text)
	if err != nil {
		return t.failed(err)
	}
	n, err := r.RowsAffected()
	if err != nil {
		return t.failed(err)
	}
	return answer{affected: n}
}

func (t *theirSide) query(text string) answer {
	rows, err := t.conn.QueryContext(context.Background(), text)
	if err != nil {
		return t.failed(err)
	}
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return t.failed(err)
	}
	var a answer
	for _, c := range columns {
		a.floats = append(a.floats, strings.HasPrefix(c.DatabaseTypeName(), "DOUBLE") || strings.HasPrefix(c.DatabaseTypeName(), "FLOAT"))
	}
	cells, to := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range cells {
		to[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return t.failed(err)
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = c.String
			if !c.Valid {
				row[i] = null
			}
			if negativeZero.MatchString(row[i]) { // of decimals
				row[i] = row[i][1:]
			}
		}
		a.rows = append(a.rows, row)
	}
	if err := rows.Err(); err != nil {
		return t.failed(err)
	}
	return a
}

// ourSide is a gsql session.
type ourSide struct {
	db *gsql.DB
	s  *gsql.Session
}

func open(vars map[string]string) (*ourSide, error) {
	db, err := gsql.Open(gsql.Config{Workers: 2, MemoryLimit: 1 << 30, Variables: vars})
	if err != nil {
		return nil, err
	}
	return &ourSide{db, db.NewSession()}, nil
}

func (o *ourSide) close() { _ = errors.Join(o.s.Close(), o.db.Close()) }

func ourError(ctx context.Context, err error) answer {
	e := sqlerr.From(err)
	return answer{code: int(e.Code), message: e.Msg, timeout: ctx.Err() != nil}
}

func (o *ourSide) exec(text string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), statementLimit)
	defer cancel()
	n, _, err := o.s.Exec(ctx, text)
	if err != nil {
		return ourError(ctx, err)
	}
	return answer{affected: n}
}

func (o *ourSide) query(text string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), statementLimit)
	defer cancel()
	rows, err := o.s.Query(ctx, text)
	if err != nil {
		return ourError(ctx, err)
	}
	defer rows.Close()
	var a answer
	for _, c := range rows.Columns {
		a.floats = append(a.floats, c.Type.Kind() == types.KindF64)
	}
	for {
		b, err := rows.NextBatch()
		if err != nil {
			return ourError(ctx, err)
		}
		if b == nil {
			return a
		}
		for i := range b.N {
			row := make([]string, len(b.Cols))
			for c, col := range b.Cols {
				row[c] = null
				if d := catalog.DatumAt(col, i); !d.Null {
					row[c] = d.Text()
				}
			}
			a.rows = append(a.rows, row)
		}
	}
}
