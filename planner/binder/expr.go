package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
	"gsql/sql/types"
)

// deeper counts one more level of nesting and one more expression, and refuses too many
// (1436): BETWEEN and others bind an operand twice, so that nesting them doubles it.
func (s *statement) deeper() error {
	if s.shared.exprs++; s.shared.exprs > s.shared.room {
		return sqlerr.New(sqlerr.StackOverrun, "Thread stack overrun: the statement stands for more than %d expressions", s.shared.room).
			WithHint("BETWEEN, CASE x WHEN, NULLIF and comparisons of rows repeat their operands; compute nested ones in a derived table.")
	}
	if s.shared.depth++; s.shared.depth > maxDepth {
		s.shared.depth--
		return sqlerr.New(sqlerr.StackOverrun, "Thread stack overrun: expressions are nested more than %d deep", maxDepth)
	}
	return nil
}

func (s *statement) shallower() { s.shared.depth-- }

// expr binds an expression in the clause at hand.
func (b *block) expr(n ast.ExprNode) (expr.Expr, error) {
	if err := b.deeper(); err != nil {
		return nil, err
	}
	defer b.shallower()
	pos := n.OriginTextPosition()
	switch n := n.(type) {
	case *parse.Literal:
		return literal(n, pos)
	case *parse.Param:
		d, err := b.param(n)
		return &expr.Const{Value: d}, err
	case *ast.ParenthesesExpr:
		return b.expr(n.Expr)
	case *ast.ColumnNameExpr:
		return b.resolve(n.Name, pos)
	case *ast.BinaryOperationExpr:
		return b.binary(n, pos)
	case *ast.UnaryOperationExpr:
		return b.unary(n, pos)
	case *ast.VariableExpr:
		return b.variable(n, pos)
	case *ast.SubqueryExpr:
		return b.scalarSubquery(n, pos)
	case *ast.ExistsSubqueryExpr:
		return b.exists(n, pos)
	case *ast.CompareSubqueryExpr:
		return b.quantified(n, pos)
	case *ast.AggregateFuncExpr:
		return b.aggregateCall(n, pos)
	case *ast.FuncCallExpr:
		return b.function(n, pos)
	case *ast.FuncCastExpr:
		return b.cast(n, pos)
	case *ast.DefaultExpr, *ast.ValuesExpr:
		return b.insertValue(n, pos)
	case *ast.RowExpr:
		return nil, operandColumns(1, pos)
	case *ast.WindowFuncExpr:
		return b.windowCall(n, pos)
	}
	return b.predicate(n, pos)
}

// predicate binds the forms that have a grammar of their own.
func (b *block) predicate(n ast.ExprNode, pos int) (expr.Expr, error) {
	switch n := n.(type) {
	case *ast.BetweenExpr:
		return b.between(n, pos)
	case *ast.PatternInExpr:
		return b.in(n, pos)
	case *ast.IsNullExpr:
		return b.negatable("isnull", n.Not, pos, n.Expr)
	case *ast.PatternLikeOrIlikeExpr:
		return b.like(n, pos)
	case *ast.PatternRegexpExpr:
		return b.negatable("regexp", n.Not, pos, n.Expr, n.Pattern)
	case *ast.IsTruthExpr:
		return b.isTruth(n, pos)
	case *ast.CaseExpr:
		return b.caseExpr(n, pos)
	case *ast.SetCollationExpr:
		return b.collate(n, pos)
	case *ast.MatchAgainst:
		return nil, sqlerr.Unsupported(pos, "MATCH ... AGAINST").WithHint("Use LIKE or REGEXP.")
	}
	return nil, sqlerr.Unsupported(pos, "expression %T", n)
}

func operandColumns(n, pos int) error {
	return sqlerr.New(sqlerr.OperandColumns, "Operand should contain %d column(s)", n).At(pos)
}

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

// exprs binds several expressions.
func (b *block) exprs(nodes ...ast.ExprNode) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(nodes))
	return out, b.bindAll(out, nodes...)
}

// bindAll is exprs into memory of the caller's, which may be on its stack.
func (b *block) bindAll(dst []expr.Expr, nodes ...ast.ExprNode) (err error) {
	for i, n := range nodes {
		if dst[i], err = b.expr(n); err != nil {
			return err
		}
	}
	return nil
}

// fewExprs is for how many expressions short calls have room on the stack.
const fewExprs = 12

// room gives few, or more memory where n is larger.
func room(few []expr.Expr, n int) []expr.Expr {
	if n > len(few) {
		return make([]expr.Expr, n)
	}
	return few[:n]
}

// call binds the arguments of a function and makes the call.
func (b *block) call(fn string, pos int, nodes ...ast.ExprNode) (expr.Expr, error) {
	var few [fewExprs]expr.Expr
	args := room(few[:], len(nodes))
	if err := b.bindAll(args, nodes...); err != nil {
		return nil, err
	}
	return expr.NewCall(fn, args, pos)
}

// negatable is call, and NOT around it when neg.
func (b *block) negatable(fn string, neg bool, pos int, nodes ...ast.ExprNode) (expr.Expr, error) {
	e, err := b.call(fn, pos, nodes...)
	return not(e, neg, pos, err)
}

func not(e expr.Expr, neg bool, pos int, err error) (expr.Expr, error) {
	if err != nil || !neg {
		return e, err
	}
	return expr.NewCall("not", []expr.Expr{e}, pos)
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

// between binds BETWEEN as two comparisons. An operand that must not stand in a plan
// twice is bound twice, so that its subqueries have columns of their own.
func (b *block) between(n *ast.BetweenExpr, pos int) (expr.Expr, error) {
	value, err := b.operand(n.Expr)
	if err != nil {
		return nil, err
	}
	var terms [2]expr.Expr
	volatile := false
	for i, bound := range []ast.ExprNode{n.Left, n.Right} {
		v, err := value()
		if err != nil {
			return nil, err
		}
		volatile = expr.Volatile(v)
		limit, err := b.expr(bound)
		if err != nil {
			return nil, err
		}
		if terms[i], err = expr.NewCall([]string{">=", "<="}[i], []expr.Expr{v, limit}, pos); err != nil {
			return nil, err
		}
	}
	e, err := expr.NewCall("and", terms[:], pos)
	if err == nil && volatile { // both comparisons must stay in one condition
		e, err = expr.NewCall("=", []expr.Expr{e, &expr.Const{Value: catalog.Int(1)}}, pos)
	}
	return not(e, n.Not, pos, err)
}

func (b *block) like(n *ast.PatternLikeOrIlikeExpr, pos int) (expr.Expr, error) {
	if !n.IsLike {
		return nil, sqlerr.Unsupported(pos, "ILIKE").WithHint("Write LOWER(x) LIKE LOWER(pattern).")
	}
	args, err := b.exprs(n.Expr, n.Pattern)
	if err != nil {
		return nil, err
	}
	switch {
	case n.EscapeExplicit || n.Escape != '\\':
		args = append(args, &expr.Const{Value: catalog.Str(escapeText(n.Escape))})
	case b.mode.Has(sqlmode.NoBackslashEscapes):
		args = append(args, &expr.Const{Value: catalog.Str("")})
	}
	e, err := expr.NewCall("like", args, pos)
	return not(e, n.Not, pos, err)
}

// escapeText gives LIKE's escape character as text, which an empty ESCAPE leaves empty.
func escapeText(c byte) string {
	if c == 0 {
		return ""
	}
	return string(rune(c))
}

// isTruth binds IS [NOT] TRUE and IS [NOT] FALSE, which are never NULL.
func (b *block) isTruth(n *ast.IsTruthExpr, pos int) (expr.Expr, error) {
	e, err := b.expr(n.Expr)
	if err != nil {
		return nil, err
	}
	cond := expr.Truth(e)
	if n.True == 0 {
		if cond, err = expr.NewCall("not", []expr.Expr{cond}, pos); err != nil {
			return nil, err
		}
	}
	yes, no := &expr.Const{Value: catalog.Int(1)}, &expr.Const{Value: catalog.Int(0)}
	if n.Not {
		yes, no = no, yes
	}
	return expr.NewCall("case", []expr.Expr{cond, yes, no}, pos)
}

// caseExpr binds both forms of CASE.
func (b *block) caseExpr(n *ast.CaseExpr, pos int) (expr.Expr, error) {
	var args []expr.Expr
	var value func() (expr.Expr, error)
	if n.Value != nil {
		var err error
		if value, err = b.operand(n.Value); err != nil {
			return nil, err
		}
	}
	for _, w := range n.WhenClauses {
		cond, err := b.when(value, w)
		if err != nil {
			return nil, err
		}
		value, err := b.expr(w.Result)
		if err != nil {
			return nil, err
		}
		args = append(args, cond, value)
	}
	if n.ElseClause != nil {
		e, err := b.expr(n.ElseClause)
		if err != nil {
			return nil, err
		}
		args = append(args, e)
	}
	return expr.NewCall("case", args, pos)
}

// operand gives a function that binds n for one of several comparisons. What is volatile
// is the same expression each time, which is computed once a row.
func (b *block) operand(n ast.ExprNode) (func() (expr.Expr, error), error) {
	again := func() (expr.Expr, error) { return b.expr(n) }
	if n.GetFlag()&ast.FlagHasSubquery != 0 {
		return again, nil
	}
	before := b.shared.exprs
	e, err := b.expr(n)
	if err != nil {
		return nil, err
	}
	cost := b.shared.exprs - before
	if !expr.Volatile(e) {
		return again, nil
	}
	return func() (expr.Expr, error) { b.shared.exprs += cost; return e, nil }, nil
}

// when binds a condition of CASE: a comparison where there is a value.
func (b *block) when(value func() (expr.Expr, error), w *ast.WhenClause) (expr.Expr, error) {
	if value == nil {
		e, err := b.expr(w.Expr)
		if err != nil {
			return nil, err
		}
		return expr.Truth(e), nil
	}
	v, err := value()
	if err != nil {
		return nil, err
	}
	e, err := b.expr(w.Expr)
	if err != nil {
		return nil, err
	}
	return expr.NewCall("=", []expr.Expr{v, e}, w.OriginTextPosition())
}

// in binds IN over a list or a subquery.
func (b *block) in(n *ast.PatternInExpr, pos int) (expr.Expr, error) {
	if n.Sel != nil {
		left := []ast.ExprNode{n.Expr}
		if r, ok := row(n.Expr); ok {
			left = r
		}
		return b.inSubquery(left, n.Sel, n.Not, pos)
	}
	if r, ok := row(n.Expr); ok {
		return b.inRows(n, r, pos)
	}
	if n.Expr.GetFlag()&ast.FlagHasSubquery != 0 {
		return b.inRows(n, []ast.ExprNode{n.Expr}, pos)
	}
	before := b.shared.exprs
	first, err := b.expr(n.Expr)
	if err != nil {
		return nil, err
	}
	b.shared.exprs += (b.shared.exprs - before) * (len(n.List) - 1) // it may be compared with each
	var few [fewExprs]expr.Expr
	args := room(few[:], 1+len(n.List))
	args[0] = first
	if err := b.bindAll(args[1:], n.List...); err != nil {
		return nil, err
	}
	e, err := expr.NewCall("in", args, pos)
	return not(e, n.Not, pos, err)
}

// nullIf binds NULLIF of an operand with a subquery as the CASE it stands for: the
// operand appears twice in it and must be bound twice, so that each subquery has
// columns of its own.
func (b *block) nullIf(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	cond, err := b.call("=", pos, n.Args...)
	if err != nil {
		return nil, err
	}
	value, err := b.expr(n.Args[0])
	if err != nil {
		return nil, err
	}
	null := &expr.Const{Value: catalog.NullOf(nullType)}
	return expr.NewCall("case", []expr.Expr{cond, null, value}, pos)
}
