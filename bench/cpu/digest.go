package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// digested is the part of a result that is compared, regardless of the order of rows.
type digested struct {
	Rows    int64
	Columns []column
	// Pairs has, for columns i < j at i*len(Columns)+j, the sum of the products of their values'
	// hashes: it changes if two rows exchange their values in one column.
	Pairs []uint64
}

// column summarises a column: exact values by their hashes, floats by their sum and the sum of
// their magnitudes.
type column struct {
	Floats bool // at least one value is a float
	Values int64
	Hashes uint64
	Sum    float64
	Size   float64
}

func digest(ctx context.Context, e engine, sql string) (digested, error) {
	var d digested
	var hashes []uint64
	err := e.each(ctx, sql, func(row []any) {
		if n := len(row); d.Columns == nil {
			d.Columns, d.Pairs, hashes = make([]column, n), make([]uint64, n*n), make([]uint64, n)
		}
		d.Rows++
		for i, v := range row {
			hashes[i] = d.Columns[i].add(v)
		}
		for i, a := range hashes {
			for j, b := range hashes[i+1:] {
				d.Pairs[i*len(hashes)+i+1+j] += a * b
			}
		}
	})
	return d, err
}

// add adds a value and returns its hash.
func (c *column) add(v any) uint64 {
	if v == nil {
		return 1
	}
	c.Values++
	text := ""
	switch x := v.(type) {
	case float64, float32:
		c.Floats = true
		text = fmt.Sprint(x)
	case time.Time:
		text = x.Format(time.DateOnly)
	case duckdb.Decimal:
		text = withoutZeros(x.String())
	case []byte:
		text = string(x)
	default: // decimals are text in gsql
		text = withoutZeros(fmt.Sprint(v))
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		c.Sum += x
		c.Size += math.Abs(x)
	}
	h := fnv.New64a()
	h.Write([]byte(text))
	c.Hashes += h.Sum64()
	return h.Sum64()
}

// withoutZeros returns a number without the trailing zeros of its fraction.
func withoutZeros(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err != nil || !strings.Contains(text, ".") || strings.ContainsAny(text, "eE") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// The tolerances of float columns. Averages of integers and decimals have four more digits in gsql and
// are floats in DuckDB, and sums may build on them; sums of floats depend on the order of the rows.
const (
	relativeError = 1e-5 // of the sum of magnitudes
	absoluteError = 1e-4 // of each value
)

// difference describes where two results differ, or returns "". Columns that are floats in one of
// them are compared by their sums, all others exactly, individually and in pairs.
func difference(a, b digested) string {
	if a.Rows != b.Rows || len(a.Columns) != len(b.Columns) {
		return fmt.Sprintf("%d rows of %d columns and %d of %d", a.Rows, len(a.Columns), b.Rows, len(b.Columns))
	}
	floats := func(i int) bool { return a.Columns[i].Floats || b.Columns[i].Floats }
	n := len(a.Columns)
	for i, x := range a.Columns {
		y := b.Columns[i]
		same := x.Hashes == y.Hashes
		if floats(i) {
			same = math.Abs(x.Sum-y.Sum) <= relativeError*math.Max(x.Size, y.Size)+absoluteError*float64(x.Values)
		}
		if x.Values != y.Values || !same {
			return fmt.Sprintf("column %d: %d values, sum %v, and %d values, sum %v", i+1, x.Values, x.Sum, y.Values, y.Sum)
		}
		for j := i + 1; j < n; j++ {
			if !floats(i) && !floats(j) && a.Pairs[i*n+j] != b.Pairs[i*n+j] {
				return fmt.Sprintf("columns %d and %d: the same values in other rows", i+1, j+1)
			}
		}
	}
	return ""
}
