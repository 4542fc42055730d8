package calibrate

import (
	"context"
	"fmt"

	"gsql"
)

// sizes are the binary logarithms of the tables' numbers of rows, from 12 on.
type sizes struct{ little, big, huge int }

// usual holds the measured sizes: little fits in a cache, big does not, and huge takes a GPU longer
// than a launch.
var usual = sizes{13, 21, 25}

// columns are those of each table, from the row's number i: k is a sparse unique key below 2^32, j one
// of the keys of little, x a number below 10^6, g one below 1000, s a text.
const columns = "i, i * 2654435761 %% 4294967296 AS k, i %% 8192 * 2654435761 %% 4294967296 AS j, " +
	"i * 48271 %% 1000003 AS x, i * 7919 %% 1009 AS g, CONCAT('text ', i * 31 %% 60013) AS s"

// fill creates the tables little, half, big and, for devices, huge.
func (n sizes) fill(ctx context.Context, s *gsql.Session, devices bool) error {
	statements := []string{
		"SET cte_max_recursion_depth = 5000",
		"CREATE TABLE n AS WITH RECURSIVE r (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < 4095) SELECT n FROM r",
		table("little", n.little), table("half", n.big-1), table("big", n.big),
	}
	if devices {
		statements = append(statements, table("huge", n.huge))
	}
	for _, sql := range statements {
		if _, _, err := s.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// table returns the statement that creates a table of 2^bits rows. n has the first 2^12 numbers.
func table(name string, bits int) string {
	const low = 12
	return fmt.Sprintf("CREATE TABLE %s AS SELECT "+columns+" FROM (SELECT CAST(a.n AS SIGNED) * %d + b.n AS i FROM n a JOIN n b ON a.n < %d) t",
		name, 1<<low, 1<<(bits-low))
}
