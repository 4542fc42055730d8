package cost

// Profile describes the CPU by the rates of its inner loops. Times are nanoseconds of one worker
// unless a field's comment says otherwise; the model divides work that runs on all workers by Workers.
// Default holds what bench/crossover measured; docs/benchmarks.md compares the algorithms with
// each other.
type Profile struct {
	Workers int // goroutines

	// Caches and memory.
	CacheBytes float64 // fast cache of one worker: a hash table or partition that fits is probed at ProbeNS
	LLCBytes   float64 // last-level cache, shared
	StreamGBs  float64 // sequential read bandwidth of all workers together

	// Fixed prices.
	OpenUS float64 // opening an operator
	ForkUS float64 // starting the workers of a pipeline breaker, or launching a kernel

	// Scanning and computing.
	ScanNS   float64 // per value delivered to the first operator (widening, dictionary views)
	LookupNS float64 // per value looked up in the index of a key, by one worker
	PickNS   float64 // per value fetched from a row that an index finds
	TermNS   float64 // per row and node of a compiled expression
	FilterNS float64 // per row for keeping or dropping it after its predicate is evaluated
	GatherNS float64 // per value materialised through an index vector, in cache
	MissNS   float64 // added to one random access beyond the last-level cache, with independent accesses in flight
	InFlight float64 // share of MissNS that remains in loops that only fetch: more of their accesses are in flight

	// Equality joins and grouping.
	BuildNS     float64 // per row inserted into a hash table that fits CacheBytes
	ProbeNS     float64 // per row looked up in a table that fits CacheBytes
	EntryBytes  float64 // bytes of a row in a hash table, without its payload
	DenseNS     float64 // per row entered into a directly addressed table; a lookup takes a quarter
	TextNS      float64 // per text key hashed, compared, or kept for a comparison, in cache
	NumberNS    float64 // per text key that becomes an integer
	PartitionNS float64 // per row and pass of radix partitioning (key, hash and row number moved)
	FanOut      float64 // partitions that one pass can make
	SortNS      float64 // per row and doubling of the row count, sorting keys with row numbers
	KeySortNS   float64 // the same for words that are radix-sorted
	CheckNS     float64 // per row for checking whether the input is already sorted
	MergeNS     float64 // per row advanced in a merge
	MatchNS     float64 // per pair of row numbers emitted

	// Joins without equality.
	PairNS   float64 // per pair and conjunct of a blocked nested loop
	LoopNS   float64 // per row of either side, in addition to its pairs
	PackNS   float64 // per value prepared for tests by vector instructions
	VectorNS float64 // per pair and expression node tested by programs; WithVectors adapts it to the vector registers
	RangeNS  float64 // per row for locating its range in a sorted input, per doubling of that input's rows

	// Aggregation.
	GroupNS float64 // per row for finding its group in a table that fits CacheBytes
	AggNS   float64 // per row and aggregate
}

// WithVectors returns p for vector registers of the given number of bits, or without vector
// instructions if bits is 0. The rates come from sums, products, comparisons and remainders of
// integers on one core of an AMD EPYC (Zen 5).
func (p Profile) WithVectors(bits int) Profile {
	switch {
	case bits >= 512:
		p.VectorNS = 0.03
	case bits >= 256:
		p.VectorNS = 0.04
	default:
		p.VectorNS = 0.6
	}
	return p
}

// Default returns the profile of a current server core with 1 MB of L2 and a share of 16 MB of
// the last-level cache, for the given number of workers, with vectors of 512 bits. The rates of
// equality joins, nested loops and range joins make the algorithms of bench/crossover overtake
// each other where they do in bench/results/crossover: tables of 4 to 10^7 rows with 10^4 to 10^7
// others, by dense, sparse and ascending integers, short and long text. They were fitted to
// processor times of one worker on an Intel Xeon with AMX. Those of random accesses were fitted
// earlier to times on an AMD EPYC (Zen 5), and are still close to them. Lookup rates come from
// tables of 10^4 to 10^6 rows with keys of integers and text (storage.BenchmarkLookup): index
// joins break even with hash joins at about 200, 10^3 and 10^4 keys, and at three times as many
// keys of text.
func Default(workers int) Profile {
	return Profile{
		Workers:    max(workers, 1),
		CacheBytes: 1 << 20, LLCBytes: 16 << 20, StreamGBs: 20 * float64(max(workers, 1)),
		OpenUS: 0.5, ForkUS: 4,
		ScanNS: 0.5, LookupNS: 110, PickNS: 20, TermNS: 0.7, FilterNS: 0.8, GatherNS: 1.2, MissNS: 45, InFlight: 0.3,
		BuildNS: 45, ProbeNS: 3, EntryBytes: 24, DenseNS: 5, TextNS: 10, NumberNS: 3, PartitionNS: 4, FanOut: 256,
		SortNS: 2.5, KeySortNS: 1.2, CheckNS: 1, MergeNS: 8, MatchNS: 1.5,
		PairNS: 0.6, LoopNS: 20, PackNS: 5, VectorNS: 0.03, RangeNS: 1.5,
		GroupNS: 6, AggNS: 1.5,
	}
}
