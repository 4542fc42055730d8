package cost

import "math"

// JoinInput holds the inputs of the prices of joins.
type JoinInput struct {
	Build, Probe           float64 // rows of the side that is built, sorted or blocked, and of the other side
	BuildWidth, ProbeWidth float64 // bytes of a row that the output uses
	BuildCols, ProbeCols   float64 // columns that the output uses
	BuildText, ProbeText   float64 // bytes of text among the keys of a row; 0: none
	Numbered               bool    // texts among the keys become integers, which Span describes
	Out                    float64 // output rows
	Pairs                  float64 // candidate pairs that the keys (or ranges) yield, before residual predicates
	Keys, Terms            float64 // equalities; expression nodes of the residual predicates
	BuildSorted            bool    // already ascending by the first key
	ProbeSorted            bool
	Unique                 bool    // few build rows have equal keys
	Span                   float64 // the build key's values lie within this many consecutive integers; 0: unknown
	Ranges                 int     // range predicates that drive a range join
	Streamed               bool    // a range join holds only the build side
	Ranked                 bool    // the join compares values that have no integer representation, and sorts both sides to number them
	Vectorised             bool    // a nested loop tests pairs with vector instructions
	Tested                 float64 // columns of each side read by pair tests, whether driving or residual
}

// out prices emitting the matches, checking residual predicates and materialising the columns,
// including random fetches from sides whose rows come in no order.
func (m *Model) out(j *JoinInput, build, probe fetching) float64 {
	ns := j.Pairs*(m.P.MatchNS+m.P.TermNS*j.Terms+2*m.P.GatherNS*j.Tested) + j.Out*m.P.GatherNS*(j.BuildCols+j.ProbeCols)
	if build == scattered {
		ns += j.Out * j.BuildCols * fetch(m, j.Build*max(j.BuildWidth, 8))
	}
	if probe == scattered {
		ns += j.Out * j.ProbeCols * fetch(m, j.Probe*max(j.ProbeWidth, 8))
	}
	return ns
}

// missedTested is the share of fetches for residual predicates that miss all caches: rows with
// equal keys are often adjacent, including in files, whose order is mostly unknown.
const missedTested = 0.5

// testedFetches prices fetching the columns that residual predicates read from a side with the
// given number of rows; times is the number of fetches per column.
func testedFetches(m *Model, times, rows, columns float64, order fetching) float64 {
	if order == inOrder {
		return 0
	}
	return missedTested * times * columns * fetch(m, 8*rows)
}

// fetching is the order in which the rows of a side are fetched.
type fetching bool

const (
	inOrder   fetching = false
	scattered fetching = true
)

// unless returns inOrder if the rows come in order, else scattered.
func unless(ordered bool) fetching { return fetching(!ordered) }

// fetch returns the time that one random access adds to a loop that only fetches, from a
// structure of the given size.
func fetch(m *Model, bytes float64) float64 { return m.access(0, bytes) * m.P.InFlight }

// Sizes of the texts of a row: textBytes is what a table stores of a text key for comparisons,
// and longText is the size, header included, above which that is not enough to compare most keys.
const (
	textBytes = 16
	longText  = 16 + defaultStrLen
)

// codeText prices converting the text among the keys to numbers or hashes.
func codeText(m *Model, j *JoinInput) float64 {
	switch {
	case j.BuildText == 0:
		return 0
	case j.Numbered:
		return m.P.NumberNS * (2*j.Build + j.Probe)
	}
	return m.P.TextNS * (2*j.Build + j.Probe)
}

// textTable returns the size of a hash table including the texts of its keys.
func textTable(m *Model, j *JoinInput) float64 {
	return tableBytes(m, j.Build, j.Keys) + j.Build*(textBytes+j.BuildText)
}

// hashedText reports whether the texts of pairs must be compared.
func (j *JoinInput) hashedText() bool { return j.BuildText > 0 && !j.Numbered }

// disordered is the factor by which comparing texts that come in no order is more expensive.
const disordered = 1.5

// text prices hashing the text among the keys and comparing it, for each pair, with the part that
// a table stores.
func text(m *Model, j *JoinInput) float64 {
	ns := codeText(m, j)
	if j.hashedText() {
		ns += j.Pairs * m.access(m.P.TextNS*disordered, j.Build*textBytes)
		if j.BuildText > longText {
			ns += j.Pairs * m.chase(textTable(m, j))
		}
	}
	return ns
}

// roundText prices the same if one side's texts are in partition order and the other side's lie
// within a round.
func roundText(m *Model, j *JoinInput) float64 {
	const roundRows = 4 // per row of the build side
	ns := codeText(m, j)
	if j.hashedText() {
		round := min(j.Probe, roundRows*j.Build) * j.ProbeText
		ns += j.Probe*m.P.GatherNS + j.Pairs*m.access(m.P.TextNS, round) + j.Build*m.chase(textTable(m, j))
	}
	return ns
}

// collectedText prices the same if both sides are collected.
func collectedText(m *Model, j *JoinInput) float64 {
	ns := codeText(m, j)
	if j.hashedText() {
		ns += m.P.TextNS*j.Probe + j.Pairs*(m.access(m.P.TextNS, j.Build*j.BuildText)+m.access(m.P.TextNS, j.Probe*j.ProbeText))
	}
	return ns
}

// tableBytes returns the size of a hash table over rows.
func tableBytes(m *Model, rows, keys float64) float64 {
	return rows * (m.P.EntryBytes + 8*max(0, keys-1))
}

// Cost of inserting a row into a hash table beyond the cache and of looking one up, as factors of
// the price of a random access: an insertion reads and writes, and lookups have several accesses
// in flight.
const (
	insertMisses = 1.5
	probeMisses  = 0.5
)

// directSlots is the maximum number of slots per row of a directly addressed table; above it keys
// are hashed.
const directSlots = 4

// HashJoin prices building one table over the build side and probing it. A single
// integer key with few gaps addresses the table directly.
func (m *Model) HashJoin(j *JoinInput) float64 {
	var build, probe float64
	if j.Keys == 1 && j.Span > 0 && j.Span <= directSlots*j.Build {
		build, probe = m.P.DenseNS, m.P.DenseNS/4
		if !j.BuildSorted {
			build += fetch(m, 4*j.Span)
		}
		if !j.ProbeSorted {
			probe += fetch(m, 4*j.Span)
		}
		if !j.Unique { // lists of rows
			build += 3 * m.P.DenseNS
			probe += m.P.DenseNS/4 + fetch(m, 4*j.Build)
		}
	} else {
		t := tableBytes(m, j.Build, j.Keys)
		build, probe = m.P.BuildNS+insertMisses*m.access(0, t), m.P.ProbeNS+probeMisses*m.access(0, t)
	}
	build = j.Build * (build + m.P.GatherNS*j.BuildCols + m.P.TermNS*j.Keys)
	probe = j.Probe * (probe + m.P.TermNS*j.Keys)
	built := unless(j.BuildSorted && j.ProbeSorted)
	out := m.out(j, built, inOrder) + testedFetches(m, j.Pairs, j.Build, j.Tested, built)
	return m.open() + 2*m.fork() + m.par(build, j.Build) + m.par(probe+out+text(m, j), max(j.Probe, j.Out))
}

// buildTimes is the factor by which building a row is more expensive than streaming one.
const buildTimes = 2

// StreamedShare returns the share of a join's price that is due to rows streaming through or
// coming out, as opposed to rows built beforehand.
func StreamedShare(streamed, built float64) float64 {
	return streamed / max(1, streamed+buildTimes*built)
}

// LeastHashJoin returns the minimum price of a hash join.
func (m *Model) LeastHashJoin() float64 { return m.open() + 2*m.fork() }

// Factors for radix joins: small of BuildNS for inserting a row into the table of a partition,
// which is small and without gaps; dealt of PartitionNS for a key or column of a build side that
// is split into more than one partition.
const (
	small = 0.4
	dealt = 2.5
)

// Fixed prices of joins that collect both sides, in multiples of starting the workers.
const (
	radixForks = 8 // besides two for each pass
	mergeForks = 5
)

// RadixJoin prices partitioning both sides until a partition's table fits the cache and joining
// partition by partition. The build side's columns are partitioned too, and the probe side's lie
// in short rounds, so fetches from either side are near.
func (m *Model) RadixJoin(j *JoinInput) float64 {
	t := tableBytes(m, j.Build, j.Keys)
	passes := max(1, math.Ceil(math.Log(max(t/m.P.CacheBytes, 2))/math.Log(m.P.FanOut)))
	rows := j.Build + j.Probe
	part := rows * m.P.PartitionNS * (passes + 0.25*(j.Keys-1))
	if t > m.P.CacheBytes {
		part += j.Build * (passes*m.P.PartitionNS*dealt*(1+j.BuildCols) + m.access(0, min(t, tlbBytes)))
	}
	materialise := m.P.GatherNS * (j.Build*j.BuildCols + j.Probe*j.ProbeCols)
	join := j.Build*(m.P.BuildNS*small+m.P.TermNS*j.Keys) + j.Probe*(m.P.ProbeNS+m.P.TermNS*j.Keys)
	out := m.out(j, inOrder, inOrder) + roundText(m, j)
	return m.open() + (radixForks+2*passes)*m.fork() + m.par(part+materialise+join+out, rows)
}

// MergeJoin prices sorting the sides that are not sorted, and merging. Workers share rows and
// pairs evenly even if keys are skewed.
func (m *Model) MergeJoin(j *JoinInput) float64 {
	sort := m.collectSorting(j.Build, j.BuildCols, m.P.KeySortNS, j.BuildSorted) + m.collectSorting(j.Probe, j.ProbeCols, m.P.KeySortNS, j.ProbeSorted)
	rows := j.Build + j.Probe
	keys := max(1, j.Keys)
	build, probe := unless(j.BuildSorted), unless(j.ProbeSorted)
	out := m.out(j, build, probe) + collectedText(m, j)
	// The pairs of a key follow each other: after the first one, its rows are near.
	out += testedFetches(m, min(j.Pairs, j.Build), j.Build, j.Tested, build) + testedFetches(m, min(j.Pairs, j.Probe), j.Probe, j.Tested, probe)
	return m.open() + mergeForks*m.fork() + m.par(sort*keys, rows) + m.par(rows*m.P.MergeNS*keys+out, max(rows, j.Out))
}

// RangeJoin prices sorting and locating ranges. With one range predicate the partners are a run
// of the sorted side; with more, rows are entered in the order of another predicate (IEJoin), or
// a tree is searched if one side streams. Equality keys divide the sorted side.
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
	return m.open() + forks*m.fork() + m.par(sort, j.Build) + m.par(find+collectedText(m, j)+m.out(j, scattered, inOrder), max(j.Probe, j.Out))
}

// keyedForks is the fixed price per equality key of dividing rows by their keys, in multiples of
// starting the workers.
const keyedForks = 12

// sweptRows is the price of entering a row into the sweep structure, in multiples of RangeNS.
const sweptRows = 32

// firstPairs is the number of pairs that the fixed work per row of a nested loop is worth.
const firstPairs = 4

// NestedLoop prices comparing all pairs. Terms counts the nodes of all predicates.
func (m *Model) NestedLoop(j *JoinInput) float64 {
	rows, against := j.Probe, j.Build
	if against < tileRows { // tiles consist of batches of the probe side
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

// UnknownPairs prices testing pairs of rows with NULLs for a condition that is NULL: the operands
// of each pair are gathered, and the condition is evaluated as an ordinary expression.
func (m *Model) UnknownPairs(pairs, terms float64) float64 {
	return m.par(pairs*(m.P.MatchNS+terms*(m.P.TermNS+m.P.GatherNS)), pairs)
}

// builtUS is the time to build, open and close an operator for each run of a plan.
const builtUS = 8

// Runs prices running a plan with the given number of operators repeatedly.
func (m *Model) Runs(runs, ms, operators float64) float64 {
	return max(1, runs) * (ms + builtUS/1e3*operators)
}
