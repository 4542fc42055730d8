package gsql

import (
	"gsql/gpu"
	"gsql/planner/cost"
	"gsql/planner/implement"
	"gsql/planner/physical"
	"gsql/sql/catalog"
)

// deviceProvider is what planning asks of the accelerators. It is safe for concurrent use.
type deviceProvider interface {
	// Open opens the devices of a kind, "gpu" or "sim", unless that has been done, and
	// describes them, the preferred one first. limit is the device memory to take, in
	// bytes; 0: most of what is free. Where there are none reason says why in one line.
	Open(kind string, limit int64) (devices []cost.Accelerator, reason string)
	// Resident tells whether a column of a table lies in a device's memory.
	Resident(d physical.Device, t catalog.Table, ordinal int) bool
}

// noDevices is the provider of a program without device operators.
type noDevices struct{}

// Open implements deviceProvider.
func (noDevices) Open(string, int64) ([]cost.Accelerator, string) { return nil, gpu.NotBuilt }

// Resident implements deviceProvider.
func (noDevices) Resident(physical.Device, catalog.Table, int) bool { return false }

// placement says where the session's queries may run.
func (s *Session) placement() implement.Placement {
	device, _ := s.Var("gsql_device")
	limit := s.intVar("gsql_gpu_memory_limit")
	return implement.Placement{
		CPU:    cost.Default(s.workers()),
		Device: device,
		Open: func(kind string) ([]cost.Accelerator, string) {
			return s.db.devices.Open(kind, limit)
		},
		Resident: s.db.devices.Resident,
	}
}
