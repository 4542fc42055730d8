package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
	"gsql/sql/types"
)

var operators = map[opcode.Op]string{
	opcode.GE: ">=", opcode.LE: "<=", opcode.EQ: "=", opcode.NE: "<>", opcode.LT: "<", opcode.GT: ">", opcode.NullEQ: "<=>",
	opcode.Plus: "+", opcode.Minus: "-", opcode.Mul: "*", opcode.Div: "/", opcode.IntDiv: "div", opcode.Mod: "%",
	opcode.And: "&", opcode.Or: "|", opcode.Xor: "^", opcode.LeftShift: "<<", opcode.RightShift: ">>",
	opcode.LogicAnd: "and", opcode.LogicOr: "or", opcode.LogicXor: "xor",
}

func (b *block) binary(n *ast.BinaryOperationExpr, pos int) (expr.Expr, error) {
	fn := operators[n.Op]
	switch {
	case fn == "":
		return nil, sqlerr.Unsupported(pos, "operator %s", n.Op)
	case n.Op == opcode.LogicAnd || n.Op == opcode.LogicOr:
		return b.chain(n, fn, pos)
	}
	if rowsCompared(n) {
		left, err := b.rowValues(n.L)
		if err != nil {
			return nil, err
		}
		return b.compareRows(fn, left, n.R, pos)
	}
	var pair [2]expr.Expr
	args := pair[:]
	if err := b.bindAll(args, n.L, n.R); err != nil {
		return nil, err
	}
	if arithmetic(n.Op) {
		for i, a := range args {
			args[i] = binaryNumber(a)
		}
	}
	if bitwise(n.Op) {
		if binaryOperands(n.Op, args) {
			return expr.NewCall("binary "+fn, args, pos)
		}
		for i, a := range args {
			args[i] = binaryNumber(a)
		}
	}
	if n.Op == opcode.Minus && b.mode.Has(sqlmode.NoUnsignedSubtraction) && unsigned(args) {
		fn = "signed -"
	}
	return expr.NewCall(fn, args, pos)
}

func bitwise(op opcode.Op) bool {
	switch op {
	case opcode.And, opcode.Or, opcode.Xor, opcode.LeftShift, opcode.RightShift:
		return true
	}
	return false
}

// binaryOperands tells whether an operator on bits works on binary strings, which it
// does unless they all are literals; a shift has one, the others two.
func binaryOperands(op opcode.Op, args []expr.Expr) bool {
	if op == opcode.LeftShift || op == opcode.RightShift {
		args = args[:1]
	}
	literals := 0
	for _, a := range args {
		if a.Type().ID != types.Bytes {
			return false
		}
		if _, ok := a.(*expr.Const); ok {
			literals++
		}
	}
	return literals < len(args)
}

// unsigned tells integers of which one is unsigned.
func unsigned(args []expr.Expr) bool {
	some := false
	for _, a := range args {
		t := expr.Number(a.Type())
		if !t.IsInteger() {
			return false
		}
		some = some || t.IsUnsigned()
	}
	return some
}

func arithmetic(op opcode.Op) bool {
	switch op {
	case opcode.Plus, opcode.Minus, opcode.Mul, opcode.Div, opcode.IntDiv, opcode.Mod:
		return true
	}
	return false
}

// binaryNumber makes a hexadecimal or bit literal the number it is in arithmetic.
func binaryNumber(e expr.Expr) expr.Expr {
	c, ok := e.(*expr.Const)
	if !ok || c.Value.Null || c.Value.Type.ID != types.Bytes || len(c.Value.Str) > 8 {
		return e
	}
	var x uint64
	for _, ch := range []byte(c.Value.Str) {
		x = x<<8 | uint64(ch)
	}
	return &expr.Const{Value: catalog.Datum{Type: types.T(types.Uint64), I64: int64(x)}}
}

// chain binds a chain of ANDs or of ORs, however long, without recursion along it.
func (b *block) chain(n *ast.BinaryOperationExpr, fn string, pos int) (expr.Expr, error) {
	var termRoom, stackRoom [fewExprs]ast.ExprNode
	terms, stack := termRoom[:0], append(stackRoom[:0], n)
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch x := top.(type) {
		case *ast.BinaryOperationExpr:
			if x.Op == n.Op {
				stack = append(stack, x.R, x.L)
				continue
			}
		case *ast.ParenthesesExpr:
			stack = append(stack, x.Expr)
			continue
		}
		terms = append(terms, top)
	}
	var few [fewExprs]expr.Expr
	args := room(few[:], len(terms))
	if err := b.bindAll(args, terms...); err != nil {
		return nil, err
	}
	return expr.NewCall(fn, args, pos)
}

func (b *block) unary(n *ast.UnaryOperationExpr, pos int) (expr.Expr, error) {
	e, err := b.expr(n.V)
	if err != nil {
		return nil, err
	}
	switch n.Op {
	case opcode.Plus:
		return e, nil
	case opcode.Minus:
		return expr.NewCall("neg", []expr.Expr{binaryNumber(e)}, pos)
	case opcode.BitNeg:
		if binaryOperands(n.Op, []expr.Expr{e}) {
			return expr.NewCall("binary ~", []expr.Expr{e}, pos)
		}
		return expr.NewCall("~", []expr.Expr{binaryNumber(e)}, pos)
	case opcode.Not, opcode.Not2:
		if q, ok := e.(*expr.Subquery); ok && (q.Kind == expr.Exists || q.Kind == expr.In) {
			c := *q
			c.Neg = !c.Neg
			return &c, nil
		}
		return expr.NewCall("not", []expr.Expr{e}, pos)
	}
	return nil, sqlerr.Unsupported(pos, "operator %s", n.Op)
}
