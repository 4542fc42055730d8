package operators

import (
	"strings"

	"gsql/exec"
	"gsql/planner/physical"
	"gsql/sql/catalog"
)

// Config holds what the operators need from the program.
type Config struct {
	// Cacheable reports whether a table's name and Version identify its contents in the whole
	// process: only then may its columns stay on a device from query to query.
	Cacheable func(catalog.Table) bool

	kept *keptPrograms
}

// kinds are the devices' kinds, the first part of their names.
var kinds = []physical.Device{"cuda", "sim"}

// Register registers the operators for all devices. It opens none.
func Register(reg *exec.Registry, cfg Config) {
	cfg.kept = &keptPrograms{}
	joins := []physical.JoinAlgo{physical.NestedLoop, physical.Hash, physical.Radix, physical.Merge, physical.Range}
	for _, kind := range kinds {
		reg.Register((&physical.HashAgg{}).Kind(), kind, cfg.newAggregate)
		reg.Register((&physical.Sort{Limit: -1}).Kind(), kind, newSort)
		reg.Register((&physical.Sort{}).Kind(), kind, newSort)
		reg.Register((&physical.Pipelines{}).Kind(), kind, cfg.newFused)
		for _, algo := range joins {
			reg.Register(string(algo), kind, cfg.newJoin)
		}
	}
}

// nameOf returns the name of a node's operator in errors and warnings: "HashJoin on cuda:0".
func nameOf(n *physical.Node) string {
	name, _ := n.Op.Describe()
	name, _, _ = strings.Cut(name, " ")
	return name + " on " + string(n.Device)
}
