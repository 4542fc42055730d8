package database

import (
	"context"
	"slices"
	"strings"

	"gsql/gpu/engine"
	"gsql/gpu/forms"
	"gsql/gpu/lower"
	"gsql/gpu/tables"
	"gsql/internal/profile"
	"gsql/planner/cost"
	"gsql/planner/fuse"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// Devices describes the accelerators to the planner. Safe for concurrent use.
type Devices interface {
	// Open opens the devices of a kind, "gpu" or "sim", once, and describes them, the preferred one
	// first. If there are none, reason says why in one line.
	Open(kind string) (devices []cost.Accelerator, reason string)
	// Opened reports whether the devices of a kind are open, so that Open takes no time.
	Opened(kind string) bool
	// Start prepares the devices of a kind, so that Open takes less time.
	Start(kind string)
	// SetLimit sets how many bytes of its memory each device may use; 0 is the default.
	SetLimit(ctx context.Context, bytes int64) error
	// Resident reports whether a column of a table is in a device's memory as joins read it.
	Resident(d physical.Device, t catalog.Table, ordinal int) bool
	// Residents lists the columns in the memory of devices, those of a device least recently used first.
	Residents() []infoschema.Resident
	// Forms describes subtrees of plans as pipelines; nil if no device runs any.
	Forms() fuse.Forms
}

// StartGPU starts the driver and a GPU in the background, once. A session that requires a GPU calls
// it: its first query then need not wait for the driver.
func (db *DB) StartGPU() {
	db.starting.Do(func() {
		go func() {
			_ = sqlerr.Guard(func() error { // the first query reports what fails
				db.Devices.Start("gpu")
				return nil
			})
		}()
	})
}

// engines are the devices of this process.
type engines struct{}

// Open implements Devices.
func (engines) Open(kind string) ([]cost.Accelerator, string) {
	e, err := engine.For(kind)
	if err != nil {
		return nil, sqlerr.From(err).Msg
	}
	limit, _, _ := e.Memory()
	return []cost.Accelerator{profile.Current().Accelerator(physical.Device(e.Name()), e.Info().Name, float64(limit))}, ""
}

// Opened implements Devices.
func (engines) Opened(kind string) bool {
	return slices.ContainsFunc(engine.Opened(), func(e *engine.Engine) bool { return (kind == "sim") == strings.HasPrefix(e.Name(), "sim") })
}

// Start implements Devices.
func (engines) Start(kind string) { engine.Start(kind) }

// SetLimit implements Devices.
func (engines) SetLimit(ctx context.Context, bytes int64) error { return engine.SetLimit(ctx, bytes) }

// Resident implements Devices.
func (engines) Resident(d physical.Device, t catalog.Table, ordinal int) bool {
	e := opened(d)
	return e != nil && e.HoldsAny(t.Name(), t.Version(), ordinal)
}

// opened returns the engine of a device if it is open.
func opened(d physical.Device) *engine.Engine {
	for _, e := range engine.Opened() {
		if e.Name() == string(d) {
			return e
		}
	}
	return nil
}

// lasts reports whether a table's name and Version identify its contents in the whole process.
func lasts(t catalog.Table) bool {
	if storage.IsVersion(t) {
		return true
	}
	other, ok := t.(catalog.Lasting)
	return ok && other.Lasts()
}

// Residents implements Devices.
func (engines) Residents() (out []infoschema.Resident) {
	for _, e := range engine.Opened() {
		for _, r := range e.Resident() {
			out = append(out, infoschema.Resident{Device: e.Name(), Table: r.Table, Column: r.Name, Version: r.Version, Form: r.Form(),
				Rows: r.Rows, Bytes: r.Bytes, HostBytes: r.Texts, Used: r.Used})
		}
	}
	return out
}

// Forms implements Devices.
func (engines) Forms() fuse.Forms {
	return forms.Forms{Stored: lasts, Resident: func(d physical.Device, t catalog.Table, ordinal int, of *lower.Derived) bool {
		e, key := opened(d), tables.Key(t, ordinal)
		if of != nil {
			key = tables.DerivedKey(t, of)
		}
		return e != nil && e.Holds(key)
	}}
}
