package groupjoin

// phase is the current activity of a group join. Open passes from collecting to one of the
// others, which determines where streams get their rows.
type phase uint8

const (
	// collecting: Open reads the side that is held and indexes it.
	collecting phase = iota
	// probing: streams look up each batch of the probe side in the index.
	probing
	// emitting: Open has computed all rows, by a sweep or from the cells of a streamed side;
	// streams return them.
	emitting
	// spilled: both sides are on disk in blocks; streams return the merged aggregates over them.
	spilled
)
