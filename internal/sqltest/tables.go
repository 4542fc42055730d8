package sqltest

import (
	"fmt"
	"math/rand/v2"
)

// EveryType creates table v, which has a column of every type, with rows of extremes, NULLs and texts
// beyond ASCII.
const EveryType = `CREATE TABLE v (i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, u8 TINYINT UNSIGNED, u16 SMALLINT UNSIGNED,
	u32 INT UNSIGNED, u64 BIGINT UNSIGNED, f FLOAT, d DOUBLE, n DECIMAL(38,10), m DECIMAL(5,2), s VARCHAR(20), tx TEXT, x VARBINARY(8),
	bl BLOB, dt DATE, dt6 DATETIME(6), ts TIMESTAMP(6), tm TIME(6), yes BOOL, j JSON);
INSERT INTO v VALUES
	(-128, -32768, -2147483648, -9223372036854775808, 0, 0, 0, 0, -1.5, -1e300, -9999999999999999999999999999.9999999999, -999.99, '', '', '', '',
	 '1000-01-01', '1000-01-01 00:00:00.000001', '1970-01-01 00:00:01.001', '-838:59:59', FALSE, '{"a": 1}'),
	(127, 32767, 2147483647, 9223372036854775807, 255, 65535, 4294967295, 18446744073709551615, 1.5, 1e300, 9999999999999999999999999999.9999999999, 999.99,
	 'naïve', '日本語', X'00FF', X'FF00', '9999-12-31', '9999-12-31 23:59:59.999999', '2038-01-19 03:14:07.999', '838:59:59', TRUE, '[]'),
	(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`

// Wide creates table wide of 400,000 rows: a number and a text.
const Wide = "CREATE TABLE wide AS WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT x.i * 1000 + y.i AS a, CONCAT('text ', x.i * y.i) AS s FROM n x, n y WHERE y.i <= 400"

// Series returns the beginning of a query of r, which has a column i of n numbers from a first one on.
// Queries of more than 1000 numbers need a larger cte_max_recursion_depth.
func Series(first, n int) string {
	return fmt.Sprintf("WITH RECURSIVE r(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM r WHERE i + 1 < %d)", first, first+n)
}

// OrNull returns x as a text, or NULL once in eight times.
func OrNull(r *rand.Rand, x any) string {
	if r.IntN(8) == 0 {
		return "NULL"
	}
	return fmt.Sprint(x)
}
