// Package expr defines bound, typed expressions, which the binder makes, the planner rewrites and
// sql/eval computes. Expressions are immutable; a rewrite makes new ones.
package expr

import (
	"gsql/sql/catalog"
	"gsql/sql/types"
)

// ColID identifies a column within one statement. Every column that an operator produces has its
// own id, and operators refer to the columns of their inputs by id, not by position. A column that
// no input of a plan produces is a correlated (outer) column.
type ColID int32

// Expr is a bound expression. The concrete types are *Col, *Const, *Call, *Param,
// *Placeholder and *Subquery; operators switch over them.
type Expr interface {
	// Type returns the result type.
	Type() types.Type
	// String writes the expression as EXPLAIN shows it.
	String() string
}

// Col refers to a column of the operator's input.
type Col struct {
	ID   ColID
	Name string // for people: "t.a"
	T    types.Type
	Hex  bool // see IsHex
}

// Const is a literal or a folded value.
type Const struct {
	Value catalog.Datum // Value.Type is the constant's type
	Hex   bool          // a hexadecimal or bit literal: bytes, but a number where one is expected
}

// Call applies a scalar function or operator. Arguments have exactly the types that the function
// expects: NewCall inserts casts.
type Call struct {
	Fn   FuncID
	Args []Expr
	T    types.Type
	Pos  int // byte offset in the statement for run-time errors, -1 when unknown
}

// Param is a value that is constant during one execution of a plan but unknown to planning: a
// correlated column's current value while an Apply runs its inner plan.
type Param struct {
	Slot int
	T    types.Type
	Name string
}

// Subquery is a subquery inside an expression, before the decorrelation rules turn it into a join.
// Plan is a *logical.Node, which this package does not know.
type Subquery struct {
	Kind SubqueryKind
	Plan any
	Op   FuncID // Any, All: the comparison "=", "<>", "<", "<=", ">", ">="
	Left []Expr // In, Any, All: the left operand (one, or several for a row)
	Col  int    // Scalar: the column whose value is meant; those of one row share the Plan
	T    types.Type
	Neg  bool // NOT EXISTS, NOT IN
	Pos  int

	// Hint is a *logical.JoinHint for the join that the subquery becomes; nil without one.
	Hint any

	Hex       bool // Scalar: see IsHex
	Coercible bool // Scalar: the text yields to other collations, as a literal's does
}

// SubqueryKind is the form of a subquery.
type SubqueryKind uint8

// The kinds of subqueries. IN is = ANY, NOT IN is <> ALL with Neg.
const (
	Scalar SubqueryKind = iota
	Exists
	In
	Any
	All
)

// Type implements Expr.
func (c *Col) Type() types.Type { return c.T }

// Type implements Expr.
func (c *Const) Type() types.Type { return c.Value.Type }

// Type implements Expr.
func (c *Call) Type() types.Type { return c.T }

// Type implements Expr.
func (p *Param) Type() types.Type { return p.T }

// Type implements Expr.
func (s *Subquery) Type() types.Type { return s.T }

// Agg is an aggregate of an Aggregate node.
type Agg struct {
	Fn       AggFn
	Args     []Expr // one for most; COUNT(*) has none; COUNT(DISTINCT a, b) several
	Distinct bool
	OrderBy  []SortKey // GROUP_CONCAT
	Sep      string    // GROUP_CONCAT
	T        types.Type
}

// AggFn names an aggregate function.
type AggFn uint8

// The aggregate functions. CountStar counts rows. First returns the value of the first row read,
// for columns outside GROUP BY without ONLY_FULL_GROUP_BY.
const (
	CountStar AggFn = iota
	Count
	Sum
	Avg
	Min
	Max
	GroupConcat
	StddevPop
	StddevSamp
	VarPop
	VarSamp
	BitAnd
	BitOr
	BitXor
	First
	JSONArrayAgg
	JSONObjectAgg
	Median
)

// Gathers reports whether an aggregate concatenates its rows, so that their order is visible in the
// result.
func (f AggFn) Gathers() bool {
	return f == GroupConcat || f == JSONArrayAgg || f == JSONObjectAgg
}

// SortKey is one key of an ORDER BY.
type SortKey struct {
	Expr Expr
	Desc bool // NULLs come first ascending and last descending, as in MySQL
}
