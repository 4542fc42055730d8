package operators

import (
	"strings"

	"gsql/exec"
	"gsql/planner/physical"
	"gsql/sql/catalog"
)

// Config is what the operators ask of the program.
type Config struct {
	// Cacheable reports whether a table's name and Version stand for its contents in the whole
	// process: then its columns may stay on a device from query to query.
	Cacheable func(catalog.Table) bool
}

// kinds are the devices by the first part of their names.
var kinds = []physical.Device{"cuda", "sim"}

// Register makes the operators known for all devices. Nothing is opened.
func Register(reg *exec.Registry, cfg Config) {
	joins := []physical.JoinAlgo{physical.NestedLoop, physical.Hash, physical.Radix, physical.Merge, physical.Range}
	for _, kind := range kinds {
		reg.Register((&physical.HashAgg{}).Kind(), kind, cfg.newAggregate)
		for _, algo := range joins {
			reg.Register(string(algo), kind, cfg.newJoin)
		}
	}
}

// nameOf names the operator of a node in errors and warnings: "HashJoin on cuda:0".
func nameOf(n *physical.Node) string {
	name, _ := n.Op.Describe()
	name, _, _ = strings.Cut(name, " ")
	return name + " on " + string(n.Device)
}
