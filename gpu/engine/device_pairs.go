package engine

import (
	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// DevicePairs is a join's output that stays in device memory.
type DevicePairs struct {
	Left, Right gpu.Ptr // int32 row numbers
	Rows        int64   // number of pairs
	Capacity    int64   // capacity in pairs
}

// NewDevicePairs allocates space for capacity pairs in memory of the task.
func (t *Task) NewDevicePairs(capacity int64) (*DevicePairs, error) {
	d := &DevicePairs{Capacity: capacity}
	var err error
	if d.Left, err = t.Alloc(capacity * pairBytes / 2); err == nil {
		d.Right, err = t.Alloc(capacity * pairBytes / 2)
	}
	return d, err
}

// Piece implements join.Output: it returns all remaining space. The error is 1037 if there is none.
func (d *DevicePairs) Piece() (left, right gpu.Ptr, capacity int64, err error) {
	if d.Rows >= d.Capacity {
		return 0, 0, 0, sqlerr.New(sqlerr.OutOfMemory, "Out of device memory; a join has more than the %d row pairs there is room for", d.Capacity)
	}
	at := gpu.Ptr(d.Rows * pairBytes / 2)
	return d.Left + at, d.Right + at, d.Capacity - d.Rows, nil
}

// Emit implements join.Output.
func (d *DevicePairs) Emit(n int64) error {
	d.Rows += n
	return nil
}
