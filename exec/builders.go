package exec

import (
	"gsql/exec/agg"
	"gsql/exec/groupjoin"
	"gsql/exec/rollup"
	"gsql/exec/sort"
	"gsql/exec/window"
	"gsql/planner/physical"
)

var cpuBuilders = map[Key]Builder{
	{"scan", physical.CPU}:        newScan,
	{"values", physical.CPU}:      newValues,
	{"filter", physical.CPU}:      Unary(newFilter),
	{"project", physical.CPU}:     Unary(newProject),
	{"limit", physical.CPU}:       newLimit,
	{"max_one_row", physical.CPU}: Unary(newMaxOneRow),
	{"apply", physical.CPU}:       newApply,
	{"set_op", physical.CPU}:      Binary(newSetOp),
	{"recursive", physical.CPU}:   newRecursive,
	{"shared", physical.CPU}:      newShared,
	{"work_table", physical.CPU}:  newWorkTable,
	{"hash_agg", physical.CPU}:    Unary(agg.Build),
	{"rollup", physical.CPU}:      Unary(rollup.New),
	{"group_join", physical.CPU}:  Binary(groupjoin.New),
	{"sort", physical.CPU}:        Unary(sort.New),
	{"top_n", physical.CPU}:       newTopN,
	{"window", physical.CPU}:      Unary(window.New),

	{string(physical.NestedLoop), physical.CPU}: newJoin,
	{string(physical.Hash), physical.CPU}:       newJoin,
	{string(physical.Index), physical.CPU}:      newJoin,
	{string(physical.Radix), physical.CPU}:      newJoin,
	{string(physical.Merge), physical.CPU}:      newJoin,
	{string(physical.Range), physical.CPU}:      newJoin,
}
