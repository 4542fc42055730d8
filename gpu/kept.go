package gpu

import (
	"slices"

	"gsql/sql/sqlerr"
)

// kept is a part at the arena's high end.
type kept struct {
	part
	at int64 // its offset in the arena
}

// floor returns the offset of the lowest kept part: the stack ends below it.
func (a *Arena) floor() int64 {
	if len(a.kept) == 0 {
		return a.size
	}
	return a.kept[0].at
}

// Kept returns how many bytes are allocated at the high end.
func (a *Arena) Kept() (bytes int64) {
	for _, k := range a.kept {
		bytes += k.bytes
	}
	return bytes
}

// Height returns how many bytes the stack takes.
func (a *Arena) Height() int64 { return a.used }

// Place returns the offset of p in this arena, in bytes from its beginning.
func (a *Arena) Place(p Ptr) int64 { return int64(p - a.base) }

// Keep returns bytes at the high end, in the highest hole at or above the offset least that is wide
// enough. The contents are undefined; the bytes are charged to operator until Drop. If there is no
// such hole, nothing is taken and the error is 1037.
func (a *Arena) Keep(operator string, bytes, least int64) (Ptr, error) {
	if bytes <= 0 {
		return 0, sqlerr.Internal("%d bytes of a device kept by %s", bytes, operator)
	}
	least = max(least, a.used)
	end := a.size / Alignment * Alignment
	for i := len(a.kept); i >= 0; i-- {
		begin := least
		if i > 0 {
			begin = max(begin, a.kept[i-1].at+a.kept[i-1].bytes)
		}
		if bytes <= end && (end-bytes)/Alignment*Alignment >= begin {
			at := (end - bytes) / Alignment * Alignment
			a.kept = slices.Insert(a.kept, i, kept{part{operator, end - at}, at})
			a.peak = max(a.peak, a.Used())
			return a.base + Ptr(at), nil
		}
		if i > 0 {
			end = a.kept[i-1].at
		}
	}
	return 0, outOfMemory(a.dev.Name(), operator, bytes, a.Used(), a.size)
}

// Drop releases the part that Keep returned at p; other addresses are ignored.
func (a *Arena) Drop(p Ptr) {
	a.kept = slices.DeleteFunc(a.kept, func(k kept) bool { return k.at == a.Place(p) })
}
