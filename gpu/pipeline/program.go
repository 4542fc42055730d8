package pipeline

// Kind is the kind of a value.
type Kind uint8

// The kinds.
const (
	Int   Kind = iota // a signed integer of 64 bits
	Float             // a double
	Bool              // a truth value: true, false or NULL
	// Int128 is a signed integer of 128 bits of at most 38 decimal digits. It is the value of
	// expressions only: columns hold its words.
	Int128
)

// None means "no column" or "no stage" where an index is expected.
const None = -1

// Program is a query, or the part of one that a device computes. Its pipelines run in order.
// Columns, indexes and stages are referred to by their positions in these slices.
type Program struct {
	Columns   []Column
	Indexes   []Index
	Pipelines []Pipeline
	Result    Result
	// Passes is set if the rows of a join are taken part by part, so that the index of only a part is in
	// memory at a time.
	Passes *Passes
}

// Passes repeats the pipelines that build and probe an index of a join, for each part of the keys. The first
// pass runs all pipelines up to Probe. Before each later one, the slots of the index become free and the first
// element of Part, 1 byte wide, the number of the pass; then Build and Probe run again. Both take only the rows
// whose keys belong to that part.
type Passes struct {
	Count        int // at most 256
	Part         int // column
	Index        int // its Slots
	Build, Probe int // pipelines, in this order
}

// Column is an array in device memory with one element for each row, slot or code.
type Column struct {
	Kind  Kind // Int or Float
	Width int  // bytes of an element: 1, 2, 4 or 8; always 8 for doubles
	// Bias is added to stored integers, which are unsigned unless Width is 8.
	Bias     int64
	Min, Max int64 // bounds of the values (Int)

	// A base column holds the values of column Ordinal of table Relation, in the table's order. The
	// executor brings it to the device. Nullable base columns have a bit for each row, set if the
	// row is not NULL, in little-endian words of 32 bits.
	Relation int // number of the base relation; None for other columns
	Ordinal  int
	Nullable bool

	// Data holds the elements of a table of constants, which the executor copies to the device.
	Data []byte

	// Size is the number of elements of a column of neither kind. Each element is initially Init,
	// of which only the lowest Width bytes matter.
	Size int64
	Init int64
}

// Index maps keys to the rows or values that were inserted under them. Direct indexes use the key
// as the slot: it is in [0, Size). Hash indexes of groups find the slot by linear probing in Keys:
// keys are not negative, and Size is a power of two. Hash indexes of joins search buckets of Slots.
type Index struct {
	Hash bool
	Size int64 // slots
	Keys int   // hash indexes of groups: column of the keys by slot, 8 bytes wide, Init -1; else None

	// Slots is the column of the slots of a hash index of joins, else None. BucketBytes of them are a
	// bucket, the least that memory reads; Size is a multiple of a bucket's slots. A key's slot is the
	// first free one from its home bucket on. A slot is an element of 4 bytes with the key, or one of 8
	// bytes with the key above the row if Rows is set. Keys of a Wide index take an element of 8 bytes,
	// and their rows another one after it. Elements have Init -1, which is no key.
	Slots      int
	Wide, Rows bool

	// Heads is the column of the rows or values that were inserted last, by slot of a direct index,
	// 4 bytes wide, Init -1. It is None for groups, whose slots are rows themselves, and for sets.
	Heads int
	// Unique is set if the program assumes that keys do not repeat. If they do, its results are
	// invalid.
	Unique bool
	// Next is the column of the previously inserted rows under the same key, by row, 4 bytes wide.
	// It is None if keys are unique: a key then has one row.
	Next int
	// Bits is a set of the keys inserted into a direct index without rows: a bit for each slot, in
	// a column of 4 bytes of Init 0 with Size/32 elements, rounded up. It is None for other indexes.
	Bits int
}

// BucketBytes is the size of a bucket of slots.
const BucketBytes = 32

// SlotBytes returns the size of a slot of a hash index of joins.
func (x *Index) SlotBytes() int64 {
	switch {
	case x.Wide && x.Rows:
		return 16
	case x.Wide || x.Rows:
		return 8
	}
	return 4
}

// NewIndex returns an index without columns.
func NewIndex(hash bool, size int64) Index {
	return Index{Hash: hash, Size: size, Keys: None, Slots: None, Heads: None, Next: None, Bits: None}
}

// Pipeline takes the rows of a source through stages to a sink.
type Pipeline struct {
	Name string // for people: "lineitem", "groups of lineitem"
	Rows int64  // rows of the source; at most, if Counted is a column
	// Counted is a column of 4 bytes whose first element is the number of rows; None if Rows is it.
	Counted int
	// Sample takes a part of the source if it is more than 1: the first SampleRows of every
	// Sample*SampleRows neighbouring rows.
	Sample int64
	Stages []Stage
	Sink   Sink
	// Bound, Sort or Sums is set for a step that has neither a source nor stages and a sink.
	Bound *Bound
	Sort  *Sort
	Sums  *Sums
}

// SampleRows is how many neighbouring rows a sample takes at a time.
const SampleRows = 1024

// Bound finds the word of rank Need, the first being 1, among those that a Write has put in the column
// Words, 8 bytes wide and of at most BoundWords elements. Count is the Write's. It becomes the first
// element of To, 8 bytes wide, or the greatest integer if there are fewer words. At least Need rows have
// words up to that of a sample: an order with a limit does not need the others.
type Bound struct {
	Words, Count, To int // columns
	Need             int64
}

// BoundWords is the most words among which a Bound finds one.
const BoundWords = 1 << 14

// Stage is one step of a pipeline: a filter if Pred is set, else a probe of an index.
type Stage struct {
	Pred *Expr // Filter: keeps rows for which it is true

	Join  Join
	Index int
	Key   *Expr // Int; NULL finds nothing
	// Where restricts matches to pairs for which it is true; nil for none. It may load columns at
	// this stage's row.
	Where *Expr
	// Marks are columns of 1 byte. The stage sets their elements to 1 at the rows that an inner or
	// left join finds.
	Marks []int
	// Selectivity is the estimated share of the rows that the stage keeps or, for joins that
	// multiply rows, the number of matches of a row.
	Selectivity float64
}

// Join specifies what a probe does with the rows that it finds.
type Join uint8

// The joins. Expressions of later stages may load columns at the row that an inner or left join found;
// those at the row of a left join without a match are NULL.
const (
	Inner Join = iota
	Left
	Semi
	Anti // keeps rows without a match, also those whose key is NULL
	Mark // keeps all rows; Matched distinguishes them
)

// SinkOp is a kind of sink.
type SinkOp uint8

// The sinks.
const (
	// Build inserts the source's rows into an index under Key, except rows whose key is NULL.
	// Stores write at the source's row number. No stage may multiply rows.
	Build SinkOp = iota
	// Group finds or makes the slot of Key and adds to the accumulators there.
	Group
	// Write appends to the columns of Stores, in no particular order. The first element of column
	// Count, 4 bytes of Init 0, is the number of rows, even if the columns are too short for all of
	// them.
	Write
	// Put stores at the source's row number or, if there is a Key, at the place that it is. No two rows
	// may have the same place.
	Put
)

// Sink ends a pipeline.
type Sink struct {
	Op    SinkOp
	Index int
	Key   *Expr // Build, Group, Put; a Group's and a Put's is never NULL
	// Value, if not nil, is inserted by a Build under a key instead of the row's number: an integer
	// from 0 to 2^32 - 2, never NULL. OpRow of the stages that probe the index returns it. These
	// stages load no columns at the row, and keys do not repeat.
	Value  *Expr
	Stores []Store
	Accs   []Acc // Group
	Count  int   // Write
	// Partial makes a Write drop the rows for which the columns have no space.
	Partial bool
}

// Store writes an expression to a column, which has no bias. A NULL is stored as 0.
type Store struct {
	Column int
	Expr   *Expr
}

// AccOp specifies what an accumulator computes from the values that are not NULL.
type AccOp uint8

// The accumulators.
const (
	CountRows AccOp = iota // counts rows; has no argument
	Count                  // counts values
	Sum
	// SumLow and SumHigh add the lowest 32 bits of integers, and the rest with its sign: together an
	// exact sum beyond 64 bits.
	SumLow
	SumHigh
	Min
	Max
	// Of integers, as 64 bits. The Init of BitAnd is -1.
	BitAnd
	BitOr
	BitXor
)

// Acc is one accumulator of a Group: a column of 8 bytes by slot. Its Init is 0 for counts and sums.
// For Min and Max it is the greatest and least element. Min and Max of doubles are stored as Ordered.
type Acc struct {
	Op     AccOp
	Column int
	Arg    *Expr // Int or Float; nil for CountRows
}

// Result specifies where the rows are once all pipelines have run: in the columns that the last
// pipeline, a Write, has filled.
type Result struct {
	Count   int // column
	Columns []int
	Order   *Order // nil: the rows are in no particular order, and all of them are returned
}

// Order is an order of a result's rows: by the columns of integers at the places Words of Result.Columns,
// the most significant first. With no words, any order will do. The first Offset rows are dropped then,
// and of the others those beyond Limit, unless it is negative.
type Order struct {
	Words         []int
	Limit, Offset int64
}

// HostRows is the number of rows up to which the host orders them: it has done so before a device has
// launched the kernels of a sort.
const HostRows = 1 << 15

// Part returns which of a number of rows are within the limit.
func (o *Order) Part(rows int) (from, to int) {
	from, to = int(min(o.Offset, int64(rows))), rows
	if o.Limit >= 0 {
		to = int(min(o.Offset+o.Limit, int64(rows)))
	}
	return from, to
}

// Ordered maps a double's bits to an integer of the same order, in which -0 is less than 0. It is
// its own inverse.
func Ordered(bits int64) int64 { return bits ^ (bits>>63)&^(-1<<63) }
