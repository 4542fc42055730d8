package joins_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestIncrementOfPairs compares averages over joins, which are quotients of sums of sums if the pairs
// are not made, with those of a double loop under several values of div_precision_increment. MySQL cuts
// a quotient off at whole words of nine digits and then rounds it to the digits that are shown.
func TestIncrementOfPairs(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	r := rand.New(rand.NewPCG(3, 5))
	sqltest.Run(t, s, "CREATE TABLE many (k INT NOT NULL, cents DECIMAL(9,2) NOT NULL)")
	const rows = 3000
	keys, cents, all := make([]int64, rows), make([]int64, rows), make([]string, rows)
	for i := range rows {
		keys[i], cents[i] = r.Int64N(40), r.Int64N(20000)-9000
		all[i] = fmt.Sprintf("(%d, %d / 100.0)", keys[i], cents[i])
	}
	sqltest.Run(t, s, "INSERT INTO many VALUES "+strings.Join(all, ", "))
	below := func(i, j int) bool { return keys[i] < keys[j] }
	equal := func(i, j int) bool { return keys[i] == keys[j] && keys[j] > 20 }
	planned := 0
	for _, x := range []struct {
		sql  string
		pair func(i, j int) bool
		of   func(i, j int) int64
	}{
		{"SELECT AVG(b.cents) FROM many a JOIN many b ON a.k < b.k", below, func(_, j int) int64 { return cents[j] }},
		{"SELECT AVG(a.cents) FROM many a JOIN many b ON a.k < b.k", below, func(i, _ int) int64 { return cents[i] }},
		{"SELECT AVG(a.cents) FROM many a JOIN many b ON a.k = b.k WHERE b.k > 20", equal, func(i, _ int) int64 { return cents[i] }},
		{"SELECT AVG(b.cents) FROM many a JOIN many b ON a.k = b.k WHERE b.k > 20", equal, func(_, j int) int64 { return cents[j] }},
	} {
		var sum, count int64
		for i := range rows {
			for j := range rows {
				if x.pair(i, j) {
					sum, count = sum+x.of(i, j), count+1
				}
			}
		}
		for _, increment := range []int{0, 1, 4, 7, 8, 16} {
			sqltest.Run(t, s, fmt.Sprint("SET div_precision_increment = ", increment))
			want := shownMean(sum, count, 2, 2+increment)
			if got := fmt.Sprint(sqltest.Rows(t, s, x.sql)); got != "[["+want+"]]" {
				t.Errorf("%s with %d more digits: %s, want %s", x.sql, increment, got, want)
			}
			planned += comparePlans(t, s, x.sql)
		}
	}
	if planned < 12 {
		t.Errorf("only %d plans without pairs", planned)
	}
}

// shownMean divides a sum of numbers with scale digits after the point and returns the quotient with
// shown digits.
func shownMean(sum, count int64, scale, shown int) string {
	ten := func(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
	digits := (shown + 8) / 9 * 9
	q := new(big.Int).Mul(big.NewInt(sum), ten(digits-scale))
	q.Quo(q, big.NewInt(count))
	return new(big.Rat).SetFrac(q, ten(digits)).FloatString(shown) // halves away from zero
}
