package pipelinetest

import (
	"fmt"
	"math"
	"math/big"
	"sort"

	"gsql/gpu/pipeline"
)

// value is a value of one row: i for integers and truth values, f for doubles, w for an Int128.
type value struct {
	null bool
	i    int64
	f    float64
	w    *big.Int
}

func truth(b bool) value {
	if b {
		return value{i: 1}
	}
	return value{}
}

// at returns element n of a column.
func (c *Column) at(n int64) value {
	switch {
	case c.Valid != nil && !c.Valid[n]:
		return value{null: true}
	case c.Floats != nil:
		return value{f: c.Floats[n]}
	}
	return value{i: c.Ints[n]}
}

// rowOf returns the number of the row at a stage, or of the source.
func (r *passing) rowOf(at int) int64 {
	if at == pipeline.None {
		return r.row
	}
	return r.match[at]
}

// eval computes an expression. A result outside its bounds is a bug in the code that made the
// program.
func (r *passing) eval(e *pipeline.Expr) value {
	v := r.compute(e)
	if e.Kind == pipeline.Int && !v.null && (v.i < e.Min || v.i > e.Max) && !r.failed {
		panic(fmt.Sprintf("operation %d is %d, beyond %d to %d", e.Op, v.i, e.Min, e.Max))
	}
	if v.null && !e.Nullable {
		panic(fmt.Sprintf("operation %d is NULL", e.Op))
	}
	return v
}

func (r *passing) compute(e *pipeline.Expr) value {
	switch e.Op {
	case pipeline.OpConst:
		return value{i: e.Value, f: e.Real, w: e.Least.BigInt()}
	case pipeline.OpNull:
		return value{null: true}
	case pipeline.OpLoad:
		if at := r.rowOf(e.At); at >= 0 {
			return r.columns[e.Column].at(at)
		}
		return value{null: true}
	case pipeline.OpRow:
		at := r.rowOf(e.At)
		return value{null: at < 0, i: at}
	case pipeline.OpMatched:
		return truth(r.match[e.At] >= 0)
	case pipeline.OpAnd, pipeline.OpOr:
		return r.connect(e)
	case pipeline.OpIsNull:
		return truth(r.eval(e.Args[0]).null)
	case pipeline.OpIf:
		if c := r.eval(e.Args[0]); !c.null && c.i != 0 {
			return r.eval(e.Args[1])
		}
		return r.eval(e.Args[2])
	}
	args := make([]value, len(e.Args))
	for i, a := range e.Args {
		if args[i] = r.eval(a); args[i].null {
			return value{null: true}
		}
	}
	switch {
	case isQuotient(e) && args[1].isZero(e.Args[1].Kind):
		if r.pl.Sample <= 1 {
			r.zeros++
		}
		return value{null: true}
	case e.Kind == pipeline.Int128 || e.Args[0].Kind == pipeline.Int128:
		return r.long(e, args)
	case e.Op == pipeline.OpWithin:
		r.failed = r.failed || args[0].i < e.Min || args[0].i > e.Max
		return args[0]
	case e.Op == pipeline.OpLookup:
		return r.columns[e.Column].at(args[0].i)
	case e.Op == pipeline.OpBelow:
		n := sort.Search(int(args[1].i), func(i int) bool {
			x := r.columns[e.Column].Ints[i]
			return x > args[0].i || x == args[0].i && e.Value == 0
		})
		return value{i: int64(n)}
	case e.Op == pipeline.OpFind:
		slot, ok := r.slots[e.At][args[0].i]
		return value{null: !ok, i: slot}
	case e.Op == pipeline.OpSlot:
		return value{i: r.insert(e.At, args[0].i)}
	case len(args) == 1:
		return unary(e.Op, args[0])
	case e.Args[0].Kind == pipeline.Float:
		v := floats(e.Op, args[0].f, args[1].f)
		r.failed = r.failed || math.IsInf(v.f, 0)
		return v
	}
	return ints(e.Op, args[0].i, args[1].i)
}

func (r *passing) connect(e *pipeline.Expr) value {
	decides, null := int64(0), false
	if e.Op == pipeline.OpOr {
		decides = 1
	}
	for _, a := range e.Args {
		switch v := r.eval(a); {
		case v.null:
			null = true
		case v.i == decides:
			return value{i: decides}
		}
	}
	return value{null: null, i: 1 - decides}
}

func unary(op pipeline.Op, x value) value {
	switch op {
	case pipeline.OpNot:
		return truth(x.i == 0)
	case pipeline.OpNeg:
		return value{i: -x.i, f: -x.f}
	case pipeline.OpAbs:
		return value{i: max(x.i, -x.i), f: math.Abs(x.f)}
	case pipeline.OpFloat:
		return value{f: float64(x.i)}
	case pipeline.OpSqrt:
		return value{f: math.Sqrt(x.f)}
	case pipeline.OpInt:
		return x
	case pipeline.OpOrdered:
		if x.f == 0 {
			return value{}
		}
		return value{i: pipeline.Ordered(int64(math.Float64bits(x.f)))}
	case pipeline.OpFromOrdered:
		return value{f: math.Float64frombits(uint64(pipeline.Ordered(x.i)))}
	}
	panic(fmt.Sprintf("operation %d of one argument", op))
}

// ints computes with numbers of any length; the result must fit in 64 bits.
func ints(op pipeline.Op, a, b int64) value {
	x, y, z := big.NewInt(a), big.NewInt(b), new(big.Int)
	switch op {
	case pipeline.OpAdd:
		z.Add(x, y)
	case pipeline.OpSub:
		z.Sub(x, y)
	case pipeline.OpMul:
		z.Mul(x, y)
	case pipeline.OpQuo:
		z.Quo(x, y)
	case pipeline.OpRem:
		z.Rem(x, y)
	case pipeline.OpQuoRound:
		z = rounded(x, y)
	case pipeline.OpLess:
		return value{i: min(a, b)}
	case pipeline.OpGreater:
		return value{i: max(a, b)}
	default:
		return compare(op, x.Cmp(y) < 0, x.Cmp(y) == 0)
	}
	if !z.IsInt64() {
		panic(fmt.Sprintf("operation %d of %d and %d overflows", op, a, b))
	}
	return value{i: z.Int64()}
}

// rounded returns x/y, halves away from zero: twice |x| plus |y| over twice |y|, with the sign.
func rounded(x, y *big.Int) *big.Int {
	n, d := new(big.Int).Abs(x), new(big.Int).Abs(y)
	n.Lsh(n, 1).Add(n, d)
	n.Quo(n, d.Lsh(d, 1))
	if x.Sign()*y.Sign() < 0 {
		n.Neg(n)
	}
	return n
}

func floats(op pipeline.Op, a, b float64) value {
	switch op {
	case pipeline.OpAdd:
		return value{f: a + b}
	case pipeline.OpSub:
		return value{f: a - b}
	case pipeline.OpMul:
		return value{f: a * b}
	case pipeline.OpQuo:
		return value{f: a / b}
	case pipeline.OpLess:
		return value{f: min(a, b)}
	case pipeline.OpGreater:
		return value{f: max(a, b)}
	}
	if op == pipeline.OpNE {
		return truth(a < b || a > b)
	}
	return compare(op, a < b, a == b)
}

func compare(op pipeline.Op, less, equal bool) value {
	switch op {
	case pipeline.OpEQ:
		return truth(equal)
	case pipeline.OpNE:
		return truth(!equal)
	case pipeline.OpLT:
		return truth(less)
	case pipeline.OpLE:
		return truth(less || equal)
	case pipeline.OpGT:
		return truth(!less && !equal)
	case pipeline.OpGE:
		return truth(!less)
	}
	panic(fmt.Sprintf("operation %d of two arguments", op))
}
