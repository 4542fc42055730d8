package slt

import (
	"crypto/md5"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// formatter formats the values of results. It reuses its buffers.
type formatter struct {
	values []string
	sorted []string
	keys   []sortKey
	moved  []sortKey // destination of a pass of the sort
	whole  []bool    // columns of integers that are expected as integers
	text   []byte
	ends   []int
}

// add appends b's values to values, row by row, formatted by the expected letters. The
// values of a batch share the memory of one string.
func (f *formatter) add(b *vec.Batch, letters string) {
	f.text, f.ends, f.whole = f.text[:0], f.ends[:0], f.whole[:0]
	for c, col := range b.Cols {
		f.whole = append(f.whole, letters[c] == 'I' && col.Type.IsInteger() && col.Type.Kind() == types.KindI64 && col.Type.ID != types.Year)
	}
	for i := 0; i < b.N; i++ {
		for c, col := range b.Cols {
			if f.whole[c] {
				f.text = appendInteger(f.text, col, i)
			} else {
				f.text = appendValue(f.text, catalog.DatumAt(col, i), letters[c])
			}
			f.ends = append(f.ends, len(f.text))
		}
	}
	all, from := string(f.text), 0
	for _, to := range f.ends {
		f.values = append(f.values, all[from:to])
		from = to
	}
}

// appendInteger is appendValue for a column of signed integers.
func appendInteger(out []byte, v *vec.Vector, row int) []byte {
	base, slot := v.Slot(row)
	if slot < 0 || base.Null != nil && base.Null[slot] {
		return append(out, "NULL"...)
	}
	return strconv.AppendInt(out, base.I64[slot], 10)
}

// appendValue appends a value as the corpus writes it in a column of the given letter.
func appendValue(out []byte, d catalog.Datum, letter byte) []byte {
	if d.Null || d.Type.ID == types.Null {
		return append(out, "NULL"...)
	}
	switch {
	case letter == 'R':
		return strconv.AppendFloat(out, number(d), 'f', 3, 64)
	case letter == 'I' && (d.Type.IsFloat() || d.Type.ID == types.Decimal):
		f := number(d)
		if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
			return strconv.AppendInt(out, int64(f), 10)
		}
		return strconv.AppendFloat(out, f, 'f', 3, 64)
	case letter == 'T':
		return append(out, printable(d.Text())...)
	}
	return d.AppendText(out)
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

// printable replaces every byte that is not printable ASCII, as the corpus does.
func printable(s string) string {
	if s == "" {
		return "(empty)"
	}
	if strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e }) < 0 {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if c < 0x20 || c > 0x7e {
			b[i] = '@'
		}
	}
	return string(b)
}

// hash returns the MD5 of the values, each followed by a newline.
func (f *formatter) hash(values []string) string {
	f.text = f.text[:0]
	for _, v := range values {
		f.text = append(append(f.text, v...), '\n')
	}
	sum := md5.Sum(f.text)
	return hex.EncodeToString(sum[:])
}
