// Package fuse finds the subtrees of a plan that a device runs as fused pipelines, and prices them.
// It knows neither devices nor the form of their programs: Forms describes the work of a subtree in
// numbers.
package fuse

import (
	"gsql/planner/cost"
	"gsql/planner/physical"
	"gsql/sql/catalog"
)

// Forms describes subtrees of plans as pipelines of a device. It is safe for concurrent use.
type Forms interface {
	// Form describes the work of device d for the subtree below root, which Fused has returned. The join
	// that needs most memory takes the given number of passes. The error is the reason why the device
	// cannot run the subtree.
	Form(d physical.Device, root *physical.Node, passes int) (*Work, error)
}

// Work describes the work of a device for a subtree.
type Work struct {
	Passes  []cost.Pass // one for each pipeline
	Kernels int         // launched
	Unknown int         // kernels that must be compiled first
	Columns []Column    // of tables, each once
	Result  float64     // bytes that the device returns to the host
	Reads   []Read      // of the rows of the result
	Memory  float64     // bytes that the pipelines need besides Columns
	Sorted  float64     // rows that the host orders
	Words   int         // by which it does
	// JoinPasses is the number of passes of the join that needs most memory if there are several, else 0.
	JoinPasses int
}

// Column is a table's column that pipelines read.
type Column struct {
	Table    catalog.Table
	Ordinal  int
	Rows     float64
	Bytes    float64 // on the device
	Texts    float64 // distinct texts, for which the device has codes; 0 for other columns
	Terms    float64 // nodes of the expression that the host computes of the column; 0 for the column itself
	Resident bool    // it is in the device's memory
	// Passes is the number of pipelines that read the column if they need it only at the rows of their
	// sources, one after another, so that it may be streamed; else 0.
	Passes  int
	Streams bool // it is streamed; Search decides that
}

// Read is columns of a table that the host reads by the numbers of the result's rows.
type Read struct {
	Columns int
	Rows    float64 // of the table
}

// reads returns the bytes of all columns, and of those that must be copied to the device.
func (w *Work) reads() (all, absent float64) {
	for i := range w.Columns {
		c := &w.Columns[i]
		all += c.Bytes
		if !c.Resident {
			absent += c.Bytes
		}
	}
	return all, absent
}
