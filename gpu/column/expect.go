package column

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// Expect describes, from statistics, the device form of a column of type t in a table with the
// given number of rows. Bounds of integers are those of the statistics or of the type; the number
// of distinct texts is an estimate. Valid is not set. The error is a Refusal if the column cannot
// be in device memory.
func Expect(t types.Type, stats *catalog.ColumnStats, rows int64) (Narrow, error) {
	c := Narrow{Rows: rows, Width: 8}
	if err := Narrowable(t); err != nil {
		return c, err
	}
	var err error
	switch t.Kind() {
	case types.KindF64:
		c.Float = true
		return c, nil
	case types.KindStr:
		c.Max, err = expectedTexts(stats, rows)
	case types.KindDec:
		c.Min, c.Max, err = expectedDecimals(t, stats)
	case types.KindU64:
		c.Max = int64(min(uint64(math.MaxUint64)>>(64-t.Bits()), math.MaxInt64))
		if hasBounds(stats) {
			c.Min, c.Max = stats.Min.I64, stats.Max.I64
		}
		if c.Max < 0 {
			err = beyondInt64
		}
	default:
		any := Any(t)
		c.Min, c.Max = any.Min, any.Max
		if hasBounds(stats) {
			c.Min, c.Max = stats.Min.I64, stats.Max.I64
		}
	}
	c.Width, c.Bias = Fit(c.Min, c.Max)
	return c, err
}

func hasBounds(stats *catalog.ColumnStats) bool { return stats.Min != nil && stats.Max != nil }

// expectedTexts returns an estimate of the largest code.
func expectedTexts(stats *catalog.ColumnStats, rows int64) (most int64, err error) {
	texts := rows
	if stats.NDV > 0 {
		texts = min(stats.NDV, rows)
		if texts > maxTexts || float64(texts)*stats.AvgLen > maxTextBytes {
			return 0, tooManyTexts
		}
	}
	return max(min(texts, maxTexts)-1, 0), nil
}

// expectedDecimals returns bounds of scaled decimals.
func expectedDecimals(t types.Type, stats *catalog.ColumnStats) (least, most int64, err error) {
	if hasBounds(stats) {
		if !fits(stats.Min.Dec) || !fits(stats.Max.Dec) {
			return 0, 0, tooManyDigits
		}
		return int64(stats.Min.Dec.LowBits()), int64(stats.Max.Dec.LowBits()), nil
	}
	if !t.FitsInt64() {
		return math.MinInt64, math.MaxInt64, nil
	}
	most = 1
	for range t.Prec {
		most *= 10
	}
	return 1 - most, most - 1, nil
}

// fits reports whether d is a 64-bit integer.
func fits(d decimal128.Num) bool { return d.HighBits() == int64(d.LowBits())>>63 }
