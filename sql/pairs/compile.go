package pairs

import (
	"slices"

	"gsql/internal/dec128"
	"gsql/internal/simd"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// program is a condition on numbers that are available for each row of a side.
type program struct {
	nodes     []node
	leaves    [][]leaf // by node
	operands  [2][]operand
	conjuncts []conjunct
}

// leaf is an operand that a node is computed from. The node is NULL if the operand is NULL or, as
// a divisor, zero.
type leaf struct {
	side    Side
	operand int
	divides bool
}

// operand is an expression over one side, computed once per row.
type operand struct {
	e       expr.Expr
	value   *eval.Program
	float   bool
	divides bool // the operand is used as a divisor
}

// node is a number computed for each pair. Integers and decimals are integers, decimals being
// scaled by the power of ten of their type; floats have separate operations.
type node struct {
	kind   nodeKind
	float  bool
	op     simd.Operation
	a, b   int // computed: argument nodes; loaded: the side and its operand
	i      int64
	f      float64
	within limit // computed: the range that the values must stay within
	byZero bool  // remainders: the divisor, an operand, may be zero
}

type nodeKind uint8

const (
	loaded nodeKind = iota
	constant
	computed
)

// limit is the range of an integer type.
type limit struct{ lo, hi int64 }

// conjunct is a part of the condition. It lists the nodes that no earlier conjunct needs, and the
// remainders among them whose divisor may be zero.
type conjunct struct {
	test      test
	nodes     []int
	divisions []int
}

// test is a tree of comparisons that is either TRUE or not. Negations are moved down to the
// comparisons, so that a NULL only makes its own comparison not TRUE.
type test struct {
	form testForm
	p    simd.Predicate
	a, b int // nodes
	kids []test
}

type testForm uint8

const (
	compared testForm = iota
	isNull
	isNotNull
	every
	some
)

// compiler compiles programs.
type compiler struct {
	p      program
	sideOf func(expr.ColID) Side
	ids    [2][]expr.ColID
	nested bool // below OR or NOT, where some pairs that reach the conjunct skip the evaluation
	fresh  []int
}

func newCompiler(left, right []expr.ColID) *compiler {
	c := &compiler{ids: [2][]expr.ColID{left, right}}
	c.sideOf = func(id expr.ColID) Side {
		if slices.Contains(left, id) {
			return Left
		}
		return Right
	}
	return c
}

// conjunction compiles predicates and reports whether it could compile all of them.
func (c *compiler) conjunction(preds []expr.Expr) bool {
	for _, p := range preds {
		for _, e := range expr.Conjuncts(p) {
			if expr.Volatile(e) {
				return false
			}
			c.nested, c.fresh = false, nil
			t, ok := c.test(e, false)
			if !ok {
				return false
			}
			c.p.conjuncts = append(c.p.conjuncts, conjunct{test: t, nodes: c.fresh})
		}
	}
	return len(c.p.conjuncts) > 0
}

// finish compiles the operands.
func (c *compiler) finish() (*program, error) {
	for _, n := range c.p.nodes {
		c.p.leaves = append(c.p.leaves, c.leavesOf(&n))
	}
	for i := range c.p.conjuncts {
		k := &c.p.conjuncts[i]
		for _, n := range k.nodes {
			if c.p.nodes[n].byZero {
				k.divisions = append(k.divisions, n)
			}
		}
	}
	for side, list := range c.p.operands {
		for i := range list {
			var err error
			if list[i].value, err = eval.Compile(list[i].e, c.ids[side]); err != nil {
				return nil, err
			}
		}
	}
	return &c.p, nil
}

// leavesOf returns the operands that a node is computed from. The node's arguments must come
// before it.
func (c *compiler) leavesOf(n *node) []leaf {
	switch n.kind {
	case loaded:
		return []leaf{{side: Side(n.a), operand: n.b}}
	case constant:
		return nil
	}
	out := slices.Concat(c.p.leaves[n.a], c.p.leaves[n.b])
	if n.byZero {
		d := c.p.nodes[n.b]
		out = append(out, leaf{Side(d.a), d.b, true})
	}
	return out
}

var comparisons = map[expr.FuncID]simd.Predicate{expr.FuncEQ: simd.Equal, expr.FuncNE: simd.NotEqual, expr.FuncLT: simd.Less, expr.FuncLE: simd.LessEqual, expr.FuncGT: simd.Greater, expr.FuncGE: simd.GreaterEqual}

// opposite maps a predicate to its negation, and mirrored to the same predicate with exchanged
// operands.
var (
	opposite = [...]simd.Predicate{simd.Equal: simd.NotEqual, simd.NotEqual: simd.Equal, simd.Less: simd.GreaterEqual, simd.GreaterEqual: simd.Less, simd.LessEqual: simd.Greater, simd.Greater: simd.LessEqual}
	mirrored = [...]simd.Predicate{simd.Equal: simd.Equal, simd.NotEqual: simd.NotEqual, simd.Less: simd.Greater, simd.Greater: simd.Less, simd.LessEqual: simd.GreaterEqual, simd.GreaterEqual: simd.LessEqual}
)

// test compiles e, or its negation, as a truth value.
func (c *compiler) test(e expr.Expr, negated bool) (test, bool) {
	call, ok := e.(*expr.Call)
	if !ok {
		return c.truth(e, negated)
	}
	p, isComparison := comparisons[call.Fn]
	switch {
	case isComparison:
		if negated {
			p = opposite[p]
		}
		return c.comparison(p, call)
	case call.Fn == expr.FuncNot:
		c.nested = true
		return c.test(call.Args[0], !negated)
	case call.Fn == expr.FuncIsNull:
		return c.nullTest(call.Args[0], negated)
	case call.Fn == expr.FuncAnd || call.Fn == expr.FuncOr:
		return c.connective((call.Fn == expr.FuncAnd) != negated, call.Args, negated)
	}
	return c.truth(e, negated)
}

func (c *compiler) connective(conjunction bool, args []expr.Expr, negated bool) (test, bool) {
	t := test{form: some}
	if conjunction {
		t.form = every
	}
	c.nested = true
	for _, a := range args {
		kid, ok := c.test(a, negated)
		if !ok {
			return t, false
		}
		t.kids = append(t.kids, kid)
	}
	return t, true
}

// truth compiles a number as a truth value.
func (c *compiler) truth(e expr.Expr, negated bool) (test, bool) {
	a, ok := c.number(e)
	if !ok {
		return test{}, false
	}
	zero := node{kind: constant, float: c.p.nodes[a].float}
	t := test{form: compared, p: simd.NotEqual, a: a, b: c.add(zero)}
	if negated {
		t.p = simd.Equal
	}
	return t, true
}

func (c *compiler) nullTest(e expr.Expr, negated bool) (test, bool) {
	c.nested = true
	a, ok := c.number(e)
	t := test{form: isNull, a: a}
	if negated {
		t.form = isNotNull
	}
	return t, ok
}

// comparison compiles a comparison of numbers of one kind; decimals are brought to the larger
// scale.
func (c *compiler) comparison(p simd.Predicate, call *expr.Call) (test, bool) {
	x, y := call.Args[0], call.Args[1]
	tx, ty := x.Type(), y.Type()
	if tx.Kind() != ty.Kind() {
		return test{}, false
	}
	a, ok := c.number(x)
	if !ok {
		return test{}, false
	}
	b, ok := c.number(y)
	if !ok {
		return test{}, false
	}
	if tx.Kind() == types.KindDec {
		a, b = c.scaled(a, int(ty.Scale)-int(tx.Scale)), c.scaled(b, int(tx.Scale)-int(ty.Scale))
	}
	return test{form: compared, p: p, a: a, b: b}, a >= 0 && b >= 0
}

// scaled returns node a multiplied by 10^digits if digits is positive, or a negative number if
// digits is too large.
func (c *compiler) scaled(a, digits int) int {
	if digits <= 0 {
		return a
	}
	if digits > maxDigits {
		return -1
	}
	power := int64(dec128.Pow10Word(digits))
	return c.add(node{kind: computed, op: simd.Mul, a: a, b: c.add(node{kind: constant, i: power}), within: anyInteger})
}

// maxDigits is the number of decimal digits that always fit in 64 bits.
const maxDigits = 18

// add returns the number of node n, reusing an equal node if there is one.
func (c *compiler) add(n node) int {
	if i := slices.Index(c.p.nodes, n); i >= 0 {
		return i
	}
	c.p.nodes = append(c.p.nodes, n)
	c.fresh = append(c.fresh, len(c.p.nodes)-1)
	return len(c.p.nodes) - 1
}

// constantOf adds the node of a literal.
func (c *compiler) constantOf(k *expr.Const) (int, bool) {
	n, v := node{kind: constant}, &k.Value
	switch k.Value.Type.Kind() {
	case types.KindI64:
		n.i = v.I64
	case types.KindU64:
		n.i = v.I64
		if v.I64 < 0 {
			return 0, false
		}
	case types.KindF64:
		n.float, n.f = true, v.F64
	case types.KindDec:
		n.i = int64(v.Dec.LowBits())
		if !dec128.IsInt64(v.Dec) {
			return 0, false
		}
	default:
		return 0, false
	}
	return c.add(n), !v.Null
}
