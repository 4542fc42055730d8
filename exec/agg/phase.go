package agg

// phase is the current activity of the operator. Open passes from collecting to merging and
// emitting if all groups fit in memory, and from collecting to completing if some rows spilled or
// the groups might not fit together with those from which they are merged. It changes only while
// no worker runs.
type phase uint8

const (
	// collecting: each worker groups the rows that it pulls. Rows may spill.
	collecting phase = iota
	// merging: the workers' groups become partitions that share no key. Nothing spills any more.
	merging
	// emitting: the groups are complete, and streams return them in chunks.
	emitting
	// completing: streams complete one partition at a time, return its groups and free them. Rows
	// that are still in memory may spill.
	completing
)

// maySpill reports whether rows may spill in this phase.
func (p phase) maySpill() bool { return p == collecting || p == completing }
