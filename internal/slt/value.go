package slt

import (
	"cmp"
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// formatter formats the values of results. It keeps its buffers from one to the next.
type formatter struct {
	values []string
	sorted []string
	keys   []sortKey
	text   []byte
	ends   []int
}

// add appends b's values to values, row by row, formatted by the expected letters. The
// values of a batch share the memory of one string.
func (f *formatter) add(b *vec.Batch, letters string) {
	f.text, f.ends = f.text[:0], f.ends[:0]
	for i := 0; i < b.N; i++ {
		for c, col := range b.Cols {
			f.text = appendValue(f.text, catalog.DatumAt(col, i), letters[c])
			f.ends = append(f.ends, len(f.text))
		}
	}
	all, from := string(f.text), 0
	for _, to := range f.ends {
		f.values = append(f.values, all[from:to])
		from = to
	}
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

// sortKey stands for a row in sorting: the first bytes of its first value decide most
// comparisons.
type sortKey struct {
	prefix uint64
	row    int
}

// sortValues orders values of rows of width columns.
func (f *formatter) sortValues(values []string, width int, mode SortMode) []string {
	switch {
	case mode == ValueSort:
		width = 1
	case mode == NoSort || width == 0:
		return values
	}
	f.keys = f.keys[:0]
	for i := 0; i+width <= len(values); i += width {
		f.keys = append(f.keys, sortKey{prefix(values[i]), i})
	}
	slices.SortFunc(f.keys, func(a, b sortKey) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return slices.Compare(values[a.row:a.row+width], values[b.row:b.row+width])
	})
	f.sorted = f.sorted[:0]
	for _, k := range f.keys {
		f.sorted = append(f.sorted, values[k.row:k.row+width]...)
	}
	return f.sorted
}

// prefix gives the first eight bytes of s in an order of their own, zeros for those it
// lacks.
func prefix(s string) uint64 {
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}

// hash is the MD5 of each value followed by a newline.
func (f *formatter) hash(values []string) string {
	f.text = f.text[:0]
	for _, v := range values {
		f.text = append(append(f.text, v...), '\n')
	}
	sum := md5.Sum(f.text)
	return hex.EncodeToString(sum[:])
}
