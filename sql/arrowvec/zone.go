package arrowvec

import (
	"time"

	"gsql/sql/timezone"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// InUTC returns a batch with its TIMESTAMP columns converted from local time in zone, as queries
// use, to UTC, as Arrow and Parquet store. It shares the other columns with b and does not change
// b.
func InUTC(b *vec.Batch, zone *time.Location) *vec.Batch {
	if zone == time.UTC {
		return b
	}
	out := &vec.Batch{N: b.N, Cols: append([]*vec.Vector(nil), b.Cols...)}
	for i, c := range b.Cols {
		if c.Type.ID != types.Timestamp {
			continue
		}
		local, utc := c.Flatten(nil), vec.NewFlat(c.Type, b.N)
		utc.Null = local.Null
		for row := range b.N {
			if !local.IsNull(row) {
				utc.I64[row] = timezone.Instant(local.I64[row], zone)
			}
		}
		out.Cols[i] = utc
	}
	return out
}
