// Package physical holds executable plans: algorithms, devices and estimates are
// decided. The planner makes them, exec builds operators from them through its
// registry, EXPLAIN prints them. A plan is read-only once made and may be executed
// by several goroutines at once.
package physical

import (
	"slices"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// Device names where an operator runs: "cpu", "cuda:0" or "sim:0".
type Device string

// CPU is the device that always exists.
const CPU Device = "cpu"

// Node is one operator of a plan.
type Node struct {
	ID     int // unique within the plan, for metrics
	Op     Op
	In     []*Node
	Cols   []logical.Column // output columns in order; expressions refer to them by ID
	Device Device
	Est    Estimate
	// Rejected lists the bids that lost against Op, cheapest first.
	Rejected []Bid
}

// Estimate is what the planner expects of an operator.
type Estimate struct {
	Rows    float64 // output rows
	CostMS  float64 // this operator alone, milliseconds on its device
	TotalMS float64 // with everything below
	Bytes   float64 // memory it will hold
}

// Bid is an alternative that was priced and not taken.
type Bid struct {
	Algorithm string
	Device    Device
	TotalMS   float64
	Why       string // set when it was not merely dearer: "forbidden by hint", "no equality"
	Join      *Join  // the join proposed; nil if the bid is for something else or cannot run
	// Form describes how the plan that was bid differs from the one that was taken in more than its
	// join: "no aggregate below". Empty if it does not.
	Form string
}

// Op is the operator proper. The registry of exec is keyed by Kind and Device.
type Op interface {
	// Kind returns the registry key: "scan", "hash_join", ...
	Kind() string
	// Describe returns the name and the details EXPLAIN shows.
	Describe() (name string, details []string)
}

// Scan reads a table. Preds are evaluated on every row; Prune only skips segments.
type Scan struct {
	Table    catalog.Table
	Alias    string
	Ordinals []int
	Prune    []catalog.Range
	Keys     *catalog.Keys // of which the predicates leave rows alone, which the table finds by them; nil where it is scanned
	Preds    []expr.Expr
	Dynamic  []DynamicFilter
	Bound    *DynamicBound // nil without one
	SieveMS  float64       // of the price: what testing Dynamic and Bound takes
}

// DynamicBound drops the rows of a scan that a top-N above has no more use for: those whose
// Key, the first of its order, is behind that of the rows that it has already.
type DynamicBound struct {
	ID    int       // of the Sort
	Key   *expr.Col // of the scan
	Early bool      // tested before Preds
}

// DynamicFilter drops the rows of a scan for which a join above will find no partner: those
// whose Key is not among the values that the join has met in the input that it builds.
type DynamicFilter struct {
	ID    int       // the filter among those of the plan
	Key   expr.Expr // over the scan's columns
	Keeps float64   // expected share of the rows
	Early bool      // tested before Preds
	// Lookup: the join's values are few, and the table finds their rows by a key instead of
	// reading all rows, where it can.
	Lookup bool
}

// MadeFilter is a dynamic filter that a join makes of a key of the input that it builds.
type MadeFilter struct {
	ID, Key int
	SavesMS float64 // expected, in the whole plan
}

// Values returns literal rows.
type Values struct{ Rows [][]expr.Expr }

// Filter keeps rows for which all of Preds are true; they are ordered so that the
// cheapest and most selective come first.
type Filter struct{ Preds []expr.Expr }

// Project computes expressions; node.Cols names them.
type Project struct{ Exprs []expr.Expr }

// JoinAlgo names a join algorithm.
type JoinAlgo string

// The join algorithms.
const (
	NestedLoop JoinAlgo = "nl_join"   // blocked, any predicate
	Hash       JoinAlgo = "hash_join" // one table, not partitioned
	// Index is a hash join whose probe side is a scan that looks up the rows of the built keys
	// by the index of a unique key, instead of reading all: an index nested loop join, the loop
	// taken a batch at a time.
	Index JoinAlgo = "index_join"
	Radix JoinAlgo = "radix_join" // the build side partitioned to cache size, the probe side by rounds
	Merge JoinAlgo = "merge_join" // both sides sorted by the equality keys
	Range JoinAlgo = "range_join" // sorted inputs, range predicates (IEJoin), with or without equalities
)

// MaxDeviceConds bounds the conditions that drive a join on a device.
const MaxDeviceConds = 4

// KeyPair is an equality between a left and a right expression of the same type.
type KeyPair struct {
	L, R     expr.Expr
	NullSafe bool // <=>: NULL equals NULL
}

// RangePred is an inequality between a left and a right expression of the same type.
type RangePred struct {
	Op   expr.FuncID // "<", "<=", ">", ">=", in a nested loop on a device also "<>": L Op R
	L, R expr.Expr
}

// Join joins In[0] (left) with In[1] (right). Unless BuildLeft is set the right side
// is built, sorted or blocked and the left one probes. node.Cols lists the columns
// of either side (or the mark) are needed, in which order; others are not
// materialised.
//
// On a device both inputs are ToDevice nodes, and the node above is a FromDevice or a
// HashAgg without keys on the same device. The device finds the pairs for which Keys and
// Ranges are all true: at least one and at most MaxDeviceConds. A nested loop has its
// comparisons there too, which on the CPU it keeps in Residual. Residual, outer rows and
// marks are the host's concern. Operands are expressions over one input, which the host
// computes where they are no columns.
type Join struct {
	Algo      JoinAlgo
	Type      logical.JoinKind
	Keys      []KeyPair
	Ranges    []RangePred // Range: up to three, driving the algorithm; see above for devices
	Residual  []expr.Expr // conjuncts checked on candidate pairs
	MarkID    expr.ColID  // Mark: the column that takes the mark
	NullAware bool        // Mark, Anti: a NULL key or residual makes the mark NULL (IN, NOT IN)
	// BuildLeft: build the left side and probe with the right one (Inner, and the kinds
	// whose left rows are remembered in the table: Left, Semi, Anti, Full).
	BuildLeft bool
	// Streamed reads the input Built to its end, and then the other one without keeping it
	// (Range).
	Streamed bool
	// SortedL and SortedR say that statistics promise an input ascending by the first
	// key, which made sorting it cheap in the estimate. The operator checks, it does not
	// rely on it.
	SortedL, SortedR bool
	// Filters are made of the input Built, for scans in the other one.
	Filters []MadeFilter
	// Keep: the built side serves all iterations of the recursive expression around (Hash).
	Keep bool
}

// Built returns the input that is read to its end before the other one is opened: 0 or 1.
func (j *Join) Built() int {
	if j.BuildLeft && (j.Algo == Hash || j.Algo == Index || j.Algo == Radix || j.Algo == NestedLoop || j.Streamed) {
		return 0
	}
	return 1
}

// Operands returns the left and right operands of the conditions that drive the join.
func (j *Join) Operands() (l, r []expr.Expr) {
	for _, k := range j.Keys {
		l, r = append(l, k.L), append(r, k.R)
	}
	for _, c := range j.Ranges {
		l, r = append(l, c.L), append(r, c.R)
	}
	return l, r
}

// DropsUnmatched reports whether rows of an input that have no partner contribute nothing.
func (j *Join) DropsUnmatched(input int) bool {
	switch j.Type {
	case logical.Inner, logical.Semi:
		return true
	case logical.Left, logical.Anti:
		return input == 1 && !j.NullAware
	}
	return false
}

// Apply runs In[1] once for each distinct combination of Bind's values in In[0].
// In[1] refers to them as expr.Param with Slot = index into Bind.
type Apply struct {
	Type   logical.JoinKind // Inner, Left, Semi, Anti, Mark or Single
	Bind   []expr.Expr
	On     []expr.Expr
	MarkID expr.ColID
}

// HashAgg groups by Keys and computes Aggs; node.Cols has the keys first. On a device it
// stands on an inner Join without Residual there, has no Keys, and its Aggs count rows or
// take one column of either input: COUNT, SUM, MIN, MAX or AVG, not DISTINCT. The joined
// rows are never made.
type HashAgg struct {
	Keys []expr.Expr
	Aggs []*expr.Agg
}

// KeepsRows reports whether memory grows with the rows: there are groups, or an aggregate keeps more
// than one value.
func (a *HashAgg) KeepsRows() bool {
	return len(a.Keys) > 0 || slices.ContainsFunc(a.Aggs, func(g *expr.Agg) bool {
		switch g.Fn {
		case expr.CountStar, expr.Count, expr.Sum, expr.Avg, expr.Min, expr.Max:
			return g.Distinct
		}
		return true
	})
}

// GroupJoin returns the rows of In[0] with Aggs over their partners in In[1], the rows for
// which Keys and Ranges hold; it makes no pairs. node.Cols has columns of In[0], then a
// column for each of Aggs, whose T may be wider than SQL's. Ranges have a single operand on
// the left, or at most two on the right, one of which is bounded on one side only, or are
// one "<>". Where takes the place of both: conditions of any kind, tested for each pair.
type GroupJoin struct {
	Keys   []KeyPair
	Ranges []RangePred
	Where  []expr.Expr
	Aggs   []*expr.Agg // COUNT(*), and COUNT, SUM, MIN and MAX of an expression over In[1]
	// Outer keeps rows without partners; COUNT(*) counts them as one row of the join.
	Outer bool
	// Streamed reads In[0] to its end first, and then In[1] without keeping rows of it.
	// Ranges have at most one operand on the right then, and no "<>".
	Streamed bool
}

// Sort orders all rows; with Limit >= 0 it is a top-N that keeps Limit+Offset rows
// and drops the first Offset.
type Sort struct {
	Keys          []expr.SortKey
	Limit, Offset int64 // Limit < 0: no limit
	// Bound is the number of the top-N's DynamicBound, 0 for none, among those of dynamic
	// filters.
	Bound int
}

// Window sorts its input by Keys and computes Funcs over it; node.Cols are the input's
// columns, then one for each function. One sort serves all windows whose keys are a
// prefix of Keys.
type Window struct {
	Keys  []expr.SortKey
	Funcs []WindowFunc
	// Top drops rows for which Funcs[TopBy], ROW_NUMBER or RANK, is above Top; 0 drops none.
	// All functions are over one window then.
	Top   int64
	TopBy int
}

// WindowFunc is a function over the window of which the first Partition keys of the
// sort are the partition keys and those up to Order the order keys.
type WindowFunc struct {
	*expr.WindowFunc
	Partition, Order int
}

// Limit passes Count rows after Offset.
type Limit struct{ Count, Offset int64 }

// SetOp combines its two inputs.
type SetOp struct {
	Set logical.SetKind
	All bool
}

// Recursive returns the rows of In[0], then those of In[1] again and again until it has none:
// WorkTable nodes of the same Work in it return the rows that the last round added. The
// iterations are bounded by cte_max_recursion_depth, the rows by Offset+Count where Count
// is not negative.
type Recursive struct {
	Name          string
	Work          int
	Distinct      bool
	Count, Offset int64
}

// WorkTable returns the rows that the last iteration of the Recursive above added.
type WorkTable struct {
	Work  int
	Alias string
}

// Shared computes In[0] once for several places of a plan and keeps its rows. Of the nodes
// with one ID the first has the input; the others return the columns At of its rows. Where
// memory is short each of them computes the input anew.
type Shared struct {
	ID   int
	Uses int // besides the first one, set there
	At   []int
}

// MaxOneRow guards a scalar subquery.
type MaxOneRow struct{}

// ToDevice and FromDevice mark the only crossings between devices and carry the price of the transfer;
// their node's Device is the accelerator. They are no operators: operators on a device move the columns
// that they compute with and their results themselves, and note the bytes for these nodes.

// ToDevice marks where the columns of its input cross that its consumer computes with; the host keeps
// the others for the output.
type ToDevice struct {
	Bytes float64 // expected to cross the link
	// Resident is set if nothing needs to cross: In[0] is a Scan without Preds, or a
	// Project of columns over one, whose columns lay on the device when the plan was made.
	Resident bool
}

// FromDevice marks where its input's result comes to the host: the row pairs of a Join, 8 bytes
// each, from which the host makes the output, or the values of a HashAgg. Its consumer is
// on the CPU, and may be a ToDevice.
type FromDevice struct{ Bytes float64 }

// IsCrossing reports whether op marks a crossing and is no operator.
func IsCrossing(op Op) bool {
	switch op.(type) {
	case *ToDevice, *FromDevice:
		return true
	}
	return false
}
