// Package tpch generates the tables of the TPC-H benchmark (TPC Benchmark H Standard
// Specification, revision 3, clause 4.2) as Parquet files. Values follow the specification's
// distributions; they are not those of the TPC's own generator, but always the same for a
// scale factor.
package tpch

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// table is one of the eight tables.
type table struct {
	name   string
	number uint64 // of the random streams
	schema *arrow.Schema
	key    []string // the primary key
	// units returns the number of rows at a scale; for lineitem, the number of orders.
	units func(s *scale) int64
	// fill appends the rows of units [from, to).
	fill func(s *scale, from, to int64, b *array.RecordBuilder)
}

// scale holds the numbers of rows that depend on the scale factor.
type scale struct{ suppliers, parts, customers, orders, clerks int64 }

func newScale(sf float64) *scale {
	n := func(perUnit float64) int64 { return max(1, int64(perUnit*sf+0.5)) }
	return &scale{suppliers: n(10_000), parts: n(200_000), customers: n(150_000), orders: n(1_500_000), clerks: n(1000)}
}

// tables are in the order in which they are written.
var tables = []table{
	{"region", 1, columns("r_regionkey", i32, "r_name", str, "r_comment", str), []string{"r_regionkey"}, fixed(len(regions)), fillRegion},
	{"nation", 2, columns("n_nationkey", i32, "n_name", str, "n_regionkey", i32, "n_comment", str), []string{"n_nationkey"}, fixed(len(nations)), fillNation},
	{"supplier", 3, columns("s_suppkey", i32, "s_name", str, "s_address", str, "s_nationkey", i32, "s_phone", str,
		"s_acctbal", money, "s_comment", str), []string{"s_suppkey"}, func(s *scale) int64 { return s.suppliers }, fillSupplier},
	{"customer", 4, columns("c_custkey", i32, "c_name", str, "c_address", str, "c_nationkey", i32, "c_phone", str,
		"c_acctbal", money, "c_mktsegment", str, "c_comment", str), []string{"c_custkey"}, func(s *scale) int64 { return s.customers }, fillCustomer},
	{"part", 5, columns("p_partkey", i32, "p_name", str, "p_mfgr", str, "p_brand", str, "p_type", str, "p_size", i32,
		"p_container", str, "p_retailprice", money, "p_comment", str), []string{"p_partkey"}, func(s *scale) int64 { return s.parts }, fillPart},
	{"partsupp", 6, columns("ps_partkey", i32, "ps_suppkey", i32, "ps_availqty", i32, "ps_supplycost", money,
		"ps_comment", str), []string{"ps_partkey", "ps_suppkey"}, func(s *scale) int64 { return s.parts * suppliersPerPart }, fillPartSupp},
	{"orders", 7, columns("o_orderkey", i64, "o_custkey", i32, "o_orderstatus", str, "o_totalprice", money, "o_orderdate", day,
		"o_orderpriority", str, "o_clerk", str, "o_shippriority", i32, "o_comment", str), []string{"o_orderkey"}, func(s *scale) int64 { return s.orders }, fillOrders},
	{"lineitem", 8, columns("l_orderkey", i64, "l_partkey", i32, "l_suppkey", i32, "l_linenumber", i32, "l_quantity", money,
		"l_extendedprice", money, "l_discount", money, "l_tax", money, "l_returnflag", str, "l_linestatus", str,
		"l_shipdate", day, "l_commitdate", day, "l_receiptdate", day, "l_shipinstruct", str, "l_shipmode", str,
		"l_comment", str), []string{"l_orderkey", "l_linenumber"}, func(s *scale) int64 { return s.orders }, fillLineItem},
}

var (
	i32   = arrow.PrimitiveTypes.Int32
	i64   = arrow.PrimitiveTypes.Int64
	str   = arrow.BinaryTypes.String
	day   = arrow.FixedWidthTypes.Date32
	money = &arrow.Decimal128Type{Precision: 15, Scale: 2}
)

// columns makes a schema of alternating names and types; no column is nullable.
func columns(pairs ...any) *arrow.Schema {
	var fields []arrow.Field
	for i := 0; i < len(pairs); i += 2 {
		fields = append(fields, arrow.Field{Name: pairs[i].(string), Type: pairs[i+1].(arrow.DataType)})
	}
	return arrow.NewSchema(fields, nil)
}

func fixed(n int) func(*scale) int64 { return func(*scale) int64 { return int64(n) } }
