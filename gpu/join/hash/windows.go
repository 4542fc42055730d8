package hash

import "gsql/gpu"

// tuning determines into how many windows direct tables are divided. Measured on an H200 with 2^24
// entries and 2^28 probe rows: 4.6 ms with one window, 3.1 with two, 2.9 with three, 3.2 with four,
// 4.2 with six.
type tuning struct {
	window int64 // bytes of a table that the level-two cache serves quickly
	most   int64 // number of windows beyond which reading all rows for each costs more than it saves
}

var tuned = tuning{window: 24 << 20, most: 6}

// window is entries [first, first+entries) of a direct table. Launches over a table larger than the
// cache read all rows once for each window, in order, so that the random accesses hit the cache.
// Hash tables do not gain from this: most of a probe's time is not spent on the access.
type window struct{ first, entries uint64 }

// windows divides the table for launches over the given number of rows. Small tables, and tables of
// which few rows touch little, have a single window.
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

// arguments returns the kernel arguments that describe the table.
func (tab *table) arguments(w window) []uint64 {
	if tab.direct {
		return []uint64{uint64(tab.words + gpu.Ptr(4*w.first)), tab.base + w.first, w.entries}
	}
	return []uint64{uint64(tab.words), tab.buckets}
}

// family returns the name of a kernel family over the table.
func (tab *table) family(name string) string {
	if tab.direct {
		return "gsql_direct_" + name
	}
	return "gsql_hash_" + name
}
