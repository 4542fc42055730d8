package gsql

import (
	"context"
	"slices"
	"strings"

	"gsql/gpu/engine"
	"gsql/planner/cost"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// deviceProvider is what planning asks of the accelerators. It is safe for concurrent use.
type deviceProvider interface {
	// Open opens the devices of a kind, "gpu" or "sim", unless that has been done, and
	// describes them, the preferred one first. Where there are none reason says why in one
	// line.
	Open(kind string) (devices []cost.Accelerator, reason string)
	// SetLimit sets how many bytes of its memory every device may use; 0: the default.
	SetLimit(ctx context.Context, bytes int64) error
	// Resident tells whether a column of a table lies in a device's memory.
	Resident(d physical.Device, t catalog.Table, ordinal int) bool
}

// engines is the provider of the devices that this process has.
type engines struct{}

// Open implements deviceProvider.
func (engines) Open(kind string) ([]cost.Accelerator, string) {
	e, err := engine.For(kind)
	if err != nil {
		return nil, sqlerr.From(err).Msg
	}
	describe := cost.DefaultAccelerator
	if strings.HasPrefix(e.Name(), "sim") {
		describe = cost.SimulatedAccelerator
	}
	limit, _, _ := e.Memory()
	return []cost.Accelerator{describe(physical.Device(e.Name()), float64(limit))}, ""
}

// SetLimit implements deviceProvider.
func (engines) SetLimit(ctx context.Context, bytes int64) error { return engine.SetLimit(ctx, bytes) }

// Resident implements deviceProvider.
func (engines) Resident(d physical.Device, t catalog.Table, ordinal int) bool {
	for _, e := range engine.Opened() {
		if e.Name() == string(d) {
			return slices.ContainsFunc(e.Resident(), func(r engine.Resident) bool {
				return r.Version == t.Version() && r.Column == ordinal && r.Table == t.Name()
			})
		}
	}
	return false
}
