// Package summary describes the columns of a table, file or query, for the command SUMMARIZE of the shell.
package summary

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gsql"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// word is the word with which the command begins.
const word = "SUMMARIZE"

// Query returns the query that a statement summarises, and reports whether the statement is SUMMARIZE. A
// table stands for all of its rows. The query is empty if there is none.
func Query(statement string) (query string, ok bool) {
	text := strings.TrimSpace(statement)
	if strings.EqualFold(strings.TrimRight(text, "; \t\r\n"), word) {
		return "", true
	}
	if len(text) <= len(word) || !strings.EqualFold(text[:len(word)], word) || !strings.ContainsAny(text[len(word):len(word)+1], " \t\r\n(`") {
		return "", false
	}
	query = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text[len(word):]), ";"))
	first := strings.ToUpper(strings.FieldsFunc(query+" ", func(r rune) bool { return strings.ContainsRune(" \t\r\n(", r) })[0])
	switch {
	case strings.HasPrefix(query, "("), first == "SELECT", first == "WITH", first == "VALUES", first == "TABLE":
		return query, true
	}
	return "SELECT * FROM " + query, true
}

// Statement returns a query whose rows describe the columns of another query.
func Statement(ctx context.Context, s *gsql.Session, query string) (string, error) {
	if query == "" {
		return "", sqlerr.New(sqlerr.ParseError, "SUMMARIZE needs a table, a file or a query").WithHint("For example: SUMMARIZE `data.csv`, SUMMARIZE SELECT ...")
	}
	d := &describer{ctx: ctx, s: s, query: query}
	rows, err := s.Query(ctx, "("+query+") LIMIT 0")
	if err != nil {
		return "", err
	}
	d.columns = rows.Columns
	if err := rows.Close(); err != nil {
		return "", err
	}
	names := make([]string, len(d.columns))
	for i := range names {
		names[i] = fmt.Sprint("c", i)
	}
	d.from = "(" + query + ") AS q(" + strings.Join(names, ", ") + ")"
	if err := d.aggregates(); err != nil {
		return "", err
	}
	lines := make([]string, len(d.columns))
	for i := range d.columns {
		if lines[i], err = d.line(i); err != nil {
			return "", err
		}
	}
	return strings.Join(lines, " UNION ALL "), nil
}

// describer collects what is known of the columns.
type describer struct {
	ctx     context.Context
	s       *gsql.Session
	query   string
	from    string // the query, with columns named c0, c1, ...
	columns []gsql.Column
	rows    int64
	found   []found // by column
}

// found are the aggregates of a column.
type found struct {
	values             int64
	distinct, min, max string // expressions of the summary: literals or NULL
	mean, deviation    string
}

// ordered reports whether the least and the greatest value of a type are worth showing.
func ordered(t types.Type) bool {
	return t.ID != types.JSON && t.ID != types.Bytes && t.ID != types.Null
}

// aggregates reads the rows once.
func (d *describer) aggregates() error {
	list := []string{"COUNT(*)"}
	for i, c := range d.columns {
		name := fmt.Sprint("c", i)
		part := []string{"COUNT(" + name + ")", "NULL", "NULL", "NULL", "NULL", "NULL"}
		if ordered(c.Type) {
			part[1] = "COUNT(DISTINCT " + name + ")"
			part[2], part[3] = "MIN("+name+")", "MAX("+name+")"
		}
		if c.Type.IsNumeric() {
			part[4], part[5] = "AVG("+name+" + 0e0)", "STDDEV_SAMP("+name+")"
		}
		list = append(list, part...)
	}
	row, err := d.row("SELECT " + strings.Join(list, ", ") + " FROM " + d.from)
	if err != nil {
		return err
	}
	d.rows = row[0].I64
	for i := range d.columns {
		r := row[1+6*i:]
		d.found = append(d.found, found{r[0].I64, shown(r[1]), shown(r[2]), shown(r[3]), short(r[4]), short(r[5])})
	}
	return nil
}

// row returns the first row of a result.
func (d *describer) row(sql string) ([]catalog.Datum, error) {
	all, err := d.all(sql)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

// all returns the rows of a result.
func (d *describer) all(sql string) ([][]catalog.Datum, error) {
	rows, err := d.s.Query(d.ctx, sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out [][]catalog.Datum
	for {
		b, err := rows.NextBatch()
		if b == nil || err != nil {
			return out, err
		}
		for i := range b.N {
			row := make([]catalog.Datum, len(b.Cols))
			for c, v := range b.Cols {
				row[c] = catalog.DatumAt(v, i)
				row[c].Str = strings.Clone(row[c].Str)
			}
			out = append(out, row)
		}
	}
}

// mostShown bounds the texts of a summary, in characters.
const mostShown = 30

// shown returns a value as an expression: a text.
func shown(d catalog.Datum) string {
	if d.Null || d.Type.ID == types.Null {
		return "NULL"
	}
	text := []rune(strings.ToValidUTF8(d.Text(), "?"))
	if len(text) > mostShown {
		text = append(text[:mostShown-1:mostShown-1], '…')
	}
	return literal(string(text))
}

// short returns a number of a few digits as an expression.
func short(d catalog.Datum) string {
	if d.Null || d.Type.ID == types.Null {
		return "NULL"
	}
	return literal(fmt.Sprintf("%.6g", d.F64))
}

func literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}

// line returns the SELECT of a column's row.
func (d *describer) line(i int) (string, error) {
	f, c := &d.found[i], d.columns[i]
	q := [3]string{"NULL", "NULL", "NULL"}
	histogram := "NULL"
	if f.values > 0 && (c.Type.IsNumeric() || c.Type.IsTemporal()) {
		var err error
		if q, err = d.quartiles(i); err != nil {
			return "", err
		}
		if histogram, err = d.histogram(i); err != nil {
			return "", err
		}
	}
	nulls := fmt.Sprint(d.rows - f.values)
	return fmt.Sprintf("SELECT %s AS `column`, %s AS type, %s AS nulls, %s AS `distinct`, %s AS min, %s AS q25, %s AS median, %s AS q75, %s AS max, %s AS mean, %s AS stddev, %s AS histogram",
		literal(c.Name), literal(c.Type.String()), nulls, strings.Trim(f.distinct, "'"), f.min, q[0], q[1], q[2], f.max, f.mean, f.deviation, histogram), nil
}

// quartiles returns the values below which a quarter, half and three quarters of the values lie: those
// with the ranks n/4, n/2 and 3n/4, rounded up.
func (d *describer) quartiles(i int) (q [3]string, err error) {
	n := d.found[i].values
	rank := [3]int64{(n + 3) / 4, (n + 1) / 2, (3*n + 3) / 4}
	rows, err := d.all(fmt.Sprintf("SELECT r, c FROM (SELECT c%d AS c, ROW_NUMBER() OVER (ORDER BY c%d) AS r FROM %s WHERE c%d IS NOT NULL) AS ranked WHERE r IN (%d, %d, %d)",
		i, i, d.from, i, rank[0], rank[1], rank[2]))
	for _, row := range rows {
		for k := range q {
			if row[0].I64 == rank[k] {
				q[k] = shown(row[1])
			}
		}
	}
	return q, err
}

// bars are the heights of a histogram's bars.
var bars = []rune("▁▂▃▄▅▆▇█")

// histogram returns bars for the numbers of values in eight ranges of equal width between the least and
// the greatest value. A range without values is a blank.
func (d *describer) histogram(i int) (string, error) {
	x := fmt.Sprintf("c%d + 0e0", i)
	switch d.columns[i].Type.ID {
	case types.Date, types.Datetime, types.Timestamp:
		x = fmt.Sprintf("TO_SECONDS(c%d) + 0e0", i)
	case types.Time:
		x = fmt.Sprintf("TIME_TO_SEC(c%d) + 0e0", i)
	}
	within := fmt.Sprintf("(SELECT %s AS x FROM %s) AS v", x, d.from)
	ends, err := d.row("SELECT MIN(x), MAX(x) FROM " + within)
	if err != nil || ends == nil || ends[0].Null {
		return "NULL", err
	}
	lo, hi := ends[0].F64, ends[1].F64
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return "NULL", nil
	}
	n := len(bars)
	rows, err := d.all(fmt.Sprintf("SELECT LEAST(FLOOR((x - (%.17g)) / (%.17g) * %d), %d) AS k, COUNT(*) FROM %s WHERE x IS NOT NULL GROUP BY k", lo, hi-lo, n, n-1, within))
	if err != nil {
		return "", err
	}
	counts, most := make([]int64, n), int64(1)
	for _, row := range rows {
		k := int(row[0].F64)
		if row[0].Type.IsInteger() {
			k = int(row[0].I64)
		}
		if k >= 0 && k < n {
			counts[k] = row[1].I64
			most = max(most, counts[k])
		}
	}
	var b strings.Builder
	for _, c := range counts {
		if c == 0 {
			b.WriteRune(' ')
			continue
		}
		b.WriteRune(bars[(c*int64(n)-1)/most])
	}
	return literal(b.String()), nil
}
