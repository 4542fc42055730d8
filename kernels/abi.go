package kernels

// Family is the entries of one operator's phase: one for each type, with the same
// parameters and launch policy.
type Family struct {
	File    string   // kernel file, and the name of its PTX
	PerType bool     // each type has a file of its own, <File>_<type>: see FileOf
	Name    string   // gsql_<operator>_<phase>
	Types   []string // suffixes of the entries; none: the name itself is the entry
	Params  []string // in order; "*" before the name marks a device address
	Threads int      // a block
	// Items is the number of items per thread. With Tiled the grid is one block per tile of
	// Threads*Items items; otherwise threads stride over the grid, whose size is free.
	Items int
	Tiled bool
	// WideItems replaces Items where the type has an 8-byte member; 0: Items counts.
	WideItems int
}

// Tile is the number of items of a block for an entry of the family.
func (f *Family) Tile(wide bool) int {
	if wide && f.WideItems != 0 {
		return f.Threads * f.WideItems
	}
	return f.Threads * f.Items
}

// Tiles is the number of tiles that n items make in the tiled family of that name, which
// there must be.
func Tiles(family string, n int64, wide bool) int64 {
	tile := int64(Find(family).Tile(wide))
	return (n + tile - 1) / tile
}

// Find returns the family of that name, nil if there is none.
func Find(name string) *Family {
	for _, f := range Families {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Entry is the name of the family's kernel for a type.
func (f *Family) Entry(typ string) string {
	if typ == "" {
		return f.Name
	}
	return f.Name + "_" + typ
}

// FileOf is the kernel file of the family's entry for a type.
func (f *Family) FileOf(typ string) string {
	if f.PerType {
		return f.File + "_" + typ
	}
	return f.File
}

// Files are the kernel files of all of the family's entries.
func (f *Family) Files() []string {
	if !f.PerType {
		return []string{f.File}
	}
	files := make([]string, len(f.Types))
	for i, typ := range f.Types {
		files[i] = f.FileOf(typ)
	}
	return files
}

// Type suffixes: i32, i64, u32, u64, f64 are values; b1, b4, b8 are bytes a value whose
// meaning does not matter. Two suffixes together are input and output, or key and value.
var (
	keyValueTypes  = []string{"b4b4", "b4b8", "b8b4", "b8b8"}
	mapTypes       = []string{"b1i32", "b4i32", "b8i32", "b1i64", "b4i64", "b8i64"}
	valueTypes     = []string{"i32", "i64", "f64"}
	thetaIntervals = []string{"intervals1", "intervals2", "intervals3", "intervals4"}
	// values and the words made of them
	thetaWordTypes = []string{"i32u32", "i32u64", "i64u32", "i64u64", "f64u64"}
	keyTypes       = []string{"b4", "b8"}
	// A key's bytes and the type of the values that are aggregated.
	aggregateTypes = []string{"b4i32", "b4i64", "b4f64", "b8i32", "b8i64", "b8f64"}
)

// Families are all entries there are.
//
// Scan, select: scratch is 1+tiles words of zeros. Reduce leaves a part a block; the
// entry of the parts' type (i64, f64) over them with one block yields the result.
// Radix histogram: counts is 256 zeros a digit, dynamic shared memory is 4096 bytes a
// digit; gsql_radix_offsets (one block a digit) makes positions of them, which a pass
// over that digit takes as firsts; its scratch is a word and 256 words of 32 bits a tile, of zeros; dynamic
// shared memory is RadixPassShared bytes. flip and
// floating determine the order: see radix.cuh.
// Partition: prim.Partition is its user. Bounds are partitions+1 words. Tiles have 16 bytes;
// the kernel that lists them takes 4 bytes of dynamic shared memory a partition, 256 of them
// a block; counting takes PartitionCountTiles of them a block, a pass one, with
// PartitionShared bytes of dynamic shared memory.
// Merge: tiles of na+nb items; splits and runs have a word a tile and one more, state is
// 1+tiles words of zeros, of which those behind the ticket are the sums of the expansion,
// whose items are pairs of the output; totals are two words of zeros. Run bounds are a
// comparison's (kernels/run_bounds.cu).
// Theta words and intervals make of conditions' columns what the nested loop compares; op
// is join.Op, lows start as zeros, highs as ones in all bits, keep as 1. Theta count:
// ownerTiles tiles of owners times the chunks of otherPerBlock rows (a multiple of 4) are
// the grid; counts starts as zeros. Theta write: a block for 32 owners; offsets are the
// scanned counts and their total, [from, to) at most 2^30 places of the output.
// Weighted parts are five words a block: a 128-bit sum (f64: a word and 0), count,
// minimum, maximum; fold, one block, combines them.
// Hash tables start as 0xFF bytes: so many buckets of 32 bytes and one more, each with 4
// slots (b4) or 2 (b8), some of them free for every search to end; direct tables are 4 bytes
// a key of the range. valid is a byte a row, 0 where no key is NULL. Entries of a table are row
// numbers, or values less bias. Parts of aggregates are 6 words a block and start as zeros.
// Radix join: unit counts, scanned, are the offsets of 16-byte units; a block joins a unit,
// with RadixJoinShared bytes of dynamic shared memory, in no order; any number of blocks
// folds any number of units into 6 words that start as zeros, with RadixFoldShared.
var Families = []*Family{
	{File: "scan", Name: "gsql_scan_exclusive", Types: []string{"u32", "u32u64", "u64"}, Threads: 256, Items: 40, WideItems: 20, Tiled: true,
		Params: []string{"*in", "*out", "n", "*total", "*scratch"}},
	{File: "reduce", Name: "gsql_reduce_sum", Types: valueTypes, Threads: 256, Items: 1, Params: []string{"*in", "*parts", "n"}},
	{File: "reduce", Name: "gsql_reduce_min", Types: valueTypes, Threads: 256, Items: 1, Params: []string{"*in", "*parts", "n"}},
	{File: "reduce", Name: "gsql_reduce_max", Types: valueTypes, Threads: 256, Items: 1, Params: []string{"*in", "*parts", "n"}},
	{File: "row_numbers", Name: "gsql_row_numbers", Types: []string{"i32"}, Threads: 256, Items: 4, Params: []string{"*rows", "first", "n"}},
	{File: "gather", Name: "gsql_gather_rows", Types: mapTypes, Threads: 256, Items: 4, Params: []string{"*in", "*map", "*out", "n"}},
	{File: "gather", Name: "gsql_scatter_rows", Types: mapTypes, Threads: 256, Items: 1, Params: []string{"*in", "*map", "*out", "n"}},
	{File: "select", Name: "gsql_select_rows", Types: []string{"i32", "i64"}, Threads: 256, Items: 16, Tiled: true,
		Params: []string{"*flags", "*rows", "n", "*count", "*scratch"}},
	{File: "select", Name: "gsql_select_values", Types: []string{"b4", "b8"}, Threads: 256, Items: 16, Tiled: true,
		Params: []string{"*in", "*flags", "*out", "n", "*count", "*scratch"}},
	{File: "select", Name: "gsql_select_pairs", Types: []string{"i32"}, Threads: 256, Items: 16, Tiled: true,
		Params: []string{"*left", "*right", "*flags", "*outLeft", "*outRight", "n", "*count", "*scratch"}},
	{File: "hash", Name: "gsql_hash_keys", Types: []string{"b4", "b8"}, Threads: 256, Items: 1, Params: []string{"*keys", "*hashes", "n"}},
	{File: "radix_histogram", Name: "gsql_radix_histogram", Types: []string{"b4", "b8"}, Threads: 256, Items: 1,
		Params: []string{"*keys", "n", "*counts", "low", "high", "flip", "floating"}},
	{File: "radix_histogram", Name: "gsql_radix_offsets", Threads: 256, Items: 1, Params: []string{"*counts"}},
	{File: "radix_pass", PerType: true, Name: "gsql_radix_pass", Types: keyValueTypes, Threads: 256, Items: 32, Tiled: true,
		Params: []string{"*keysIn", "*valuesIn", "*keysOut", "*valuesOut", "n", "*firsts", "*scratch", "shift", "mask", "flip", "floating"}},
	{File: "partition_count", Name: "gsql_partition_tiles", Threads: 256, Items: 1,
		Params: []string{"*bounds", "n", "partitions", "tileRows", "*tiles", "room"}},
	{File: "partition_count", Name: "gsql_partition_count", Types: []string{"b4", "b8"}, Threads: 512, Items: 1,
		Params: []string{"*keys", "*tiles", "room", "hashed", "shift", "bits", "*counts"}},
	{File: "partition_pass", Name: "gsql_partition_keys", Types: []string{"b4", "b8"}, Threads: 512, Items: 16, WideItems: 8, Tiled: true,
		Params: partitionParams},
	{File: "partition_pass", Name: "gsql_partition_pass", Types: keyValueTypes, Threads: 512, Items: 20, WideItems: 10, Tiled: true,
		Params: partitionParams},
	{File: "comparable", Name: "gsql_comparable", Types: []string{"f64"}, Threads: 256, Items: 1, Params: []string{"*values", "*valid", "n", "*flags"}},
	{File: "sorted_check", Name: "gsql_sorted_check", Types: valueTypes, Threads: 256, Items: 16, WideItems: 8, Params: []string{"*keys", "n", "*unsorted"}},
	{File: "merge_path", Name: "gsql_merge_splits", Types: valueTypes, Threads: 256, Items: 1,
		Params: []string{"*a", "na", "*b", "nb", "*splits", "*runs", "tiles"}},
	{File: "merge_path", Name: "gsql_merge_counts", Types: valueTypes, Threads: 256, Items: 15, Tiled: true,
		Params: []string{"*a", "na", "*b", "nb", "*splits", "*runs", "*counts"}},
	{File: "merge_join", Name: "gsql_merge_join", Types: valueTypes, Threads: 256, Items: 15, Tiled: true,
		Params: []string{"*a", "*aRows", "na", "*b", "*bRows", "nb", "*splits", "*runs", "*state", "*outA", "*outB", "capacity", "*totals"}},
	{File: "merge_expand", Name: "gsql_merge_expand", Types: valueTypes, Threads: 256, Items: 64, Tiled: true,
		Params: []string{"*a", "*aRows", "na", "*b", "*bRows", "nb", "*splits", "*runs", "*sums", "tiles", "from", "to", "least", "*outA", "*outB"}},
	{File: "run_bounds", Name: "gsql_run_bounds", Types: valueTypes, Threads: 256, Items: 1,
		Params: []string{"*sorted", "n", "*values", "*valid", "rows", "bounds", "first", "*starts", "*ends"}},
	{File: "run_bounds", Name: "gsql_run_lengths", Threads: 256, Items: 1, Params: []string{"*starts", "*ends", "n", "*lengths"}},
	{File: "run_bounds", Name: "gsql_run_cover", Threads: 256, Items: 1, Params: []string{"*begun", "*ended", "n", "*counts"}},
	{File: "theta_words", Name: "gsql_theta_words", Types: thetaWordTypes, Threads: 256, Items: 1,
		Params: []string{"*values", "*valid", "n", "base", "top", "reversed", "*words", "*keep"}},
	{File: "theta_words", Name: "gsql_theta_intervals", Types: thetaWordTypes, Threads: 256, Items: 1,
		Params: []string{"*values", "*valid", "n", "op", "base", "top", "reversed", "*lows", "*highs", "*keep"}},
	{File: "theta_count", Name: "gsql_theta_count", Types: thetaTypes(append([]string{"narrow", "bounds1", "bounds2"}, thetaIntervals...)),
		Threads: 256, Items: 8, WideItems: 4, Tiled: true,
		Params: []string{"*lows", "*highs", "*keep", "ownerStride", "nOwner", "*others", "otherStride", "nOther", "ownerTiles", "otherPerBlock", "*counts"}},
	{File: "theta_write", Name: "gsql_theta_cuts", Threads: 256, Items: 1, Params: []string{"*offsets", "n", "step", "*out", "count"}},
	{File: "theta_write", Name: "gsql_theta_write", Types: thetaTypes(thetaIntervals), Threads: 256, Items: 1, Tiled: true,
		Params: []string{"*lows", "*highs", "ownerStride", "nOwner", "*others", "otherStride", "nOther", "*offsets", "from", "to",
			"ownerFirst", "*ownerOut", "*otherRows", "otherFirst", "*otherOut"}},
	{File: "theta_values", Name: "gsql_theta_values", Types: thetaTypes(thetaIntervals), Threads: 256, Items: 1, Tiled: true,
		Params: []string{"*lows", "*highs", "ownerStride", "nOwner", "*others", "otherStride", "nOther", "*offsets", "from", "to",
			"*ownerValues", "*ownerOut", "*otherA", "*outA", "*otherB", "*outB"}},
	{File: "weighted", Name: "gsql_weighted_parts", Types: valueTypes, Threads: 256, Items: 4, Params: []string{"*values", "*valid", "*counts", "n", "*parts"}},
	{File: "weighted", Name: "gsql_weighted_fold", Types: []string{"i64", "f64"}, Threads: 256, Items: 1, Params: []string{"*parts", "n", "*result"}},
	{File: "pair_filter", Name: "gsql_pair_match", Types: valueTypes, Threads: 256, Items: 1,
		Params: []string{"*leftRows", "*rightRows", "n", "*left", "*leftValid", "*right", "*rightValid", "op", "first", "*flags"}},
	{File: "pair_filter", Name: "gsql_pair_count", Types: []string{"i32"}, Threads: 256, Items: 1, Params: []string{"*rows", "n", "*counts"}},
	{File: "hash_build", Name: "gsql_hash_build", Types: keyTypes, Threads: 256, Items: 1,
		Params: []string{"*keys", "floating", "firstRow", "n", "*valid", "*values", "bias", "*table", "buckets", "*duplicates"}},
	{File: "hash_build", Name: "gsql_direct_build", Types: keyTypes, Threads: 256, Items: 4,
		Params: []string{"*keys", "firstRow", "n", "*valid", "*values", "bias", "*table", "base", "range", "*inserted"}},
	{File: "hash_build", Name: "gsql_direct_count", Threads: 256, Items: 16, Params: []string{"*table", "n", "*set"}},
	{File: "hash_pairs", Name: "gsql_hash_pairs", Types: keyTypes, Threads: 256, Items: 4, Tiled: true,
		Params: []string{"*keys", "*valid", "firstRow", "n", "*table", "buckets", "*probeRows", "*buildRows", "*count"}},
	{File: "hash_pairs", Name: "gsql_direct_pairs", Types: keyTypes, Threads: 256, Items: 8, Tiled: true,
		Params: []string{"*keys", "*valid", "firstRow", "n", "*table", "base", "range", "*probeRows", "*buildRows", "*count"}},
	{File: "hash_runs", Name: "gsql_hash_runs_build", Types: keyTypes, Threads: 256, Items: 1,
		Params: []string{"*hashes", "n", "floating", "*table", "buckets", "*lengths"}},
	{File: "hash_runs", Name: "gsql_hash_runs_find", Types: keyTypes, Threads: 256, Items: 4,
		Params: []string{"*keys", "*valid", "n", "*table", "buckets", "*lengths", "*starts", "*counts"}},
	{File: "expand", Name: "gsql_expand_pairs", Threads: 256, Items: 8, Tiled: true,
		Params: []string{"*offsets", "*starts", "n", "firstRow", "*order", "from", "to", "*rows", "*partners"}},
	{File: "hash_aggregate", Name: "gsql_hash_aggregate", Types: aggregateTypes, Threads: 256, Items: 4,
		Params: []string{"*keys", "*valid", "n", "*table", "buckets", "*lengths", "*values", "*valuesValid", "source", "bias", "*parts"}},
	{File: "hash_aggregate", Name: "gsql_direct_aggregate", Types: aggregateTypes, Threads: 256, Items: 8,
		Params: []string{"*keys", "*valid", "n", "*table", "base", "range", "*values", "*valuesValid", "source", "bias", "*parts"}},
	{File: "pack", Name: "gsql_pack_part", Types: []string{"i32b4", "i32b8", "i64b4", "i64b8"}, Threads: 256, Items: 1,
		Params: []string{"*values", "*valid", "n", "low", "range", "shift", "first", "*keys", "*packedValid"}},
	{File: "valid", Name: "gsql_valid_both", Threads: 256, Items: 4, Params: []string{"*a", "*b", "*out", "n"}},
	{File: "valid", Name: "gsql_valid_numbers", Threads: 256, Items: 4, Params: []string{"*values", "*valid", "*out", "n"}},
	{File: "radix_units", Name: "gsql_radix_units_count", Threads: 256, Items: 1,
		Params: []string{"*buildBounds", "*probeBounds", "partitions", "probeChunk", "*counts"}},
	{File: "radix_units", Name: "gsql_radix_units_write", Threads: 256, Items: 1,
		Params: []string{"*buildBounds", "*probeBounds", "partitions", "probeChunk", "*offsets", "first", "n", "*units"}},
	{File: "radix_units", Name: "gsql_radix_units_cut", Threads: 256, Items: 1,
		Params: []string{"*units", "n", "parts", "byBuild", "*out"}},
	{File: "radix_join", Name: "gsql_radix_join", Types: keyValueTypes, Threads: 384, Items: 1,
		Params: []string{"*buildHashes", "*buildValues", "*probeHashes", "*probeValues", "*units", "hashShift",
			"*outKeys", "*outBuild", "*outBuildHigh", "*outProbe", "*outProbeHigh", "capacity", "*total"}},
	{File: "radix_fold", Name: "gsql_radix_fold", Types: []string{"b4", "b8", "b4i32", "b4i64", "b4f64", "b8i32", "b8i64", "b8f64"}, Threads: 512, Items: 1,
		Params: []string{"*buildHashes", "*probeHashes", "*probeValues", "*units", "n", "hashShift", "*results"}},
}

var partitionParams = []string{"*keysIn", "*valuesIn", "*valuesHigh", "addend", "*hashesOut", "*valuesOut", "*tiles", "*cursors", "hashed", "shift", "bits"}

// PartitionCountTiles is the number of tiles per block of gsql_partition_count.
const PartitionCountTiles = 4

// UnitBuild is the most build rows that a unit of a radix join has.
const UnitBuild = 3072

// Dynamic shared memory of a block, in bytes, by the type of the entry or, for
// gsql_radix_fold, of its key.
var (
	PartitionShared = map[string]int{"b4": 35840, "b8": 35840, "b4b4": 84992, "b4b8": 64512, "b8b4": 64512, "b8b8": 84992}
	RadixPassShared = map[string]int{"b4b4": 34816, "b4b8": 67584, "b8b4": 67584, "b8b8": 67584}
	RadixJoinShared = map[string]int{"b4b4": 38912, "b4b8": 51200, "b8b4": 51200, "b8b8": 63488}
	RadixFoldShared = map[string]int{"b4": 32768, "b8": 49152}
)

// thetaTypes names forms of a conjunction over one or several columns of the other side,
// with the bits of the words compared: intervals; bounds, intervals without an upper end;
// narrow, one such bound on words of 32 bits below 2^31.
func thetaTypes(forms []string) []string {
	var types []string
	for _, form := range forms {
		if form == "narrow" {
			types = append(types, form)
			continue
		}
		types = append(types, form+"_u32", form+"_u64")
	}
	return types
}
