package transactions_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"gsql"
)

// TestDefinitionsAtOnce: CREATE ... IF NOT EXISTS and DROP ... IF EXISTS succeed whoever is
// faster.
func TestDefinitionsAtOnce(t *testing.T) {
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			s := db.NewSession()
			for i := range 150 {
				sql := fmt.Sprintf("CREATE TABLE IF NOT EXISTS t%d (a INT)", i%3)
				if (i+w)%2 == 0 {
					sql = fmt.Sprintf("DROP TABLE IF EXISTS t%d", i%3)
				}
				rows, err := s.Query(context.Background(), sql)
				if err != nil {
					t.Errorf("%s: %v", sql, err)
					return
				}
				if err := rows.Close(); err != nil {
					t.Errorf("%s: %v", sql, err)
				}
			}
		})
	}
	all.Wait()
}
