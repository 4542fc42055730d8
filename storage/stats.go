package storage

import "gsql/sql/catalog"

// tableStats are statistics and where they came from.
type tableStats struct {
	catalog.Stats
	churn int64 // version.churn when they were computed
}

// Stats gives the statistics of this version, computed at the first call. Min and Max
// are bounds of the values, exact until rows are deleted.
func (v *version) Stats() *catalog.Stats {
	v.statsMu.Lock()
	defer v.statsMu.Unlock()
	if v.stats == nil {
		v.stats = &tableStats{churn: v.churn, Stats: catalog.Stats{Rows: v.rows(), Exact: true, Bytes: v.memory()}}
	}
	return &v.stats.Stats
}
