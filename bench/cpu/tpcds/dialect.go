package tpcds

import "regexp"

// NullOrder makes DuckDB sort NULLs as MySQL does: as the least values.
const NullOrder = "SET default_null_order = 'nulls_first_on_asc_last_on_desc'"

var rollup = regexp.MustCompile(`GROUP BY ([^()]+?)\s+WITH ROLLUP`)

// DuckDB returns a query in DuckDB's dialect, which writes ROLLUP differently.
func DuckDB(sql string) string { return rollup.ReplaceAllString(sql, "GROUP BY ROLLUP ($1)") }
