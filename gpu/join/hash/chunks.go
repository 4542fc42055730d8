package hash

import "gsql/gpu/join"

// Chunks is a join whose probe side comes chunk by chunk.
type Chunks interface {
	// Next gives the join and the aggregates with the next rows of the probe side in the
	// place of all of them: its columns, and its number of rows. The build side and
	// what is known of the probe side's values, as a whole, are the same each time; the rows
	// of a condition's or an aggregate's column are as many as the chunk's. No rows are the end.
	//
	// The chunk lies in memory that work on the task's compute stream may read, up to what
	// is queued there when Next is called again.
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
