package gsql_test

import "testing"

// changes runs a prepared statement that changes rows, with new arguments each time.
func changes(b *testing.B, text string, args func(i int) []any) {
	st := prepareFor(b, text)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := st.Exec(args(i)...); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPointUpdate(b *testing.B) {
	changes(b, "UPDATE customer SET segment = ? WHERE id = ?", func(i int) []any { return []any{i, i%1000 + 1} })
}

func BenchmarkPointDelete(b *testing.B) {
	changes(b, "DELETE FROM customer WHERE id = ?", func(i int) []any { return []any{i} })
}

func BenchmarkInsertRow(b *testing.B) {
	changes(b, "INSERT INTO orders VALUES (?, ?, ?)", func(i int) []any { return []any{i + 10000, i, "2024-01-01"} })
}
