// Package inside lets tests outside package gsql read and set state that its API does not expose.
package inside

import "gsql/planner/physical"

// Database is what tests read and set of a database.
type Database interface {
	// SetSegmentRows limits segments of tables that are created from now on to n rows.
	SetSegmentRows(n int)
	// RunFewWithAll makes plans of few rows run on all workers; otherwise only plans of many rows
	// do.
	RunFewWithAll()
	// MemoryUsed returns the bytes that statements hold, without tables and user variables.
	MemoryUsed() int64
	// PlansKept returns the number of plans kept for repeated queries.
	PlansKept() int
	// ChangesKept returns the number of plans kept for repeated statements that change rows.
	ChangesKept() int
}

// Of returns the inside of a *gsql.DB. Package gsql sets it; other types panic.
var Of func(db any) Database

// Plan returns the plan of the query whose result is a *gsql.Rows, without the bids that lost, or
// nil. Package gsql sets it; other types panic.
var Plan func(rows any) *physical.Node
