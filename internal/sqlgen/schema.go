package sqlgen

import (
	"fmt"
	"strings"
)

// Column is a column of a table or of a derived table.
type Column struct {
	Name string
	Kind Kind
	Type string // in CREATE TABLE
}

// Table is a table with its rows as literals.
type Table struct {
	Name string
	Cols []Column
	Rows [][]string
}

// columns are those of every table, so that any join of two makes sense. Strings and
// floats are such that no sum of them depends on the order.
var columns = []Column{
	{"id", Int, "INT NOT NULL PRIMARY KEY"}, {"i", Int, "INT"}, {"j", Int, "BIGINT"}, {"u", Uint, "INT UNSIGNED"}, {"n", Dec, "DECIMAL(8,2)"},
	{"f", Float, "DOUBLE"}, {"s", Str, "VARCHAR(40)"}, {"d", Date, "DATE"}, {"dt", DateTime, "DATETIME"}, {"tm", Time, "TIME"},
	{"c", Ci, "VARCHAR(20) COLLATE utf8mb4_general_ci"}, {"ts", DateTime, "TIMESTAMP NULL"}, {"m", Int, "INT NOT NULL DEFAULT 0"},
}

// notNull reports whether a column holds no NULLs.
func (c *Column) notNull() bool { return strings.Contains(c.Type, " NOT NULL") }

// Tables makes tables of the given numbers of rows, called t0, t1 and so on.
func Tables(r Rand, rows ...int) []*Table {
	tables := make([]*Table, len(rows))
	for i, n := range rows {
		t := &Table{Name: fmt.Sprintf("t%d", i), Cols: columns}
		nulls := 2 + r.IntN(8)
		for id := range n {
			row := []string{fmt.Sprint(id)}
			for _, c := range columns[1:] {
				if r.IntN(nulls) == 0 && !c.notNull() {
					row = append(row, "NULL")
				} else {
					row = append(row, value(r, c))
				}
			}
			t.Rows = append(t.Rows, row)
		}
		tables[i] = t
	}
	return tables
}

// Script returns the statements that make the table.
func (t *Table) Script(options string) []string {
	var cols []string
	for _, c := range t.Cols {
		cols = append(cols, c.Name+" "+c.Type)
	}
	script := []string{"CREATE TABLE " + t.Name + " (" + strings.Join(cols, ", ") + ")" + options}
	for start := 0; start < len(t.Rows); start += 500 {
		var rows []string
		for _, row := range t.Rows[start:min(start+500, len(t.Rows))] {
			rows = append(rows, "("+strings.Join(row, ", ")+")")
		}
		script = append(script, "INSERT INTO "+t.Name+" VALUES "+strings.Join(rows, ", "))
	}
	return script
}

func value(r Rand, c Column) string {
	switch c.Name {
	case "j":
		return fmt.Sprint(r.IntN(60) - 20)
	case "u":
		return fmt.Sprint(r.IntN(9))
	case "ts":
		return "TIMESTAMP '" + pick(r, "2024-02-29", "2023-12-31", "2001-01-01", "1999-07-15", "2037-12-31") + pick(r, " 00:00:00", " 23:59:59", " 12:30:00", " 01:02:03") + "'"
	}
	return literal(r, c.Kind)
}

func pick[T any](r Rand, from ...T) T { return from[r.IntN(len(from))] }

// literal returns a constant of a kind.
func literal(r Rand, kind Kind) string {
	switch kind {
	case Int:
		return fmt.Sprint(r.IntN(9) - 3)
	case Uint:
		return fmt.Sprintf("CAST(%d AS UNSIGNED)", r.IntN(9))
	case Dec:
		return fmt.Sprintf("%d.%02d", r.IntN(12)-4, r.IntN(8)*25%100)
	case Float:
		return fmt.Sprintf("%de-1", 5*(r.IntN(24)-8))
	case Str:
		return "'" + pick(r, "", "a", "b", "ab", "aab", "B", "x y", "é", "2", "-1", "a_b", "ünï", "zz") + "'"
	case Ci:
		return "'" + pick(r, "", "a", "A", "b", "B", "ab", "AB", "Ab", "x y", "X Y", "2", "a_b", "zz", "ZZ") + "'"
	case Date:
		return "DATE '" + date(r) + "'"
	case DateTime:
		return "TIMESTAMP '" + date(r) + pick(r, " 00:00:00", " 23:59:59", " 12:30:00", " 01:02:03") + "'"
	case Time:
		return "TIME '" + pick(r, "00:00:00", "23:59:59", "-01:30:00", "12:00:01", "100:20:30") + "'"
	}
	return pick(r, "TRUE", "FALSE", "NULL")
}

func date(r Rand) string {
	return pick(r, "2024-02-29", "2023-12-31", "2024-01-01", "1999-07-15", "2024-01-31", "2000-02-28", "2023-03-01", "1970-01-01")
}
