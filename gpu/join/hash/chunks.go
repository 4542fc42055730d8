package hash

import "gsql/gpu/join"

// Chunks is a join whose probe side arrives chunk by chunk.
type Chunks interface {
	// Next returns the join and the aggregates with the next rows of the probe side instead of all
	// of them: its columns and its number of rows. The build side and the known properties of all
	// the probe side's values are the same each time; the column of a condition or an aggregate has
	// as many rows as the chunk. A chunk without rows marks the end.
	//
	// The chunk is in memory that work on the task's compute stream may read, as long as it is
	// queued before Next is called again.
	Next() (in join.Input, aggs []join.Agg, err error)
}

// whole is a join with all of its probe side in one chunk.
type whole struct {
	in   join.Input
	aggs []join.Agg
	done bool
}

func (w *whole) Next() (join.Input, []join.Agg, error) {
	if w.done {
		return join.Input{Conditions: w.in.Conditions}, nil, nil
	}
	w.done = true
	return w.in, w.aggs, nil
}
