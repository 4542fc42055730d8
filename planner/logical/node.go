// Package logical is gsql's relational algebra: the meaning of a query, without algorithms, costs
// or devices. The binder builds it, rules rewrite it, and planner/implement turns it into
// physical nodes. Nodes are immutable: rules build new ones with WithInputs or struct copies.
package logical

import (
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Column is an output column of a node.
type Column struct {
	ID      expr.ColID
	Name    string // the bare column name or alias, as the result set shows it
	Table   string // the table's alias, or ""
	T       types.Type
	NotNull bool // proven never NULL
	Hex     bool // its values are those of an expression of expr.IsHex; references that the binder makes note it
}

// Ref returns the expression that refers to the column.
func (c Column) Ref() *expr.Col {
	name := c.Name
	if c.Table != "" {
		name = c.Table + "." + c.Name
	}
	return &expr.Col{ID: c.ID, Name: name, T: c.T}
}

// Node is an operator of the algebra.
type Node interface {
	// Schema returns the output columns in order.
	Schema() []Column
	// Inputs returns the children, left first.
	Inputs() []Node
	// WithInputs copies the node with other children (as many as Inputs returns).
	WithInputs(in []Node) Node
}

// Scan reads columns of a table.
type Scan struct {
	Table    catalog.Table
	DB       string
	Alias    string      // name in the query
	Columns  []Column    // columns to read
	Ordinals []int       // Columns[i] is the table's column Ordinals[i] (or catalog.RowID)
	Preds    []expr.Expr // conjuncts pushed into the scan, over Columns
}

// Values is a list of literal rows. SELECT without FROM is one row of no columns.
type Values struct {
	Columns []Column
	Rows    [][]expr.Expr // without column references
}

// Filter keeps the rows for which every conjunct is true.
type Filter struct {
	In    Node
	Preds []expr.Expr
}

// Item computes one output column. An item whose Expr is a *expr.Col with the same ID passes that
// column through.
type Item struct {
	Col  Column
	Expr expr.Expr
}

// Project returns its items and no other columns.
type Project struct {
	In    Node
	Items []Item
}

// JoinKind determines which rows a join returns.
type JoinKind uint8

// The kinds of joins. RIGHT JOIN is bound as LEFT with its sides swapped.
const (
	Inner  JoinKind = iota // pairs for which On is true; CROSS if On is empty
	Left                   // pairs, and left rows without a partner padded with NULLs
	Semi                   // left rows with at least one partner
	Anti                   // left rows without a partner (NOT EXISTS)
	Mark                   // left rows with one more column: TRUE if On is true for some right row, else NULL if it is NULL for some, else FALSE (IN)
	Single                 // like Left, but error 1242 if a left row has two partners (scalar subqueries)
	Full                   // like Left, and right rows without a partner padded with NULLs
)

// PadsLeft reports whether some output rows may have NULLs in all left columns, whatever the
// input holds.
func (k JoinKind) PadsLeft() bool { return k == Full }

// PadsRight is PadsLeft for the right columns.
func (k JoinKind) PadsRight() bool { return k == Left || k == Single || k == Full }

// Join combines two inputs. It returns the left columns, then the right ones (Inner, Left,
// Single, Full) or MarkCol (Mark).
type Join struct {
	Kind    JoinKind
	L, R    Node
	On      []expr.Expr // conjuncts over the columns of both inputs
	MarkCol Column      // Mark
	// Correlated reports whether R's subtree refers to columns of L. Decorrelation removes such
	// references; what remains runs once per distinct binding (an apply).
	Correlated bool
	// Hint is set if the user forced or forbade algorithms, or fixed the order.
	Hint *JoinHint
}

// JoinHint holds the hints for the join of a table. The binder sets it on the joins that take a
// named table as an input; Tables lets it follow the table when the join order changes.
type JoinHint struct {
	Tables   []string // aliases that the hint names; empty: it applies to this join
	Force    []string // algorithms to choose from: "nl", "hash", "radix", "merge", "range"
	Forbid   []string
	Device   string   // "cpu", "gpu", or "" for any
	Straight bool     // STRAIGHT_JOIN: the order of the inputs stays as written
	Leading  []string // LEADING: aliases to join first, in this order; on any join of the query block
	Text     string   // as written, for warnings
}

// AggItem computes one aggregate.
type AggItem struct {
	Col Column
	Agg *expr.Agg
}

// Aggregate groups by Keys (columns of In, which it passes on first) and computes
// Aggs. Without keys it returns exactly one row. DISTINCT is an Aggregate without Aggs.
type Aggregate struct {
	In   Node
	Keys []Column
	Aggs []AggItem
}

// WindowItem computes one window function.
type WindowItem struct {
	Col Column
	Fn  *expr.WindowFunc
}

// Window adds to each row the values of functions over the row's partition: the rows that agree
// in Partition, in the order of Order. It passes on all columns of In first. The order of its
// output is undefined.
type Window struct {
	In        Node
	Partition []expr.Expr
	Order     []expr.SortKey
	Funcs     []WindowItem
	Top       WindowTop
}

// WindowTop drops the rows of a Window for which ROW_NUMBER or RANK, the function of column By,
// is above Count; 0 drops none. The other functions depend on no later row than their own, so the
// dropped rows do not affect them.
type WindowTop struct {
	By    expr.ColID
	Count int64
}

// Sort orders rows by keys.
type Sort struct {
	In   Node
	Keys []expr.SortKey
}

// Limit returns Count rows after skipping Offset; Count < 0 means all.
type Limit struct {
	In            Node
	Count, Offset int64
}

// SetKind is the kind of a set operation.
type SetKind uint8

// The set operations.
const (
	Union SetKind = iota
	Except
	Intersect
)

// SetOp combines two inputs that have the same number of columns, of the same types. Column i of
// the output takes its values from column i of either side; Columns has new ids.
type SetOp struct {
	Kind    SetKind
	All     bool
	L, R    Node
	Columns []Column
}

// Recursive is a recursive common table expression: the rows of Seed, then those that Step
// computes from them, then those it computes from these, until there are none. Column i of the
// output takes its values from column i of either input, which has the same type; Columns has new
// ids.
type Recursive struct {
	Name string
	// Seed does not refer to the expression. Step does, through WorkTable nodes with the same
	// Work, which return the rows of the previous iteration.
	Seed, Step    Node
	Work          int
	Columns       []Column
	Distinct      bool  // rows that occurred before are dropped
	Count, Offset int64 // stops after Offset+Count rows and drops the first Offset; Count < 0: no limit
}

// WorkTable returns the rows that the last iteration of the enclosing Recursive added.
type WorkTable struct {
	Work    int
	Alias   string
	Columns []Column
}

// MaxOneRow fails with error 1242 if its input has two rows, and returns one row of NULLs if it
// has none.
type MaxOneRow struct{ In Node }
