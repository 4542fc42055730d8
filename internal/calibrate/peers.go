package calibrate

import (
	"gsql/gpu/engine"
	"gsql/gpu/group"
	"gsql/internal/profile"
	"gsql/planner/cost"
	"gsql/sql/deviceset"
)

// peers measures copies to the device from the next one of its kind, if there is one of the same name.
func (c *calibration) peers(kind string, e *engine.Engine, a *cost.Accelerator) error {
	devices, err := engine.Named(deviceset.Set{Kind: kind, All: true})
	if err != nil || len(devices) < 2 || devices[0].Name() != e.Name() {
		return nil // it is the only one
	}
	if info, err := devices[1].Info(); err != nil || info.Name != c.name {
		return err
	}
	rate, err := group.Rate(devices[0], devices[1])
	if err != nil {
		return err
	}
	const gigabyte = 1e9
	m := Measured{Device: e.Name(), Name: "copies between devices", Priced: 1e3 / a.PeerGBs, Took: 1e3 * gigabyte / rate} // of 1 GB
	c.report(m)
	return profile.Scale(a, m.factor(true), "PeerGBs")
}
