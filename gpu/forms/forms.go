// Package forms describes subtrees of plans to the planner as pipelines of a device: it lowers them
// using the statistics of the tables, and counts the programs' memory accesses.
package forms

import (
	"gsql/gpu/lower"
	"gsql/planner/fuse"
	"gsql/planner/physical"
	"gsql/sql/catalog"
)

// Forms implements fuse.Forms.
type Forms struct {
	// Stored reports whether a table is stored, so that its Version identifies its contents.
	// Columns of other tables cannot stay on a device, so no device reads them.
	Stored func(t catalog.Table) bool
	// Resident reports whether a table's column, or a function of one, is in a device's memory as pipelines
	// read it.
	Resident func(d physical.Device, t catalog.Table, ordinal int, of *lower.Derived) bool
}

// Form implements fuse.Forms.
func (f Forms) Form(d physical.Device, root *physical.Node, passes int) (*fuse.Work, error) {
	cols := statistics{stored: f.Stored}
	q, err := lower.LowerFor(root, cols, lower.Options{More: 1, Passes: passes})
	if err != nil {
		return nil, err
	}
	return workOf(q, cols, func(t catalog.Table, ordinal int, of *lower.Derived) bool { return f.Resident(d, t, ordinal, of) }), nil
}
