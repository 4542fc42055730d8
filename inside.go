package gsql

import (
	"time"

	"gsql/internal/inside"
	"gsql/planner/physical"
)

func init() {
	inside.Of = func(db any) inside.Database { return inner{db.(*DB)} }
	inside.Plan = func(rows any) *physical.Node { return rows.(*Rows).res.Plan() }
}

// inner implements inside.Database.
type inner struct{ db *DB }

func (d inner) SetSegmentRows(n int) { d.db.shared.Store.SetSegmentRows(n) }

func (d inner) RunFewWithAll() { d.db.shared.Few = true }

// MemoryUsed implements inside.Database. Charges of tables may move between accounts at any time,
// so both values are read again if they differ.
func (d inner) MemoryUsed() (n int64) {
	for range 20 {
		if n = d.db.shared.Mem.Used() - d.db.shared.Store.Charged() - d.db.shared.UserVars.Used(); n == 0 {
			break
		}
		time.Sleep(time.Millisecond / 10)
	}
	return n
}

func (d inner) PlansKept() int {
	queries, _ := d.db.plans.Kept()
	return queries
}

func (d inner) ChangesKept() int {
	_, changes := d.db.plans.Kept()
	return changes
}
