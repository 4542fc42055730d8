package result

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// comparedRow is a row as it is compared: its reals, and its other values as text.
type comparedRow struct {
	exact []byte
	reals []float64
}

// set makes c row i of a batch.
func (c *comparedRow) set(b *vec.Batch, i int) {
	c.exact, c.reals = c.exact[:0], c.reals[:0]
	for k, v := range b.Cols {
		if k > 0 {
			c.exact = append(c.exact, ", "...)
		}
		switch d := catalog.DatumAt(v, i); {
		case d.Null:
			c.exact = append(c.exact, "NULL"...)
		case d.Type.Kind() == types.KindF64:
			c.exact, c.reals = append(c.exact, '~'), append(c.reals, d.F64)
		case d.Type.Kind() == types.KindStr:
			c.exact = strconv.AppendQuote(c.exact, d.Str)
		default:
			c.exact = d.AppendText(c.exact)
		}
	}
}

// String returns the values, separated by commas.
func (c *comparedRow) String() string { return rowText(string(c.exact), c.reals) }

// rowText returns the values of a row, reals last.
func rowText(exact string, reals []float64) string {
	var b strings.Builder
	b.WriteString(exact)
	for i, x := range reals {
		if i == 0 {
			b.WriteString(" with ~ = ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatFloat(x, 'g', -1, 64))
	}
	return b.String()
}

// multiset holds rows, each as often as it occurred, by their exact values. Its memory is charged.
type multiset struct {
	acct  Account
	bytes int64
	rows  map[string][][]float64
}

// rowBytes is about what a row takes besides its text and its reals.
const rowBytes = 96

// read adds the rows of a source.
func (m *multiset) read(src Source) error {
	var c comparedRow
	for {
		b, err := src.Next()
		if err != nil || b == nil {
			return err
		}
		for i := range b.N {
			c.set(b, i)
			n := int64(len(c.exact)+8*len(c.reals)) + rowBytes
			if err := m.acct.Reserve(n); err != nil {
				return err
			}
			m.bytes += n
			m.rows[string(c.exact)] = append(m.rows[string(c.exact)], slices.Clone(c.reals))
		}
	}
}

// take removes a row that is equal to c, and reports whether there was one.
func (m *multiset) take(c *comparedRow) bool {
	same := m.rows[string(c.exact)]
	at := slices.IndexFunc(same, func(x []float64) bool { return slices.EqualFunc(x, c.reals, nearlyEqual) })
	if at < 0 {
		return false
	}
	last := len(same) - 1
	same[at] = same[last]
	if last == 0 {
		delete(m.rows, string(c.exact))
	} else {
		m.rows[string(c.exact)] = same[:last]
	}
	return true
}

// left returns one of the rows that were not taken, or nil.
func (m *multiset) left() *Difference {
	for exact, reals := range m.rows {
		return &Difference{Surplus: rowText(exact, reals[0])}
	}
	return nil
}

func (m *multiset) free() {
	m.acct.Release(m.bytes)
	m.bytes, m.rows = 0, nil
}

// tolerance is the part of a real by which an equal one may differ: sums of doubles depend on the order
// in which they are added up.
const tolerance = 1e-12

func nearlyEqual(x, y float64) bool {
	off := math.Abs(x - y)
	return x == y || off <= tolerance*max(math.Abs(x), math.Abs(y)) && !math.IsInf(off, 0)
}
