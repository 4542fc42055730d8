//go:build sim || cuda

package device_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql"
)

// arrowFacts returns records of integers, doubles and texts with NULLs; step changes their values.
func arrowFacts(rows, step int) (*arrow.Schema, []arrow.Record) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "k", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "c", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	var all []arrow.Record
	for from := 0; from < rows; from += 7000 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for i := from; i < min(from+7000, rows); i++ {
			b.Field(0).(*array.Int64Builder).Append(int64(i * step))
			if i%7 == 0 {
				for _, f := range []int{1, 2, 3} {
					b.Field(f).AppendNull()
				}
				continue
			}
			b.Field(1).(*array.Int32Builder).Append(int32(i * 31 % 50))
			b.Field(2).(*array.Float64Builder).Append(float64(i%64) / 4)
			b.Field(3).(*array.StringBuilder).Append(fmt.Sprint("text ", i%13))
		}
		all = append(all, b.NewRecord())
		b.Release()
	}
	return schema, all
}

// TestArrowTables runs queries over registered Arrow tables, which are replaced by others of the same name,
// with much device memory and with too little for them.
func TestArrowTables(t *testing.T) {
	db, err := gsql.Open(gsql.Config{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := db.NewSession()
	defer s.Close()
	fillFacts(t, s, 40)
	defer execute(t, s, "SET gsql_gpu_memory_limit = DEFAULT")
	for _, step := range []int{1, 3} {
		schema, records := arrowFacts(20_000, step)
		if err := db.RegisterArrow("arrows", schema, records); err != nil {
			t.Fatal(err)
		}
		for _, limit := range []string{"'64MB'", "'300KB'"} {
			execute(t, s, "SET gsql_gpu_memory_limit = "+limit)
			for _, q := range []string{
				"SELECT COUNT(*), SUM(id), SUM(x), MIN(k) FROM arrows",
				"SELECT c, COUNT(*), SUM(id) FROM arrows WHERE k < 20 GROUP BY c",
				"SELECT d.name, COUNT(*), SUM(a.id) FROM arrows a JOIN d ON a.k = d.k GROUP BY d.name",
				"SELECT id, k, c FROM arrows WHERE x > 15.5 AND k = 3",
			} {
				if !compare(t, s, q) && limit == "'64MB'" {
					t.Errorf("no pipelines: %s\n%s", q, strings.Join(mustAnswer(t, s, "EXPLAIN "+q), "\n"))
				}
			}
			if limit == "'300KB'" && !planned(t, s, "EXPLAIN ANALYZE", "SELECT COUNT(*), SUM(id), SUM(x), MIN(k) FROM arrows", "rows from the host in ") {
				t.Error("nothing was streamed")
			}
		}
	}
}
