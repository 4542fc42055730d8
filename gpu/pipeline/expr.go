package pipeline

import "github.com/apache/arrow/go/v17/arrow/decimal128"

// Op is an operation of an expression.
type Op uint8

// The operations. Unless said otherwise the result is NULL if an argument is.
const (
	OpConst  Op = iota // Value or Real
	OpNull             // NULL of any kind
	OpLoad             // element of Column at the row of stage At, or of the source if At is None
	OpLookup           // element of Column whose number is Args[0]; it must be within the column
	// OpRow is the number of the row of stage At, or of the source if At is None. For a stage that
	// probes an index of values, it is the value found.
	OpRow
	// OpSlot is the slot of the key Args[0], which is never NULL, in the hash index At. It adds the
	// key if necessary. Keys that are too wide for one index are numbered by other indexes in this
	// way.
	OpSlot
	// OpFind is the slot of the key Args[0] in the hash index of groups At, or NULL if that does not have it.
	OpFind
	// OpBelow is the number of the first Args[1] elements of Column that are less than Args[0] or, if Value is 1,
	// not greater. These elements, of 8 bytes, ascend, and their number is never NULL.
	OpBelow
	OpMatched // Bool: whether the Mark or Left join of stage At found a row; never NULL

	OpAdd
	OpSub
	OpMul
	OpNeg
	OpAbs
	// OpQuo is a quotient, of integers truncated towards zero. Where the divisor of integers or doubles
	// is 0, the result is NULL, and the program counts the row.
	OpQuo
	OpRem      // remainder of OpQuo of integers, which has the sign of the dividend
	OpQuoRound // quotient of integers rounded to the nearest, halves away from zero
	OpSqrt     // square root of a double that is not negative
	OpLess     // the lesser of two
	OpGreater  // the greater of two

	OpEQ // Bool, as all comparisons; of two integers or two doubles
	OpNE
	OpLT
	OpLE
	OpGT
	OpGE

	OpAnd    // Bool, of any number, with three values
	OpOr     // Bool, of any number, with three values
	OpNot    // Bool
	OpIsNull // Bool, never NULL

	OpIf    // Args[1] if Args[0] is true, else Args[2]
	OpFloat // a double from an integer
	// OpOrdered is the Ordered of a double as an integer, with -0 treated as 0. It is therefore
	// never -1, the Ordered of -0.
	OpOrdered
	OpFromOrdered // the double of which the integer is the Ordered
	OpInt         // 1 for true and 0 for false

	OpInt128 // an Int128 from an integer
	OpNarrow // the integer that an Int128 is, which must fit
	OpWords  // the Int128 of which Args[0] is OpLow and Args[1] is OpHigh
	OpLow    // the lowest 64 bits of an Int128, as a signed integer
	OpHigh   // the Int128 minus its OpLow, divided by 2^64
	// OpWithin is an integer or an Int128 that is within the bounds of the expression. If it is not, the
	// program fails.
	OpWithin
)

// Expr is an expression over one row of a pipeline. Equal expressions of a Builder are one pointer,
// so that a program is a graph in which each value is computed once.
type Expr struct {
	Op       Op
	Kind     Kind
	Args     []*Expr
	Column   int // OpLoad, OpLookup, OpBelow
	At       int // OpLoad, OpRow, OpMatched: a stage; OpSlot, OpFind: an index
	Value    int64
	Real     float64
	Nullable bool
	Min, Max int64 // bounds of an integer that is not NULL
	// Least and Most are the bounds of an Int128 that is not NULL.
	Least, Most decimal128.Num
	// Fails is set if the operation may fail for a row or divide by 0: a row that needs an Int128 of
	// more than 38 digits or an infinite double makes the program fail. Careful is set if it, or an
	// expression below it, may.
	Fails, Careful bool
}

// IsConst reports whether e is a constant that is not NULL.
func (e *Expr) IsConst() bool { return e.Op == OpConst }

// Wide reports whether integers of e need more than 32 bits.
func (e *Expr) Wide() bool { return e.Min < -1<<31 || e.Max > 1<<31-1 }

// Walk calls f for e and all expressions below it, arguments first, each once.
func (e *Expr) Walk(f func(*Expr)) { e.walk(map[*Expr]bool{}, f) }

func (e *Expr) walk(seen map[*Expr]bool, f func(*Expr)) {
	if seen[e] {
		return
	}
	seen[e] = true
	for _, a := range e.Args {
		a.walk(seen, f)
	}
	f(e)
}
