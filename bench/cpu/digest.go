package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// column sums up a column of a result whatever the order of rows: numbers by their sum and
// the sum of their magnitudes, other values by the sum of their hashes.
type column struct {
	Values int64
	Sum    float64
	Size   float64
	Hashes uint64
}

func digest(ctx context.Context, e engine, sql string) ([]column, error) {
	var out []column
	err := e.each(ctx, sql, func(row []any) {
		if out == nil {
			out = make([]column, len(row))
		}
		for i, v := range row {
			out[i].add(v)
		}
	})
	return out, err
}

func (c *column) add(v any) {
	if v == nil {
		return
	}
	c.Values++
	text := ""
	switch x := v.(type) {
	case time.Time:
		text = x.Format(time.DateOnly)
	case duckdb.Decimal:
		text = strconv.FormatFloat(x.Float64(), 'g', -1, 64)
	case []byte:
		text = string(x)
	default:
		text = fmt.Sprint(v)
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		c.Sum += x
		c.Size += math.Abs(x)
		return
	}
	h := fnv.New64a()
	h.Write([]byte(text))
	c.Hashes += h.Sum64()
}

// difference tells where two results differ, "" where they do not. Averages of decimals have
// four digits more in one engine and are floats in the other, which is allowed for.
func difference(a, b []column) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d and %d columns", len(a), len(b))
	}
	for i := range a {
		x, y := a[i], b[i]
		allowed := 1e-5*math.Max(x.Size, y.Size) + 1e-4*float64(x.Values)
		if x.Values != y.Values || x.Hashes != y.Hashes || math.Abs(x.Sum-y.Sum) > allowed {
			return fmt.Sprintf("column %d: %d values, sum %v, and %d values, sum %v", i+1, x.Values, x.Sum, y.Values, y.Sum)
		}
	}
	return ""
}
