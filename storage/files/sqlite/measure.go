package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	engine "modernc.org/sqlite"

	"gsql/storage/files/format"
)

const (
	// freeValue is the number of bytes of a value, or of a row, that are not charged.
	freeValue = 1 << 20
	// longestValue is the number of bytes that a value of SQLite has at most.
	longestValue = 1_000_000_000

	limitLength = 0  // SQLITE_LIMIT_LENGTH
	tooBig      = 18 // SQLITE_TOOBIG
)

// limit makes SQLite refuse values that are longer than a number of bytes before it allocates them.
func (c *connection) limit(ctx context.Context, bytes int64) error {
	conn, err := c.Conn(ctx)
	if err != nil {
		return c.fault(ctx, err)
	}
	defer conn.Close()
	_, err = engine.Limit(conn, limitLength, int(bytes))
	return c.fault(ctx, err)
}

// measure finds how long the values of each column are, so that scans can reserve memory before they read them. SQLite knows the length of a
// stored value without reading it. The values of a view have to be computed, for which memory is reserved first.
func (s *source) measure(ctx context.Context, db *connection) error {
	held := format.Hold{Account: s.file.Account}
	defer func() { _ = held.Set(0) }() // releasing never fails
	list := make([]string, len(s.columns))
	for i, name := range s.columns {
		list[i] = "max(octet_length(" + quoted(name) + "))"
	}
	query := "SELECT " + strings.Join(list, ", ") + " FROM " + quoted(s.table)
	for most := int64(freeValue); ; most = min(2*most, longestValue) {
		if err := errors.Join(held.Set(most-freeValue), db.limit(ctx, most)); err != nil {
			return err
		}
		found, err := db.numbers(ctx, query, len(list))
		var e *engine.Error
		if errors.As(err, &e) && e.Code()&0xff == tooBig && most < longestValue {
			continue
		}
		s.longest, s.most = found, most
		return db.fault(ctx, err)
	}
}

// numbers returns the only row of a query. NULL is 0.
func (c *connection) numbers(ctx context.Context, query string, columns int) ([]int64, error) {
	values, into, found := make([]sql.NullInt64, columns), make([]any, columns), make([]int64, columns)
	for i := range values {
		into[i] = &values[i]
	}
	if err := c.QueryRowContext(ctx, query).Scan(into...); err != nil {
		return nil, err
	}
	for i, v := range values {
		found[i] = v.Int64
	}
	return found, nil
}
