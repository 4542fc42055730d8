package cost

import "math"

// Model prices operators on the CPU, in milliseconds of elapsed time for that
// operator alone. Prices add up: a plan costs the sum of its operators.
type Model struct{ P Profile }

const nsPerMS = 1e6

// parallelRows is the number of rows of a table that a worker takes at once.
const parallelRows = 16384

// par divides ns among the workers if there are enough rows.
func (m *Model) par(ns, rows float64) float64 {
	w := min(float64(m.P.Workers), max(1, rows/parallelRows))
	return ns / w / nsPerMS
}

func (m *Model) open() float64 { return m.P.OpenUS / 1e3 }
func (m *Model) fork() float64 { return m.P.ForkUS / 1e3 }

// nearMiss is the share of MissNS that an access costs if it hits the last-level cache.
const nearMiss = 0.1

// access returns the time of one random access to a structure of the given size that takes base
// ns in the fast cache. Between cache sizes it grows with the share of accesses that miss the
// smaller one.
func (m *Model) access(base, bytes float64) float64 {
	switch {
	case bytes <= m.P.CacheBytes:
		return base
	case bytes <= m.P.LLCBytes:
		return base + m.P.MissNS*nearMiss*(1-m.P.CacheBytes/bytes)
	}
	return base + m.P.MissNS*(nearMiss+(1-nearMiss)*(1-m.P.LLCBytes/bytes))*tlb(bytes)
}

// chase returns the time of a random access whose address depends on a previous access.
func (m *Model) chase(bytes float64) float64 { return 3 * m.access(0, bytes) }

// tlbBytes is the amount of memory that address translation covers.
const tlbBytes = 256 << 20

// tlb returns the factor by which an access gets more expensive if the table also exceeds
// tlbBytes.
func tlb(bytes float64) float64 {
	if over := bytes / tlbBytes; over > 1 {
		return min(1+0.3*math.Log2(over), 2.5)
	}
	return 1
}

func log2(x float64) float64 { return math.Log2(max(x, 2)) }

// Scan prices reading rows of cols columns, of the given bytes in total, and evaluating terms
// expression nodes on each row.
func (m *Model) Scan(rows, cols, bytes, terms float64) float64 {
	ns := rows * (m.P.ScanNS*cols + m.P.TermNS*terms)
	if terms > 0 {
		ns += rows * m.P.FilterNS
	}
	return m.open() + max(m.par(ns, rows), bytes/m.P.StreamGBs/nsPerMS)
}

// lookupMisses is the number of dependent accesses that finding a row by a key takes: to the
// index, and to the record of whether the row exists.
const lookupMisses = 4

// Lookup prices finding the rows of keys values by a key's index in a table of the given number
// of rows, fetching cols columns of the rows found, and evaluating terms expression nodes.
func (m *Model) Lookup(keys, rows, cols, table, terms float64) float64 {
	find := keys * (m.P.LookupNS + lookupMisses*m.access(0, table*m.P.EntryBytes))
	return m.open() + find/nsPerMS + m.par(rows*(cols*m.P.PickNS+m.P.TermNS*terms), rows)
}

// Fetch prices reading cols columns of rows of a table, which has so many rows, by their places.
func (m *Model) Fetch(rows, cols, table float64) float64 {
	return m.par(rows*cols*(m.P.PickNS+m.access(0, table*m.P.EntryBytes)), rows)
}

// Filter prices evaluating terms expression nodes on rows and keeping some of the rows.
func (m *Model) Filter(rows, terms float64) float64 {
	return m.open() + m.par(rows*(m.P.TermNS*terms+m.P.FilterNS), rows)
}

// Minimum benefits of dynamic filters: none is made if more than MostKept of the rows would stay,
// or if it saves less than LeastFilterMS.
const (
	MostKept      = 0.9
	LeastFilterMS = 0.05
)

// MakeFilter prices making a dynamic filter from the given number of keys.
func (m *Model) MakeFilter(rows float64) float64 {
	return m.par(rows*2*m.P.FilterNS, rows)
}

// TestFilter prices testing rows against a dynamic filter.
func (m *Model) TestFilter(rows float64) float64 {
	return m.par(rows*m.testNS(), rows)
}

func (m *Model) testNS() float64 { return 2 * m.P.FilterNS }

// FilterFirst reports whether a dynamic filter that keeps the given share of the rows should be
// tested before predicates of terms expression nodes over cols columns that keep the share kept.
// It compares the times per dropped row, including reading its columns.
func (m *Model) FilterFirst(share, terms, cols, kept float64) bool {
	filter, preds := m.testNS()+m.P.ScanNS, m.P.TermNS*terms+m.P.ScanNS*cols
	return filter*(1-kept) < preds*(1-share)
}

// Project prices computing terms expression nodes on rows.
func (m *Model) Project(rows, terms float64) float64 {
	return m.open() + m.par(rows*m.P.TermNS*terms, rows)
}

func (m *Model) sortInput(rows, cols float64, sorted bool) float64 {
	return m.collectSorting(rows, cols, m.P.SortNS, sorted)
}

// collectSorting prices collecting cols columns of rows and sorting them at sortNS per row and
// doubling.
func (m *Model) collectSorting(rows, cols, sortNS float64, sorted bool) float64 {
	ns := rows * m.P.GatherNS * cols
	if sorted {
		return ns + rows*m.P.CheckNS
	}
	return ns + rows*sortNS*log2(rows)
}

// HashAgg prices grouping rows into groups with keys key columns and aggs aggregates
// (terms expression nodes in their arguments).
func (m *Model) HashAgg(rows, groups, keys, aggs, terms float64) float64 {
	ns := rows * (m.P.AggNS*aggs + m.P.TermNS*terms)
	if keys > 0 {
		bytes := groups * (m.P.EntryBytes + 8*keys + 16*aggs)
		if bytes > m.P.CacheBytes { // each worker has a table, and they share the outer caches
			bytes *= min(float64(m.P.Workers), max(1, rows/parallelRows))
		}
		ns += rows*(m.access(m.P.GroupNS, bytes)+m.P.TermNS*keys) + groups*m.P.BuildNS*float64(m.P.Workers)
	}
	return m.open() + m.fork() + m.par(ns, rows)
}

// sharedTexts is the number of texts up to which parts of a table have dictionaries of them, so
// that work on one text serves many rows.
const sharedTexts = 1 << 13

// GroupText prices hashing the texts among the grouping keys, of the given bytes per row, and
// comparing them with those of the groups.
func (m *Model) GroupText(rows, groups, text float64) float64 {
	if text == 0 || groups <= sharedTexts {
		return 0
	}
	return m.par(rows*(m.P.TextNS+m.access(m.P.TextNS, groups*textBytes)), rows)
}

// Sort prices a full sort of rows with cols columns materialised.
func (m *Model) Sort(rows, keys, cols float64, sorted bool) float64 {
	return m.open() + m.fork() + m.par(m.sortInput(rows, cols, sorted)*(1+0.3*(keys-1)), rows)
}

// elsewhere is the share of a full sort's time that the host takes if devices sort the codes of its keys: it
// collects rows, makes codes, and fetches the rows in a random order. With the prices of the links and the devices, it
// makes the sort of 2^27 rows on two H100s and 32 cores 0.87 times as expensive as the CPU's; it took 0.69 and 0.87
// times as long (docs/measurements/2026-11-27.md).
const elsewhere = 0.5

// SortElsewhere prices what a full sort of rows costs the host if a device sorts the codes of its keys.
func (m *Model) SortElsewhere(rows, keys, cols float64) float64 {
	return elsewhere * m.Sort(rows, keys, cols, false)
}

// Window prices sorting rows by keys and computing funcs window functions over them,
// with terms expression nodes in their arguments.
func (m *Model) Window(rows, keys, cols, funcs, terms float64) float64 {
	ns := rows * (m.P.GatherNS*cols + m.P.AggNS*funcs + m.P.TermNS*terms)
	if keys > 0 {
		ns = m.sortInput(rows, cols, false)*(1+0.3*(keys-1)) + rows*(m.P.AggNS*funcs+m.P.TermNS*terms)
	}
	return m.open() + 2*m.fork() + m.par(ns, rows)
}

// TopN prices keeping the first n of rows in a heap.
func (m *Model) TopN(rows, n, keys, cols float64) float64 {
	entering := min(rows, n*(1+math.Log(max(rows/max(n, 1), 1))))
	ns := rows*m.P.FilterNS*keys + entering*(m.P.SortNS*log2(n)+m.P.GatherNS*cols)
	return m.open() + m.par(ns, rows)
}

// Limit prices passing rows on.
func (m *Model) Limit() float64 { return m.open() }

// SetOp prices a set operation that hashes l + r rows of cols columns, or, with
// hashed false, only passes them on.
func (m *Model) SetOp(l, r, cols float64, hashed bool) float64 {
	if !hashed {
		return m.open()
	}
	return m.HashAgg(l+r, l+r, cols, 0, 0)
}

// Collect prices materialising cols columns of rows for an operator that needs its whole input.
func (m *Model) Collect(rows, cols float64) float64 {
	return m.par(rows*m.P.GatherNS*cols, rows)
}

// Partition prices one pass of radix partitioning.
func Partition(m *Model, rows float64) float64 {
	return m.open() + 2*m.fork() + m.par(rows*m.P.PartitionNS, rows)
}

// Emit prices making the output of a join whose row pairs are found elsewhere, in no order.
func (m *Model) Emit(j *JoinInput) float64 {
	return m.open() + m.par(m.out(j, scattered, scattered), max(j.Pairs, j.Out))
}
