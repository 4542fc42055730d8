package scalar

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
	"gsql/sql/types"
)

var operators = map[opcode.Op]expr.FuncID{
	opcode.GE: expr.FuncGE, opcode.LE: expr.FuncLE, opcode.EQ: expr.FuncEQ, opcode.NE: expr.FuncNE, opcode.LT: expr.FuncLT, opcode.GT: expr.FuncGT, opcode.NullEQ: expr.FuncNullSafeEQ,
	opcode.Plus: expr.FuncAdd, opcode.Minus: expr.FuncSub, opcode.Mul: expr.FuncMul, opcode.Div: expr.FuncDiv, opcode.IntDiv: expr.FuncIntDiv, opcode.Mod: expr.FuncMod,
	opcode.And: expr.FuncBitAnd, opcode.Or: expr.FuncBitOr, opcode.Xor: expr.FuncBitXor, opcode.LeftShift: expr.FuncShiftLeft, opcode.RightShift: expr.FuncShiftRight,
	opcode.LogicAnd: expr.FuncAnd, opcode.LogicOr: expr.FuncOr, opcode.LogicXor: expr.FuncXor,
}

// bytewise maps the bit operators to their functions on byte strings.
var bytewise = map[opcode.Op]expr.FuncID{
	opcode.And: expr.FuncBinaryAnd, opcode.Or: expr.FuncBinaryOr, opcode.Xor: expr.FuncBinaryXor,
	opcode.LeftShift: expr.FuncBinaryShiftLeft, opcode.RightShift: expr.FuncBinaryShiftRight,
}

func (b *Binder) binary(n *ast.BinaryOperationExpr, pos int) (expr.Expr, error) {
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
		return rowComparison{b, pos}.compareRows(fn, left, n.R)
	}
	if !arithmetic(n.Op) {
		b.ShowOnly(n.L)
		b.ShowOnly(n.R)
	}
	var pair [2]expr.Expr
	args := pair[:]
	if err := b.bindAll(args, n.L, n.R); err != nil {
		return nil, err
	}
	if arithmetic(n.Op) {
		for i, a := range args {
			args[i] = expr.HexNumber(a)
		}
	}
	if bitwise(n.Op) {
		if binaryOperands(n.Op, args) {
			return expr.NewCall(bytewise[n.Op], args, pos)
		}
		for i, a := range args {
			args[i] = expr.HexNumber(a)
		}
	}
	if n.Op == opcode.Div {
		return expr.NewQuotient(args, b.Increment(), pos)
	}
	if n.Op == opcode.Minus && b.Mode.Has(sqlmode.NoUnsignedSubtraction) && unsigned(args) {
		fn = expr.FuncSignedSub
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

// binaryOperands reports whether a bit operator works on binary strings: all operands are binary
// strings, and at least one is not a literal. Only the first operand of a shift counts.
func binaryOperands(op opcode.Op, args []expr.Expr) bool {
	if op == opcode.LeftShift || op == opcode.RightShift {
		args = args[:1]
	}
	literals := 0
	for _, a := range args {
		if a.Type().ID != types.Bytes {
			return false
		}
		if _, ok := a.(*expr.Const); ok || expr.IsHex(a) {
			literals++
		}
	}
	return literals < len(args)
}

// unsigned reports whether all arguments are integers and at least one is unsigned.
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

// chain binds a chain of ANDs or ORs of any length without recursing along it.
func (b *Binder) chain(n *ast.BinaryOperationExpr, fn expr.FuncID, pos int) (expr.Expr, error) {
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

func (b *Binder) unary(n *ast.UnaryOperationExpr, pos int) (expr.Expr, error) {
	e, err := b.Expr(n.V)
	if err != nil {
		return nil, err
	}
	switch n.Op {
	case opcode.Plus:
		return e, nil
	case opcode.Minus:
		return expr.NewCall(expr.FuncNeg, []expr.Expr{expr.HexNumber(e)}, pos)
	case opcode.BitNeg:
		if binaryOperands(n.Op, []expr.Expr{e}) {
			return expr.NewCall(expr.FuncBinaryNot, []expr.Expr{e}, pos)
		}
		return expr.NewCall(expr.FuncBitNot, []expr.Expr{expr.HexNumber(e)}, pos)
	case opcode.Not, opcode.Not2:
		if q, ok := e.(*expr.Subquery); ok && (q.Kind == expr.Exists || q.Kind == expr.In) {
			c := *q
			c.Neg = !c.Neg
			return &c, nil
		}
		return expr.NewCall(expr.FuncNot, []expr.Expr{e}, pos)
	}
	return nil, sqlerr.Unsupported(pos, "operator %s", n.Op)
}
