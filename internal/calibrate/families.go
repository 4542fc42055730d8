package calibrate

// family is a set of rates that are scaled by the same factor: the time of a query over its price.
type family struct {
	name  string
	sql   string
	rates []string
	// speeds is set if the rates are numbers of items in a time, which are divided by the factor.
	speeds bool
	// islands is set if the query must not run as pipelines.
	islands bool
	// sends is the number of columns of huge that the first run sends to the device. If it is not
	// 0, the measured time is the difference between the first run and later ones.
	sends int
}

// cpuFamilies are in an order in which each query's time depends on few rates but its own and those
// measured before. The tables are those of fill.
var cpuFamilies = []family{
	{name: "scan and compute", rates: []string{"ScanNS", "TermNS", "FilterNS", "AggNS"},
		sql: "SELECT SUM(x * 3 + g) FROM big WHERE x > 200000"},
	{name: "group", rates: []string{"GroupNS"},
		sql: "SELECT SUM(c) FROM (SELECT j, COUNT(*) AS c FROM big GROUP BY j) t"},
	{name: "hash table in cache", rates: []string{"BuildNS", "ProbeNS", "MatchNS", "GatherNS"},
		sql: "SELECT /*+ HASH_JOIN(little) */ SUM(little.x) FROM big JOIN little ON big.j = little.k"},
	{name: "directly addressed table", rates: []string{"DenseNS"},
		sql: "SELECT /*+ HASH_JOIN(little) */ SUM(little.x) FROM big JOIN little ON big.g = little.i"},
	{name: "random access", rates: []string{"MissNS"},
		sql: "SELECT /*+ HASH_JOIN(half) */ SUM(half.x) FROM big JOIN half ON big.k = half.k"},
	{name: "radix partitioning", rates: []string{"PartitionNS"},
		sql: "SELECT /*+ RADIX_JOIN(half) */ SUM(half.x) FROM big JOIN half ON big.k = half.k"},
	{name: "sort of keys and merge", rates: []string{"KeySortNS", "MergeNS"},
		sql: "SELECT /*+ MERGE_JOIN(half) */ SUM(half.x) FROM big JOIN half ON big.k = half.k"},
	{name: "sort", rates: []string{"SortNS"},
		sql: "SELECT SUM(r) FROM (SELECT ROW_NUMBER() OVER (ORDER BY x, k) AS r FROM half) t"},
	{name: "pairs", rates: []string{"VectorNS"},
		sql: "SELECT /*+ NL_JOIN(b) */ COUNT(*) FROM little a JOIN little b ON a.x * b.g < b.x * a.g"},
	{name: "texts", rates: []string{"TextNS"},
		sql: "SELECT SUM(c) FROM (SELECT s, COUNT(*) AS c FROM half GROUP BY s) t"},
}

// deviceFamilies are for a device. huge is on the device in the form that pipelines or joins read.
var deviceFamilies = []family{
	{name: "launch and wait", rates: []string{"LaunchUS", "WaitUS"},
		sql: "SELECT SUM(x) FROM little WHERE g < 5"},
	{name: "memory", rates: []string{"MemoryGBs"}, speeds: true,
		sql: "SELECT SUM(x), COUNT(*) FROM huge WHERE g < 900"},
	{name: "columns from the host", rates: []string{"CollectGBs"}, speeds: true, sends: 2,
		sql: "SELECT SUM(i) FROM huge WHERE j > 7"},
	{name: "lookups in the cache", rates: []string{"ProbeNearG"}, speeds: true,
		sql: "SELECT SUM(huge.x) FROM huge JOIN little ON huge.j = little.k"},
	{name: "lookups beyond the cache", rates: []string{"ProbeFarG"}, speeds: true,
		sql: "SELECT SUM(big.x) FROM huge JOIN big ON huge.k = big.k"},
	{name: "updates in the cache", rates: []string{"BuildNearG"}, speeds: true,
		sql: "SELECT MAX(c) FROM (SELECT i % 100003 AS m, SUM(x) AS c FROM huge GROUP BY i % 100003) t"},
	{name: "updates beyond the cache", rates: []string{"BuildFarG"}, speeds: true,
		sql: "SELECT MAX(c) FROM (SELECT k, SUM(x) AS c FROM huge GROUP BY k) t"},
	{name: "join alone", rates: []string{"JoinUS"}, islands: true,
		sql: "SELECT /*+ HASH_JOIN(b) */ COUNT(*) FROM little a JOIN little b ON a.k = b.k"},
	{name: "partitions", rates: []string{"PartitionG", "MatchG"}, speeds: true, islands: true,
		sql: "SELECT /*+ RADIX_JOIN(big) */ COUNT(*) FROM huge JOIN big ON huge.k = big.k"},
	{name: "sort and merge", rates: []string{"SortG", "MergeG"}, speeds: true, islands: true,
		sql: "SELECT /*+ MERGE_JOIN(big) */ COUNT(*) FROM huge JOIN big ON huge.k = big.k"},
	{name: "pairs", rates: []string{"PairsG"}, speeds: true, islands: true,
		sql: "SELECT /*+ NL_JOIN(b) */ COUNT(*) FROM half a JOIN half b ON a.x > b.x AND a.g <> b.g"},
}
