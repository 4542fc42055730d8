package sqltest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gsql"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Rows returns the rows of a query, which must succeed, as texts.
func Rows(t testing.TB, s *gsql.Session, text string, args ...any) [][]string {
	t.Helper()
	rows, err := TryRows(s, text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return rows
}

// TryRows returns the rows of a query as texts, or its error.
func TryRows(s *gsql.Session, text string, args ...any) (out [][]string, err error) {
	err = each(context.Background(), s, text, args, func(b *vec.Batch, i int) {
		row := make([]string, len(b.Cols))
		for c, col := range b.Cols {
			row[c] = catalog.DatumAt(col, i).Text()
		}
		out = append(out, row)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// SortedLines returns the rows of a query as sorted lines (see Line), or its error.
func SortedLines(ctx context.Context, s *gsql.Session, text string) (out []string, err error) {
	err = each(ctx, s, text, nil, func(b *vec.Batch, i int) { out = append(out, Line(b, i)) })
	if err != nil {
		return nil, err
	}
	slices.Sort(out)
	return out, nil
}

// each calls f with each row of a query's result.
func each(ctx context.Context, s *gsql.Session, text string, args []any, f func(b *vec.Batch, i int)) error {
	rows, err := s.Query(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for {
		b, err := rows.NextBatch()
		if err != nil || b == nil {
			return err
		}
		for i := range b.N {
			f(b, i)
		}
	}
}

// Line returns row i of a batch as a text, with those digits of doubles that do not depend on the
// order of additions.
func Line(b *vec.Batch, i int) string {
	cells := make([]string, len(b.Cols))
	for c, col := range b.Cols {
		cells[c] = catalog.DatumAt(col, i).Text()
		if f, err := strconv.ParseFloat(cells[c], 64); err == nil && col.Type.Kind() == types.KindF64 {
			cells[c] = strconv.FormatFloat(f+0, 'g', 9, 64)
		}
	}
	return strings.Join(cells, "|")
}

// Values returns all values of rows, separated by commas.
func Values(rows [][]string) string {
	var all []string
	for _, r := range rows {
		all = append(all, r...)
	}
	return strings.Join(all, ",")
}

// Lines returns rows as a text of one line each.
func Lines(rows [][]string) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(strings.Join(r, " | "))
		b.WriteByte('\n')
	}
	return b.String()
}

// Sorted returns rows as sorted lines.
func Sorted(rows [][]string) []string {
	var out []string
	for _, r := range rows {
		out = append(out, strings.Join(r, "|"))
	}
	slices.Sort(out)
	return out
}
