package database

import (
	"context"
	"slices"
	"strings"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/forms"
	"gsql/gpu/lower"
	"gsql/gpu/tables"
	"gsql/internal/profile"
	"gsql/planner/cost"
	"gsql/planner/fuse"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/deviceset"
	"gsql/sql/infoschema"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// Devices describes the accelerators to the planner. Safe for concurrent use.
type Devices interface {
	// Open describes the devices of a set, a value of gsql_device, in its order, and opens the first. If
	// there are none, reason says why in one line.
	Open(set string) (devices []cost.Accelerator, reason string)
	// Opened reports whether the devices of a set are open, so that Open takes no time. Of a set that only
	// names a kind, one device suffices.
	Opened(set string) bool
	// Check returns an error unless each device exists that a value of gsql_device names by its number.
	Check(set string) error
	// Restore lets queries use devices again that were lost.
	Restore(ctx context.Context) error
	// Changes returns a number that changes whenever a device is lost or restored.
	Changes() int
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
func (engines) Open(set string) ([]cost.Accelerator, string) {
	parsed, _ := deviceset.Parse(set)
	found, err := engine.Named(parsed)
	if err != nil {
		return nil, sqlerr.From(err).Msg
	}
	e, err := engine.For(found[0].Name())
	if err != nil {
		return nil, sqlerr.From(err).Msg
	}
	limit, _, _ := e.Memory()
	devices := []cost.Accelerator{profile.Current().Accelerator(physical.Device(e.Name()), e.Info().Name, float64(limit))}
	for i := 1; i < len(found); i++ {
		if a, err := described(found[i], found[:i]); err == nil { // otherwise it cannot be started, and nothing runs there
			devices = append(devices, a)
		}
	}
	return devices, ""
}

// described returns the rates of a device that need not be open. It receives from the others at the rate
// of the slowest link.
func described(d gpu.Device, others []gpu.Device) (a cost.Accelerator, err error) {
	info, err := d.Info()
	if err != nil {
		return a, err
	}
	limit := engine.Limit(info.Free)
	if e := opened(physical.Device(d.Name())); e != nil {
		limit, _, _ = e.Memory()
	}
	a = profile.Current().Accelerator(physical.Device(d.Name()), info.Name, float64(limit))
	rate := a.PeerGBs
	for _, from := range others {
		link, err := d.Link(from)
		switch {
		case err != nil:
			return a, err
		case !link.Direct: // each byte crosses the links of both devices
			rate = min(rate, a.LinkGBs/2)
		case link.Kind == "PCIe":
			rate = min(rate, a.LinkGBs)
		}
	}
	a.PeerGBs = rate
	return a, nil
}

// Opened implements Devices. Before a device is open, it must not start the driver.
func (engines) Opened(set string) bool {
	parsed, _ := deviceset.Parse(set)
	open := engine.Opened()
	ofKind := slices.ContainsFunc(open, func(e *engine.Engine) bool {
		return (parsed.Kind == deviceset.Sim) == strings.HasPrefix(e.Name(), deviceset.Sim)
	})
	if !ofKind || !parsed.All && parsed.Numbers == nil {
		return ofKind
	}
	found, err := engine.Named(parsed)
	return err == nil && !slices.ContainsFunc(found, func(d gpu.Device) bool { return opened(physical.Device(d.Name())) == nil })
}

// Check implements Devices.
func (engines) Check(set string) error {
	parsed, _ := deviceset.Parse(set)
	return engine.Check(parsed)
}

// Restore implements Devices.
func (engines) Restore(ctx context.Context) error { return engine.Restore(ctx) }

// Changes implements Devices.
func (engines) Changes() int { return engine.Changes() }

// Start implements Devices.
func (engines) Start(kind string) { engine.Start(kind) }

// SetLimit implements Devices.
func (engines) SetLimit(ctx context.Context, bytes int64) error { return engine.SetLimit(ctx, bytes) }

// Resident implements Devices. Each of several devices has a share of the rows.
func (engines) Resident(d physical.Device, t catalog.Table, ordinal int) bool {
	members := d.Members()
	for i, m := range members {
		share := engine.Share{}
		if len(members) > 1 {
			share = engine.Share{Number: i, Of: len(members)}
		}
		if e := opened(m); e == nil || !e.HoldsAny(t.Name(), t.Version(), ordinal, share) {
			return false
		}
	}
	return true
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
				Rows: r.Rows, Bytes: r.Bytes, HostBytes: r.Texts, Used: r.Used, Stays: r.Stay})
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
