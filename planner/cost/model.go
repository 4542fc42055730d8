package cost

import "math"

// Model prices operators on the CPU, in milliseconds of elapsed time for that
// operator alone. Prices add up: a plan costs the sum of its operators.
type Model struct{ P Profile }

const nsPerMS = 1e6

// parallelRows is how many rows of a table a worker takes at once.
const parallelRows = 16384

// par spreads ns over the workers where there are rows enough for it.
func (m *Model) par(ns, rows float64) float64 {
	w := min(float64(m.P.Workers), max(1, rows/parallelRows))
	return ns / w / nsPerMS
}

func (m *Model) open() float64 { return m.P.OpenUS / 1e3 }
func (m *Model) fork() float64 { return m.P.ForkUS / 1e3 }

// nearMiss is the share of MissNS that an access costs which the last-level cache
// answers.
const nearMiss = 0.1

// access gives the time of one random access to a structure of the given size that
// takes base ns in the fast cache. Between the caches it grows with the share of
// accesses that leave them.
func (m *Model) access(base, bytes float64) float64 {
	switch {
	case bytes <= m.P.CacheBytes:
		return base
	case bytes <= m.P.LLCBytes:
		return base + m.P.MissNS*nearMiss*(1-m.P.CacheBytes/bytes)
	}
	return base + m.P.MissNS*(nearMiss+(1-nearMiss)*(1-m.P.LLCBytes/bytes))*tlb(bytes)
}

// chase is what one random access takes that is known only after another one.
func (m *Model) chase(bytes float64) float64 { return 3 * m.access(0, bytes) }

// tlbBytes is what address translation covers.
const tlbBytes = 256 << 20

// tlb says how much dearer an access gets when the table also exceeds what address
// translation covers.
func tlb(bytes float64) float64 {
	if over := bytes / tlbBytes; over > 1 {
		return min(1+0.3*math.Log2(over), 2.5)
	}
	return 1
}

func log2(x float64) float64 { return math.Log2(max(x, 2)) }

// Scan prices reading rows of cols columns, of the given bytes in all, and
// evaluating terms expression nodes on each row.
func (m *Model) Scan(rows, cols, bytes, terms float64) float64 {
	ns := rows * (m.P.ScanNS*cols + m.P.TermNS*terms)
	if terms > 0 {
		ns += rows * m.P.FilterNS
	}
	return m.open() + max(m.par(ns, rows), bytes/m.P.StreamGBs/nsPerMS)
}

// lookupMisses is how many accesses finding a row by a key makes one after the other: to the
// index, and to what says whether the row is there.
const lookupMisses = 4

// Lookup prices finding the rows of keys values by the index of a key of a table of so many
// rows, fetching cols columns of those that there are, and evaluating terms expression nodes.
func (m *Model) Lookup(keys, rows, cols, table, terms float64) float64 {
	find := keys * (m.P.LookupNS + lookupMisses*m.access(0, table*m.P.EntryBytes))
	return m.open() + find/nsPerMS + m.par(rows*(cols*m.P.PickNS+m.P.TermNS*terms), rows)
}

// Filter prices evaluating terms expression nodes on rows and keeping some.
func (m *Model) Filter(rows, terms float64) float64 {
	return m.open() + m.par(rows*(m.P.TermNS*terms+m.P.FilterNS), rows)
}

// What dynamic filters must promise: they are not made where more than MostKept of the rows
// would stay, nor for less than LeastFilterMS.
const (
	MostKept      = 0.9
	LeastFilterMS = 0.05
)

// MakeFilter prices making a dynamic filter of rows keys.
func (m *Model) MakeFilter(rows float64) float64 {
	return m.par(rows*2*m.P.FilterNS, rows)
}

// TestFilter prices testing rows by a dynamic filter.
func (m *Model) TestFilter(rows float64) float64 {
	return m.par(rows*m.testNS(), rows)
}

func (m *Model) testNS() float64 { return 2 * m.P.FilterNS }

// FilterFirst tells whether a dynamic filter that keeps a share of the rows is better tested
// before predicates of terms expression nodes over cols columns that keep another one: by what
// a dropped row takes, its columns' reading included.
func (m *Model) FilterFirst(share, terms, cols, kept float64) bool {
	filter, preds := m.testNS()+m.P.ScanNS, m.P.TermNS*terms+m.P.ScanNS*cols
	return filter*(1-kept) < preds*(1-share)
}

// Project prices computing terms expression nodes on rows.
func (m *Model) Project(rows, terms float64) float64 {
	return m.open() + m.par(rows*m.P.TermNS*terms, rows)
}

// JoinInput is what prices of joins depend on.
type JoinInput struct {
	Build, Probe           float64 // rows of the side that is built, sorted or blocked, and of the other
	BuildWidth, ProbeWidth float64 // bytes of a row that the output needs
	BuildCols, ProbeCols   float64 // columns that the output needs
	BuildText, ProbeText   float64 // bytes of a row's text among the keys; 0: none
	Numbered               bool    // texts among the keys become integers, which Span is of
	Out                    float64 // output rows
	Pairs                  float64 // candidate pairs the keys (or ranges) give, before residual predicates
	Keys, Terms            float64 // equalities; expression nodes of the residual predicates
	BuildSorted            bool    // already ascending by the first key
	ProbeSorted            bool
	Unique                 bool    // hardly two build rows have equal keys
	Span                   float64 // the build key's values lie within so many consecutive integers; 0: unknown
	Ranges                 int     // range predicates that drive a range join
	Streamed               bool    // a range join holds the build side only
	Ranked                 bool    // it compares what no words stand for, and sorts both sides to have numbers for that
	Vectorised             bool    // a nested loop tests pairs with vector instructions
	Tested                 float64 // columns of a side that it reads for that
}

// out prices emitting the matches, checking residual predicates and materialising the
// columns, and fetching those of sides whose rows come in no order.
func (m *Model) out(j *JoinInput, build, probe fetching) float64 {
	ns := j.Pairs*(m.P.MatchNS+m.P.TermNS*j.Terms) + j.Out*m.P.GatherNS*(j.BuildCols+j.ProbeCols)
	if build == scattered {
		ns += j.Out * j.BuildCols * m.fetch(j.Build*max(j.BuildWidth, 8))
	}
	if probe == scattered {
		ns += j.Out * j.ProbeCols * m.fetch(j.Probe*max(j.ProbeWidth, 8))
	}
	return ns
}

// fetching says in which order the rows of a side are wanted.
type fetching bool

const (
	inOrder   fetching = false
	scattered fetching = true
)

// unless gives scattered unless the rows come in order.
func unless(ordered bool) fetching { return fetching(!ordered) }

// fetch is what one random access adds to a loop that only fetches from so many bytes.
func (m *Model) fetch(bytes float64) float64 { return m.access(0, bytes) * m.P.InFlight }

// Bytes that the texts of a row take: textBytes in what a table keeps of a text key to compare it,
// and longText, above which that does not say all of most of them, header included.
const (
	textBytes = 16
	longText  = 16 + defaultStrLen
)

// codeText prices making numbers or hashes of the text among the keys.
func (m *Model) codeText(j *JoinInput) float64 {
	switch {
	case j.BuildText == 0:
		return 0
	case j.Numbered:
		return m.P.NumberNS * (2*j.Build + j.Probe)
	}
	return m.P.TextNS * (2*j.Build + j.Probe)
}

// textTable is the size of a hash table with the texts of its keys.
func (m *Model) textTable(j *JoinInput) float64 {
	return m.tableBytes(j.Build, j.Keys) + j.Build*(textBytes+j.BuildText)
}

// hashedText tells whether the texts of pairs have to be compared.
func (j *JoinInput) hashedText() bool { return j.BuildText > 0 && !j.Numbered }

// disordered is how much dearer comparing texts is that come in no order.
const disordered = 1.5

// text prices hashing the text among the keys and comparing it for each pair with what a table
// keeps of it.
func (m *Model) text(j *JoinInput) float64 {
	ns := m.codeText(j)
	if j.hashedText() {
		ns += j.Pairs * m.access(m.P.TextNS*disordered, j.Build*textBytes)
		if j.BuildText > longText {
			ns += j.Pairs * m.chase(m.textTable(j))
		}
	}
	return ns
}

// roundText does so where a side's texts are in the order of partitions, and those of the other
// side in a round.
func (m *Model) roundText(j *JoinInput) float64 {
	const roundRows = 4 // for each of the build side
	ns := m.codeText(j)
	if j.hashedText() {
		round := min(j.Probe, roundRows*j.Build) * j.ProbeText
		ns += j.Probe*m.P.GatherNS + j.Pairs*m.access(m.P.TextNS, round) + j.Build*m.chase(m.textTable(j))
	}
	return ns
}

// collectedText does so where both sides are collected.
func (m *Model) collectedText(j *JoinInput) float64 {
	ns := m.codeText(j)
	if j.hashedText() {
		ns += m.P.TextNS*j.Probe + j.Pairs*(m.access(m.P.TextNS, j.Build*j.BuildText)+m.access(m.P.TextNS, j.Probe*j.ProbeText))
	}
	return ns
}

// tableBytes is the size of a hash table over rows.
func (m *Model) tableBytes(rows, keys float64) float64 {
	return rows * (m.P.EntryBytes + 8*max(0, keys-1))
}

// What inserting a row into a hash table beyond the cache and looking one up take of the price of
// a random access: inserting reads and writes, and lookups have several accesses in flight.
const (
	insertMisses = 1.5
	probeMisses  = 0.5
)

// directSlots is how many slots a row of a directly addressed table may take; above it
// keys are hashed.
const directSlots = 4

// HashJoin prices building one table over the build side and probing it. A single
// integer key with few gaps addresses the table directly.
func (m *Model) HashJoin(j *JoinInput) float64 {
	var build, probe float64
	if j.Keys == 1 && j.Span > 0 && j.Span <= directSlots*j.Build {
		build, probe = m.P.DenseNS, m.P.DenseNS/4
		if !j.BuildSorted {
			build += m.fetch(4 * j.Span)
		}
		if !j.ProbeSorted {
			probe += m.fetch(4 * j.Span)
		}
		if !j.Unique { // lists of rows
			build += 3 * m.P.DenseNS
			probe += m.P.DenseNS/4 + m.fetch(4*j.Build)
		}
	} else {
		t := m.tableBytes(j.Build, j.Keys)
		build, probe = m.P.BuildNS+insertMisses*m.access(0, t), m.P.ProbeNS+probeMisses*m.access(0, t)
	}
	build = j.Build * (build + m.P.GatherNS*j.BuildCols + m.P.TermNS*j.Keys)
	probe = j.Probe * (probe + m.P.TermNS*j.Keys)
	out := m.out(j, unless(j.BuildSorted && j.ProbeSorted), inOrder)
	return m.open() + 2*m.fork() + m.par(build, j.Build) + m.par(probe+out+m.text(j), max(j.Probe, j.Out))
}

// buildTimes is how much dearer building a row is than having one stream past.
const buildTimes = 2

// StreamedShare gives the share of a join's price that rows streaming past or coming out
// make, not those that are built before.
func StreamedShare(streamed, built float64) float64 {
	return streamed / max(1, streamed+buildTimes*built)
}

// LeastHashJoin is what a hash join costs at least.
func (m *Model) LeastHashJoin() float64 { return m.open() + 2*m.fork() }

// What a radix join takes of BuildNS to insert a row into the table of a partition, which is small and
// without gaps, and by how much of PartitionNS a key or column of the build side is dearer that is
// dealt out to more than one.
const (
	small = 0.4
	dealt = 2.5
)

// RadixJoin prices partitioning both sides until a partition's table fits the cache
// and joining partition by partition. The build side's columns are partitioned, too, and those
// of the probe side lie in rounds that are short enough: what is fetched of either is near.
func (m *Model) RadixJoin(j *JoinInput) float64 {
	t := m.tableBytes(j.Build, j.Keys)
	passes := max(1, math.Ceil(math.Log(max(t/m.P.CacheBytes, 2))/math.Log(m.P.FanOut)))
	rows := j.Build + j.Probe
	part := rows * m.P.PartitionNS * (passes + 0.25*(j.Keys-1))
	if t > m.P.CacheBytes {
		part += j.Build * (passes*m.P.PartitionNS*dealt*(1+j.BuildCols) + m.access(0, min(t, tlbBytes)))
	}
	materialise := m.P.GatherNS * (j.Build*j.BuildCols + j.Probe*j.ProbeCols)
	join := j.Build*(m.P.BuildNS*small+m.P.TermNS*j.Keys) + j.Probe*(m.P.ProbeNS+m.P.TermNS*j.Keys)
	out := m.out(j, inOrder, inOrder) + m.roundText(j)
	return m.open() + (2+2*passes)*m.fork() + m.par(part+materialise+join+out, rows)
}

func (m *Model) sortInput(rows, cols float64, sorted bool) float64 {
	return m.collectSorting(rows, cols, m.P.SortNS, sorted)
}

// collectSorting prices collecting cols columns of rows and sorting them at a price per row
// and doubling.
func (m *Model) collectSorting(rows, cols, sortNS float64, sorted bool) float64 {
	ns := rows * m.P.GatherNS * cols
	if sorted {
		return ns + rows*m.P.CheckNS
	}
	return ns + rows*sortNS*log2(rows)
}

// MergeJoin prices sorting what is not sorted and merging. Workers share rows and pairs evenly, also
// where keys are not.
func (m *Model) MergeJoin(j *JoinInput) float64 {
	sort := m.collectSorting(j.Build, j.BuildCols, m.P.KeySortNS, j.BuildSorted) + m.collectSorting(j.Probe, j.ProbeCols, m.P.KeySortNS, j.ProbeSorted)
	rows := j.Build + j.Probe
	keys := max(1, j.Keys)
	out := m.out(j, unless(j.BuildSorted), unless(j.ProbeSorted)) + m.collectedText(j)
	return m.open() + 3*m.fork() + m.par(sort*keys, rows) + m.par(rows*m.P.MergeNS*keys+out, max(rows, j.Out))
}

// RangeJoin prices sorting and locating ranges: with one range predicate the partners are a run
// of the sorted side, with more rows are entered in the order of another (IEJoin), or where one
// side streams a tree is searched. Equality keys divide the sorted side.
func (m *Model) RangeJoin(j *JoinInput) float64 {
	if j.Streamed {
		ranges := float64(j.Ranges)
		sort := m.sortInput(j.Build, j.BuildCols, j.BuildSorted) + 2*ranges*j.Build*m.P.GatherNS
		find := j.Probe * ranges * (m.access(m.P.RangeNS, 12*j.Build) + 2*m.P.ProbeNS + m.P.TermNS)
		if j.Ranges >= 2 {
			find += 2 * j.Out * m.P.RangeNS
		}
		return m.open() + m.fork() + m.par(sort, j.Build) + m.par(find+m.out(j, scattered, inOrder), max(j.Probe, j.Out))
	}
	sort := m.sortInput(j.Build, j.BuildCols, j.BuildSorted)
	find := j.Probe * m.P.RangeNS * log2(j.Build)
	if j.Keys > 0 {
		sort += j.Keys*(j.Build+j.Probe)*m.P.KeySortNS*log2(j.Build+j.Probe) + j.Probe*m.P.GatherNS*j.ProbeCols
		find += j.Probe * m.P.RangeNS * log2(j.Build)
	}
	if j.Ranked {
		find += float64(j.Ranges) * (j.Build + j.Probe) * m.P.SortNS * log2(j.Build+j.Probe)
	}
	if j.Ranges >= 2 {
		sort += j.Build*m.P.SortNS*log2(j.Build) + 2*j.Probe*m.P.SortNS*log2(j.Probe)
		find += (j.Probe + float64(m.P.Workers)*j.Build) * sweptRows * m.P.RangeNS
	}
	if j.Ranges >= 3 {
		find += j.Pairs * m.P.RangeNS * log2(j.Build)
	}
	forks := 3 + keyedForks*j.Keys
	return m.open() + forks*m.fork() + m.par(sort, j.Build) + m.par(find+m.collectedText(j)+m.out(j, scattered, inOrder), max(j.Probe, j.Out))
}

// keyedForks is how often as much as starting the workers dividing rows by an equality key takes
// before the first row.
const keyedForks = 12

// sweptRows is how many times RangeNS entering a row into what is swept over costs.
const sweptRows = 32

// firstPairs is as how many pairs each row of a nested loop counts.
const firstPairs = 4

// NestedLoop prices comparing all pairs. Terms counts the nodes of all predicates.
func (m *Model) NestedLoop(j *JoinInput) float64 {
	rows, against := j.Probe, j.Build
	if against < tileRows { // tiles are made of batches of the probe side
		rows, against = against, rows
	}
	ns := m.pairsNS(rows, against, j.Terms, j.Vectorised) + j.Out*(m.P.MatchNS+m.P.GatherNS*(j.BuildCols+j.ProbeCols)) + j.Build*m.P.GatherNS*j.BuildCols
	if j.Vectorised {
		tiles := max(1, rows*math.Ceil(against/tileRows))
		ns += (j.Build+j.Probe)*m.P.PackNS*j.Tested - tiles*foundNS*math.Expm1(-j.Out/tiles)
	} else {
		ns += (j.Build + j.Probe) * (m.P.LoopNS + firstPairs*m.P.PairNS*j.Terms)
	}
	return m.open() + m.fork() + m.par(ns, j.Probe)
}

// HashAgg prices grouping rows into groups with keys key columns and aggs aggregates
// (terms expression nodes in their arguments).
func (m *Model) HashAgg(rows, groups, keys, aggs, terms float64) float64 {
	ns := rows * (m.P.AggNS*aggs + m.P.TermNS*terms)
	if keys > 0 {
		bytes := groups * (m.P.EntryBytes + 8*keys + 16*aggs)
		if bytes > m.P.CacheBytes { // each worker has a table, and they share what is behind
			bytes *= min(float64(m.P.Workers), max(1, rows/parallelRows))
		}
		ns += rows*(m.access(m.P.GroupNS, bytes)+m.P.TermNS*keys) + groups*m.P.BuildNS*float64(m.P.Workers)
	}
	return m.open() + m.fork() + m.par(ns, rows)
}

// sharedTexts is how many texts are so few that parts of a table have dictionaries of them: what is
// done with one is done once for many rows.
const sharedTexts = 1 << 13

// GroupText prices hashing the texts, of so many bytes a row, among what rows are grouped by and
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

// Collect prices making cols columns of rows ready for an operator that needs its whole
// input.
func (m *Model) Collect(rows, cols float64) float64 {
	return m.par(rows*m.P.GatherNS*cols, rows)
}

// Emit prices making the output of a join whose row pairs are found elsewhere, in no
// order.
func (m *Model) Emit(j *JoinInput) float64 {
	return m.open() + m.par(m.out(j, scattered, scattered), max(j.Pairs, j.Out))
}
