package main

import (
	"context"
	"math/rand/v2"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql"
	"gsql/exec/rowhash"
)

// table is a table to create.
type table struct {
	name    string
	rows    int
	key     string // the primary key column; empty for none
	columns []column
}

// column is a column of a table, of integers or of texts.
type column struct {
	name string
	ints func(row int) int64
	text func(row int) string
}

// load creates a table, replacing one of the same name.
func (t *table) load(ctx context.Context, s *gsql.Session) error {
	fields, defs := make([]arrow.Field, len(t.columns)), make([]string, len(t.columns))
	for i, c := range t.columns {
		fields[i], defs[i] = arrow.Field{Name: c.name, Type: arrow.PrimitiveTypes.Int64}, c.name+" BIGINT NOT NULL"
		if c.text != nil {
			fields[i].Type, defs[i] = arrow.BinaryTypes.String, c.name+" VARCHAR(64) NOT NULL"
		}
	}
	if t.key != "" {
		defs = append(defs, "PRIMARY KEY ("+t.key+")")
	}
	for _, text := range []string{"DROP TABLE IF EXISTS " + t.name, "CREATE TABLE " + t.name + " (" + strings.Join(defs, ", ") + ")"} {
		if _, _, err := s.Exec(ctx, text); err != nil {
			return err
		}
	}
	a, err := s.NewAppender(ctx, t.name)
	if err != nil {
		return err
	}
	defer a.Abort()
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	const rowsOnce = 1 << 16
	for from := 0; from < t.rows; from += rowsOnce {
		for i := range t.columns {
			t.columns[i].fill(b.Field(i), from, min(from+rowsOnce, t.rows))
		}
		if err := a.AppendRecord(b.NewRecord()); err != nil {
			return err
		}
	}
	_, err = a.Close(ctx)
	return err
}

// fill appends the values of the rows from..to.
func (c *column) fill(b array.Builder, from, to int) {
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Reserve(to - from)
		for row := from; row < to; row++ {
			b.UnsafeAppend(c.ints(row))
		}
	case *array.StringBuilder:
		b.Reserve(to - from)
		for row := from; row < to; row++ {
			b.Append(c.text(row))
		}
	}
}

// form generates the key of a number, in one of several forms.
type form struct {
	name string
	ints func(n int) int64
	text func(n int) string
}

func (f *form) column(name string, number func(row int) int) column {
	c := column{name: name}
	if f.text != nil {
		c.text = func(row int) string { return f.text(number(row)) }
	} else {
		c.ints = func(row int) int64 { return f.ints(number(row)) }
	}
	return c
}

// The forms of keys.
var (
	dense   = form{name: "dense integers", ints: func(n int) int64 { return int64(n) }}
	sparse  = form{name: "sparse integers", ints: func(n int) int64 { return int64(rowhash.Mix(uint64(n)) >> 1) }}
	rising  = form{name: "ascending integers", ints: func(n int) int64 { return int64(n)*1000 + int64(rowhash.Mix(uint64(n))%1000) }}
	numeric = form{name: "numeric text", text: func(n int) string { return string(digits(nil, uint64(n), 10, 12)) }}
	long    = form{name: "long text", text: func(n int) string {
		return string(digits(digits([]byte("key/"), rowhash.Mix(uint64(n)), 16, 16), rowhash.Mix(uint64(n)+1<<32), 16, 16))
	}}
)

// digits appends the given number of last digits of n.
func digits(b []byte, n, base uint64, width int) []byte {
	at := len(b)
	b = append(b, make([]byte, width)...)
	for i := len(b) - 1; i >= at; i-- {
		b[i] = "0123456789abcdef"[n%base]
		n /= base
	}
	return b
}

// shuffled returns the numbers below n in another order.
func shuffled(n int) func(row int) int {
	const odd = 7919 // prime, and no divisor of any n here
	return func(row int) int { return row * odd % n }
}

// below returns random numbers below n, the same for the same seed.
func below(n int, seed uint64) func(row int) int {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(int) int { return r.IntN(n) }
}

// integers returns a column of integers.
func integers(name string, number func(row int) int) column {
	return column{name: name, ints: func(row int) int64 { return int64(number(row)) }}
}

// rowNumbers returns a payload column.
func rowNumbers(name string) column { return integers(name, func(row int) int { return row }) }
