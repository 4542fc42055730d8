package hash

import "gsql/gpu"

// tuning decides into how many windows direct tables are cut. Measured on an H200 with 2^24
// entries and 2^28 probe rows: 4.6 ms as one, 3.1 as two, 2.9 as three, 3.2 as four, 4.2 as six.
type tuning struct {
	window int64 // bytes of a table that the level-two cache serves fast
	most   int64 // windows, beyond which reading all rows for each costs more than it saves
}

var tuned = tuning{window: 24 << 20, most: 6}

// window is entries [first, first+entries) of a direct table. Launches over a table larger
// than the cache go through all rows once for each, in order, so that the random accesses are
// to the cache. Hash tables gain nothing so: most of a probe's time is not the access.
type window struct{ first, entries uint64 }

// windows cuts the table for launches over so many rows; one is all of it, as where they are so
// few that they touch little of it.
func (tab *table) windows(rows int64) []window {
	if !tab.direct {
		return []window{{}}
	}
	n := (4*int64(tab.span) + tuned.window - 1) / tuned.window
	if n > tuned.most || uint64(rows) < tab.span/8 {
		n = 1
	}
	var cut []window
	step := (tab.span + uint64(n) - 1) / uint64(n)
	for first := uint64(0); first < tab.span; first += step {
		cut = append(cut, window{first, min(step, tab.span-first)})
	}
	return cut
}

// arguments are those of a kernel over the table that name it.
func (tab *table) arguments(w window) []uint64 {
	if tab.direct {
		return []uint64{uint64(tab.words + gpu.Ptr(4*w.first)), tab.base + w.first, w.entries}
	}
	return []uint64{uint64(tab.words), tab.buckets}
}

// family is the name of a kernel family over the table.
func (tab *table) family(name string) string {
	if tab.direct {
		return "gsql_direct_" + name
	}
	return "gsql_hash_" + name
}
