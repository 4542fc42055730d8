package planner_test

import (
	"strings"
	"testing"

	"gsql/planner"
	"gsql/planner/plantest"
)

// TestEagerAggregation checks that a large table is aggregated by its foreign key before a join,
// or joined as groups, if few rows remain. It covers further joins above, all aggregates that can
// be combined, both sides of a left join, and group keys from the table itself. If a table of the
// groups would not fit into the cache, joining every row is cheaper. A filter on the other side
// reduces the rows of the scan.
func TestEagerAggregation(t *testing.T) {
	cat := plantest.MustDefine(`
table sale rows=6000000
  shop bigint not null ndv=10000 min=1 max=10000
  item bigint not null ndv=200000 min=1 max=200000
  n    bigint ndv=50 min=1 max=50
table shop rows=10000
  id   bigint primary ndv=10000 min=1 max=10000
  name varchar(20) not null ndv=10000
  town bigint not null ndv=25 min=1 max=25
table town rows=25
  id   bigint primary ndv=25 min=1 max=25
  name varchar(20) ndv=25
table item rows=200000
  id    bigint primary ndv=200000 min=1 max=200000
  brand bigint not null ndv=25 min=1 max=25
`)
	for _, tt := range []struct {
		sql   string
		below bool
	}{
		{"SELECT shop.town, SUM(n) FROM sale JOIN shop ON shop = id GROUP BY shop.town", true},
		{"SELECT shop.name, AVG(n), COUNT(*), MIN(n), MAX(n) FROM sale JOIN shop ON shop = id GROUP BY shop.id, shop.name", true},
		{"SELECT town.name, SUM(n) FROM sale JOIN shop ON shop = shop.id JOIN town ON town = town.id GROUP BY town.name", true},
		{"SELECT shop.town, COUNT(DISTINCT n) FROM sale JOIN shop ON shop = id GROUP BY shop.town", false},
		{"SELECT item.brand, SUM(n) FROM sale JOIN item ON item = id GROUP BY item.brand", false},
		{"SELECT item.brand, shop.town, SUM(n) FROM sale JOIN item ON item = item.id JOIN shop ON shop = shop.id GROUP BY item.brand, shop.town", false},
		{"SELECT shop.name, SUM(n) FROM sale JOIN shop ON shop = id WHERE town < 20 AND shop.id < 500 GROUP BY shop.name", true},
		{"SELECT shop.town, SUM(n) FROM sale LEFT JOIN shop ON shop = id GROUP BY shop.town", true},
		{"SELECT shop.town, SUM(n), COUNT(*) FROM shop LEFT JOIN sale ON shop = id GROUP BY shop.town", true},
		{"SELECT n, shop.town, COUNT(*), MIN(sale.item) FROM sale JOIN shop ON shop = id GROUP BY n, shop.town", false},
		{"SELECT sale.shop, COUNT(*), MAX(town) FROM sale LEFT JOIN shop ON shop = id GROUP BY sale.shop", true},
		{"SELECT item, shop.town, COUNT(*) FROM sale JOIN shop ON shop = id GROUP BY item, shop.town", false},
		{"SELECT shop.town, COUNT(*) FROM sale JOIN shop ON LPAD(shop, 9, '0') = LPAD(id, 9, '0') GROUP BY shop.town", true},
	} {
		p, _ := optimize(t, cat, tt.sql, planner.Options{Workers: 2})
		plan := show(p)
		if got := strings.Count(plan, "HashAggregate") > 1 || strings.Contains(plan, "GroupJoin inner"); got != tt.below {
			t.Errorf("%s: aggregated below the join: %v\n%s", tt.sql, got, plan)
		}
	}
}
