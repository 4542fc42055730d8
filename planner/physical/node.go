// Package physical defines executable plans, whose algorithms, devices and estimates are fixed.
// The planner makes them, exec builds operators from them through its registry, and EXPLAIN
// prints them. A finished plan is read-only and may be executed by several goroutines at once.
package physical

import (
	"slices"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

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
	// Serial is set at the root of a plan that must run on one worker, because a sequence of numbers
	// goes with the order of the rows.
	Serial bool
}

// Estimate is the planner's estimate of an operator.
type Estimate struct {
	Rows    float64 // output rows
	CostMS  float64 // milliseconds of this operator alone on its device
	TotalMS float64 // including everything below
	Bytes   float64 // memory that it will hold
}

// Bid is an alternative that was priced and not chosen.
type Bid struct {
	Algorithm string
	Device    Device
	TotalMS   float64
	Why       string // set if the reason is not a higher price: "forbidden by hint", "no equality"
	Join      *Join  // the proposed join; nil if the bid is not for a join or cannot run
	// Form describes differences between the bid's plan and the chosen one other than in the
	// join: "no aggregate below". It is empty if there are none.
	Form string
}

// Op is the operator itself. The registry of exec is keyed by Kind and Device.
type Op interface {
	// Kind returns the registry key: "scan", "hash_join", ...
	Kind() string
	// Describe returns the name and the details that EXPLAIN shows.
	Describe() (name string, details []string)
}

// Scan reads a table. Preds are evaluated on every row; Prune only skips segments.
type Scan struct {
	Table    catalog.Table
	Alias    string
	Ordinals []int
	Prune    []catalog.Range
	Keys     *catalog.Keys // keys to which the predicates restrict rows, so that the table finds rows by them; nil for a full scan
	Preds    []expr.Expr
	Dynamic  []DynamicFilter
	Bound    *DynamicBound // nil without one
	FilterMS float64       // part of the price that is due to testing Dynamic and Bound
}

// DynamicBound drops the rows of a scan that a top-N above no longer needs: those whose Key, the
// first of its order, sorts after the rows that it already has.
type DynamicBound struct {
	ID    int       // of the Sort
	Key   *expr.Col // of the scan
	Early bool      // tested before Preds
}

// DynamicFilter drops the rows of a scan that have no partner in a join above: those whose Key is
// not among the values of the join's build input.
type DynamicFilter struct {
	ID    int       // number of the filter within the plan
	Key   expr.Expr // over the scan's columns
	Keeps float64   // expected share of the rows that pass
	Early bool      // tested before Preds
	// Lookup is set if the join has few values, so that the table finds their rows by a key, if
	// possible, instead of reading all rows.
	Lookup bool
}

// MadeFilter is a dynamic filter that a join makes from a key of its build input.
type MadeFilter struct {
	ID, Key int
	SavesMS float64 // expected savings in the whole plan
}

// Values returns literal rows.
type Values struct{ Rows [][]expr.Expr }

// Filter keeps rows for which all of Preds are true. The cheapest and most selective predicates
// come first.
type Filter struct{ Preds []expr.Expr }

// Project computes expressions; node.Cols names them.
type Project struct{ Exprs []expr.Expr }

// JoinAlgo names a join algorithm.
type JoinAlgo string

// The join algorithms.
const (
	NestedLoop JoinAlgo = "nl_join"   // blocked, any predicate
	Hash       JoinAlgo = "hash_join" // one table, not partitioned
	// Index is a hash join whose probe side is a scan that looks up the rows of the built keys by
	// the index of a unique key, instead of reading all rows: an index nested loop join that
	// processes a batch at a time.
	Index JoinAlgo = "index_join"
	Radix JoinAlgo = "radix_join" // the build side partitioned to cache size, the probe side by rounds
	Merge JoinAlgo = "merge_join" // both sides sorted by the equality keys
	Range JoinAlgo = "range_join" // sorted inputs, range predicates (IEJoin), with or without equalities
)

// MaxDeviceConds is the largest number of conditions that drive a join on a device.
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

// Join joins In[0] (left) with In[1] (right). Unless BuildLeft is set, the right side is built,
// sorted or blocked and the left one probes. node.Cols lists the required columns of either side
// (or the mark) in output order; others are not materialised.
//
// On a device both inputs are ToDevice nodes, and the node above is a FromDevice or a HashAgg
// without keys on the same device. The device finds the pairs for which Keys and Ranges are all
// true: at least one and at most MaxDeviceConds. They include the comparisons of a nested loop,
// which on the CPU are in Residual. The host handles Residual, outer rows and marks. Operands are
// expressions over one input, which the host computes unless they are columns.
type Join struct {
	Algo      JoinAlgo
	Type      logical.JoinKind
	Keys      []KeyPair
	Ranges    []RangePred // Range: up to three, driving the algorithm; see above for devices
	Residual  []expr.Expr // conjuncts checked on candidate pairs
	MarkID    expr.ColID  // Mark: the id of the mark column
	NullAware bool        // Mark, Anti: a NULL key or residual makes the mark NULL (IN, NOT IN)
	// BuildLeft is set to build the left side and probe with the right one (Inner, and the kinds
	// whose left rows are remembered in the table: Left, Semi, Anti, Full).
	BuildLeft bool
	// Streamed is set to read the input Built to its end, and then the other one without keeping
	// it (Range).
	Streamed bool
	// SortedL and SortedR report that according to statistics an input is ascending by the first
	// key, for which the estimate assumes that sorting is cheap. The operator checks and does not
	// rely on it.
	SortedL, SortedR bool
	// LeftFirst is set to read the left input first and make Filters from it, if both are held
	// (Merge, Range).
	LeftFirst bool
	// Filters are made from the input Built, for scans in the other one.
	Filters []MadeFilter
	// Keep is set if the built side serves all iterations of the enclosing recursive expression
	// (Hash).
	Keep bool
	Hint *logical.JoinHint // asks for a device or for algorithms; nil for none
	// Spread is how several devices run the join, below an aggregate; nil for one device.
	Spread *Spread
	// Pieces is how a device cuts the join matrix because the inputs do not fit its memory (NestedLoop); nil
	// if it does not.
	Pieces *MatrixPieces
}

// MatrixPieces are pieces of a join matrix of so many rows of both sides; those at the edges are smaller.
type MatrixPieces struct{ Left, Right, Count int64 }

// Built returns the input that is read to its end before the other one is opened: 0 or 1.
func (j *Join) Built() int {
	if j.LeftFirst || j.BuildLeft && (j.Algo == Hash || j.Algo == Index || j.Algo == Radix || j.Algo == NestedLoop || j.Streamed) {
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

// Apply runs In[1] once for each distinct combination of Bind's values in In[0]. In[1] refers to
// these values as expr.Param with Slot = index into Bind.
type Apply struct {
	Type   logical.JoinKind // Inner, Left, Semi, Anti, Mark or Single
	Bind   []expr.Expr
	On     []expr.Expr
	MarkID expr.ColID
}

// HashAgg groups by Keys and computes Aggs; node.Cols has the keys first. On a device its input
// is an inner Join without Residual on that device, it has no Keys, and its Aggs count rows or
// take one column of either input: COUNT, SUM, MIN, MAX or AVG, not DISTINCT. The joined rows are
// never materialised.
type HashAgg struct {
	Keys []expr.Expr
	Aggs []*expr.Agg
}

// KeepsRows reports whether memory grows with the number of rows: there are groups, or an
// aggregate keeps more than one value.
func (a *HashAgg) KeepsRows() bool {
	return len(a.Keys) > 0 || slices.ContainsFunc(a.Aggs, func(g *expr.Agg) bool {
		switch g.Fn {
		case expr.CountStar, expr.Count, expr.Sum, expr.Avg, expr.Min, expr.Max:
			return g.Distinct
		}
		return true
	})
}

// Rollup returns the rows of its input, which are groups that differ in Keys, and the groups of each
// prefix of the keys. Keys are columns; Aggs, whose arguments are columns of their types, merge the
// values of groups. node.Cols has a column for each key, which is NULL in groups that omit it, then
// the number of keys that the group keeps, then a column for each of Aggs.
type Rollup struct {
	Keys []expr.Expr
	Aggs []*expr.Agg
}

// GroupJoin returns the rows of In[0] with Aggs over their partners in In[1], the rows for which
// Keys and Ranges hold; it makes no pairs. node.Cols has columns of In[0], then a column for each
// of Aggs, whose T may be wider than SQL's. Ranges have a single operand on the left, or at most
// two on the right, one of which is bounded on one side only, or are one "<>". Where, if set,
// replaces both: conditions of any kind, tested for each pair.
type GroupJoin struct {
	Keys   []KeyPair
	Ranges []RangePred
	Where  []expr.Expr
	Aggs   []*expr.Agg // COUNT(*), and COUNT, SUM, MIN and MAX of an expression over In[1]
	// Outer keeps rows without partners; COUNT(*) counts them as one row of the join.
	Outer bool
	// Streamed is set to read In[0] to its end first, and then In[1] without keeping its rows.
	// Ranges then have at most one operand on the right, and no "<>".
	Streamed bool
}

// Sort orders all rows. With Limit >= 0 it is a top-N that keeps Limit+Offset rows and drops the
// first Offset. On devices, the host collects the rows, and the devices find their order.
type Sort struct {
	Keys          []expr.SortKey
	Limit, Offset int64 // Limit < 0: no limit
	// Bound is the number of the top-N's DynamicBound, which shares a numbering with dynamic
	// filters; 0: none.
	Bound int
	// Spread is how several devices sort; nil for one device and for the CPU.
	Spread *Spread
}

// mostBounded is the largest top-N for which keeping only the first rows is faster than sorting all.
const mostBounded = 1 << 16

// Bounded reports whether s is a top-N that discards rows while it reads its input.
func (s *Sort) Bounded() bool { return s.Limit >= 0 && s.Limit+s.Offset <= mostBounded }

// Window sorts its input by Keys and computes Funcs over it; node.Cols are the input's
// columns, then one for each function. One sort serves all windows whose keys are a
// prefix of Keys.
type Window struct {
	Keys  []expr.SortKey
	Funcs []WindowFunc
	// Top drops rows for which Funcs[TopBy], ROW_NUMBER or RANK, is above Top; 0 drops none. All
	// functions are then over one window.
	Top   int64
	TopBy int
}

// WindowFunc is a function over a window: the first Partition keys of the sort are the partition
// keys, and those from there up to Order are the order keys.
type WindowFunc struct {
	*expr.WindowFunc
	Partition, Order int
}

// Limit returns Count rows after Offset.
type Limit struct{ Count, Offset int64 }

// SetOp combines its two inputs.
type SetOp struct {
	Set logical.SetKind
	All bool
}

// Recursive returns the rows of In[0], then those of In[1] repeatedly until it has none:
// WorkTable nodes with the same Work in it return the rows that the last iteration added.
// cte_max_recursion_depth bounds the iterations, and Offset+Count the rows unless Count is
// negative.
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

// Shared computes In[0] once for several places of a plan and keeps its rows. Among the nodes
// with the same ID, the first has the input; the others return the columns At of its rows. If
// memory is short, each of them computes the input anew.
type Shared struct {
	ID   int
	Uses int // number of the other nodes; set in the first one
	At   []int
}

// MaxOneRow fails if a scalar subquery returns more than one row.
type MaxOneRow struct{}

// ToDevice and FromDevice mark the only crossings between devices and carry the price of the
// transfer; their node's Device is the accelerator. They are not operators: operators on a device
// move their input columns and results themselves, and record the bytes for these nodes.

// ToDevice marks where input columns that its consumer computes with cross to the device; the host
// keeps the others for the output.
type ToDevice struct {
	Bytes float64 // expected to cross the link
	// Resident is set if nothing needs to cross: In[0] is a Scan without Preds, or a Project of
	// columns over one, whose columns were on the device when the plan was made.
	Resident bool
}

// FromDevice marks where its input's result reaches the host: the row pairs of a Join, 8 bytes
// each, from which the host makes the output, or the values of a HashAgg. Its consumer is on the
// CPU, and may be a ToDevice.
type FromDevice struct{ Bytes float64 }

// Pipelines runs its input, a subtree whose nodes are all on the same device down to the scans, as
// fused pipelines there, and returns the rows to the host. Apart from the devices of its nodes, the
// subtree is a plan for the CPU, which is executed instead if the device cannot run it.
type Pipelines struct {
	Kernels  int     // kernels launched
	Bytes    float64 // bytes of columns that the kernels read
	Resident bool    // these columns were on the device when the plan was made
	// Streams are the tables of which some columns do not fit the device. Their rows cross the link in
	// blocks while the kernels run.
	Streams []Streamed
	// Passes is in how many passes, each for a part of the keys, the join with the largest index is computed;
	// 0 if at once.
	Passes int
}

// Streamed describes rows of a table that cross the link in blocks while a device works.
type Streamed struct {
	Table  string
	Bytes  float64
	Blocks float64
}

// IsCrossing reports whether op marks a crossing rather than an operator.
func IsCrossing(op Op) bool {
	switch op.(type) {
	case *ToDevice, *FromDevice:
		return true
	}
	return false
}

// Streams reports whether the workers of a plan never wait for each other: each reads rows of a
// source and passes them on one by one.
func (n *Node) Streams() bool {
	switch n.Op.(type) {
	case *Scan:
		return true
	case *Filter, *Project:
		return n.In[0].Streams()
	}
	return false
}
