package scalar

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	_ "gsql/sql/function" // registers the signatures
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// temporalLiterals are the parser's names for DATE '...', TIME '...' and TIMESTAMP '...'.
var temporalLiterals = map[string]types.ID{
	ast.DateLiteral: types.Date, ast.TimeLiteral: types.Time, ast.TimestampLiteral: types.Datetime,
}

// renamed maps the parser's function names to ours.
var renamed = map[string]expr.FuncID{"char_func": expr.FuncChar, "insert_func": expr.FuncInsert, "position": expr.FuncLocate, ast.JSONMemberOf: expr.FuncMemberOf}

// function binds a function call.
func (b *Binder) function(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	name := n.FnName.L
	if id, ok := temporalLiterals[name]; ok {
		return b.temporalLiteral(n, id, pos)
	}
	switch name {
	case ast.AnyValue:
		return b.Block.AnyValue(n, pos)
	case ast.Trim:
		return b.trim(n, pos)
	case "grouping":
		return b.Block.Grouping(n, pos)
	case "convert":
		return b.convertUsing(n, pos)
	case "nullif":
		if len(n.Args) == 2 && n.Args[0].GetFlag()&ast.FlagHasSubquery != 0 {
			return b.nullIf(n, pos)
		}
		before := b.Shared.Exprs
		defer func() { b.Shared.Exprs += b.Shared.Exprs - before }() // it becomes a CASE with one operand twice
	case "last_insert_id":
		if len(n.Args) == 1 {
			return b.setLastInsertID(n.Args[0], pos)
		}
	}
	fn, ok := renamed[name]
	if !ok {
		fn = expr.FuncID(name)
	}
	if !ok && !expr.Callable(fn) {
		return nil, expr.UnknownFunction(fn, pos)
	}
	nodes, charset := n.Args, ast.ExprNode(nil)
	if fn == expr.FuncChar { // the last argument is the character set of CHAR(... USING ...), or NULL
		last := len(nodes) - 1
		if l, ok := nodes[last].(*parse.Literal); ok && l.Value != nil {
			charset = l
		}
		nodes = nodes[:last]
	}
	var args []expr.Expr
	json := strings.HasPrefix(name, "json_") || fn == renamed[ast.JSONMemberOf]
	for _, a := range nodes {
		e, err := b.argument(a)
		if err != nil {
			return nil, err
		}
		if json {
			e = JSONLiteral(a, e)
		}
		args = append(args, e)
	}
	e, err := expr.NewCall(fn, args, pos)
	if err == nil && charset != nil {
		return inCharset(e, charset, pos)
	}
	return e, err
}

// JSONLiteral converts TRUE and FALSE, which are 1 and 0 elsewhere, to JSON values.
func JSONLiteral(n ast.ExprNode, e expr.Expr) expr.Expr {
	if l, ok := n.(*parse.Literal); ok {
		if b, ok := l.Value.(bool); ok {
			return &expr.Const{Value: catalog.Datum{Type: types.T(types.JSON), Str: strconv.FormatBool(b)}}
		}
	}
	return e
}

// setLastInsertID binds LAST_INSERT_ID(x), whose value the session keeps.
func (b *Binder) setLastInsertID(n ast.ExprNode, pos int) (expr.Expr, error) {
	e, err := b.Expr(n)
	if err != nil {
		return nil, err
	}
	t := types.T(types.Uint64)
	return &expr.Call{Fn: expr.FuncSetLastInsertID, Args: []expr.Expr{expr.Cast(e, t)}, T: t, Pos: pos}, nil
}

// argument binds a function's argument; units of time become string literals.
func (b *Binder) argument(n ast.ExprNode) (expr.Expr, error) {
	switch x := n.(type) {
	case *ast.TimeUnitExpr:
		return &expr.Const{Value: catalog.Str(strings.ToLower(x.Unit.String()))}, nil
	case *ast.GetFormatSelectorExpr: // DATE, DATETIME, TIME
		return &expr.Const{Value: catalog.Str(strings.ToUpper(x.Selector.String()))}, nil
	}
	return b.Expr(n)
}

// temporalLiteral binds DATE '...', TIME '...' and TIMESTAMP '...'. Error 1525: the text is not a
// valid time. The forms {d '...'}, {t '...'} and {ts '...'} keep such a text unchanged.
func (b *Binder) temporalLiteral(n *ast.FuncCallExpr, id types.ID, pos int) (expr.Expr, error) {
	arg, err := b.Expr(n.Args[0])
	if err != nil {
		return nil, err
	}
	braces := pos >= 0 && pos < len(b.Text) && b.Text[pos] == '{'
	c, ok := arg.(*expr.Const)
	switch {
	case ok && c.Value.Type.ID == types.String && types.IsTemporalLiteral(c.Value.Str, id):
	case braces:
		return arg, nil
	default:
		return nil, sqlerr.New(sqlerr.WrongValue, "Incorrect %s value: '%s'", types.T(id).Name(), c.Value.Str).At(pos).WithHint("%s", literalForms[id])
	}
	t := types.T(id)
	if _, frac, ok := strings.Cut(c.Value.Str, "."); ok && id != types.Date {
		t.Prec = uint8(min(len(frac), 6))
	}
	return expr.Cast(arg, t), nil
}

// literalForms are the hints for invalid literals.
var literalForms = map[types.ID]string{
	types.Date:     "Write DATE 'YYYY-MM-DD' with a day that exists.",
	types.Time:     "Write TIME 'hh:mm:ss', up to 838:59:59.",
	types.Datetime: "Write TIMESTAMP 'YYYY-MM-DD hh:mm:ss' with a day that exists; CONVERT_TZ applies an offset.",
}

// trim binds TRIM in all its forms.
func (b *Binder) trim(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	fn := expr.FuncTrim
	nodes := n.Args
	if len(nodes) == 3 {
		switch nodes[2].(*ast.TrimDirectionExpr).Direction {
		case ast.TrimLeading:
			fn = expr.FuncTrimLeading
		case ast.TrimTrailing:
			fn = expr.FuncTrimTrailing
		}
		nodes = nodes[:2]
		if l, ok := nodes[1].(*parse.Literal); ok && l.Value == nil {
			nodes = nodes[:1]
		}
	}
	return b.call(fn, pos, nodes...)
}
