package slt

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// formatBatch appends b's values, row by row, formatted by the expected letters.
func formatBatch(out []string, b *vec.Batch, letters string) []string {
	for i := 0; i < b.N; i++ {
		for c, col := range b.Cols {
			out = append(out, formatValue(catalog.DatumAt(col, i), letters[c]))
		}
	}
	return out
}

// formatValue writes a value as the corpus does for a column of the given letter.
func formatValue(d catalog.Datum, letter byte) string {
	if d.Null || d.Type.ID == types.Null {
		return "NULL"
	}
	switch {
	case letter == 'R':
		return fmt.Sprintf("%.3f", number(d))
	case letter == 'I' && (d.Type.IsFloat() || d.Type.ID == types.Decimal):
		f := number(d)
		if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
			return strconv.FormatInt(int64(f), 10)
		}
		return fmt.Sprintf("%.3f", f)
	case letter == 'T':
		return printable(d.Text())
	}
	return d.Text()
}

func number(d catalog.Datum) float64 {
	if d.Type.IsString() || d.Type.IsTemporal() {
		return math.NaN()
	}
	if d.Type.ID == types.Decimal { // the nearest double, as a client would read the text
		f, err := strconv.ParseFloat(d.Text(), 64)
		if err == nil {
			return f
		}
	}
	return d.Float()
}

func printable(s string) string {
	if s == "" {
		return "(empty)"
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e {
			return '@'
		}
		return r
	}, s)
}

// sortValues orders values of rows of width columns.
func sortValues(values []string, width int, mode SortMode) []string {
	switch mode {
	case ValueSort:
		sort.Strings(values)
	case RowSort:
		rows := make([][]string, 0, len(values)/max(width, 1))
		for i := 0; i+width <= len(values); i += width {
			rows = append(rows, values[i:i+width])
		}
		sort.SliceStable(rows, func(a, b int) bool {
			for c := range width {
				if rows[a][c] != rows[b][c] {
					return rows[a][c] < rows[b][c]
				}
			}
			return false
		})
		out := make([]string, 0, len(values))
		for _, r := range rows {
			out = append(out, r...)
		}
		return out
	}
	return values
}

// hashValues is the MD5 of each value followed by a newline.
func hashValues(values []string) string {
	h := md5.New()
	for _, v := range values {
		h.Write([]byte(v))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil))
}
