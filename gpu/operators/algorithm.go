package operators

import (
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/join/hash"
	"gsql/gpu/join/merge"
	"gsql/gpu/join/radix"
	"gsql/gpu/join/theta"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
)

// algorithm is the common interface of the packages below gpu/join, bound to a join's options.
type algorithm struct {
	pairs     func(t *engine.Task, in join.Input, out join.Output) error
	aggregate func(t *engine.Task, in join.Input, aggs []join.Agg) ([]join.Value, error)
	bytes     func(in join.Input, aggs []join.Agg) int64
}

// with binds the options of an algorithm.
func with[O any](opt O, pairs func(*engine.Task, join.Input, join.Output, O) error,
	aggregate func(*engine.Task, join.Input, []join.Agg, O) ([]join.Value, error),
	bytes func(join.Input, []join.Agg, O) int64) algorithm {
	return algorithm{
		func(t *engine.Task, in join.Input, out join.Output) error { return pairs(t, in, out, opt) },
		func(t *engine.Task, in join.Input, aggs []join.Agg) ([]join.Value, error) {
			return aggregate(t, in, aggs, opt)
		},
		func(in join.Input, aggs []join.Agg) int64 { return bytes(in, aggs, opt) },
	}
}

func algorithmOf(j *physical.Join) (algorithm, error) {
	switch j.Algo {
	case physical.Hash:
		return with(hash.Options{BuildLeft: j.BuildLeft}, hash.Pairs, hash.Aggregate, hash.Bytes), nil
	case physical.Radix:
		return with(radix.Options{BuildLeft: j.BuildLeft}, radix.Pairs, radix.Aggregate, radix.Bytes), nil
	case physical.Merge, physical.Range:
		return with(merge.Options{LeftSorted: j.SortedL, RightSorted: j.SortedR}, merge.Pairs, merge.Aggregate, merge.Bytes), nil
	case physical.NestedLoop:
		return with(theta.Options{}, theta.Pairs, theta.Aggregate, theta.Bytes), nil
	}
	return algorithm{}, sqlerr.Internal("no join %q on a device", j.Algo)
}
