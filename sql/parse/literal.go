package parse

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"

	"gsql/sql/sqlerr"
)

// Decimal is the text of an exact number: digits and at most one point.
type Decimal string

// Binary is the value of a hexadecimal or bit literal.
type Binary []byte

// ToString implements ast.BinaryLiteral. The parser calls it for members of ENUM and SET.
func (b Binary) ToString() string { return string(b) }

// Literal is a constant. Value is nil, a bool, an int64, a uint64, a float64, a string, a Decimal or a Binary.
type Literal struct {
	ast.TexprNode
	Value any
}

// Param is a ? placeholder.
type Param struct {
	Literal
	Offset int // offset of the question mark in the statement
	Order  int // 0 for the first
}

var (
	_ ast.ValueExpr       = (*Literal)(nil)
	_ ast.ParamMarkerExpr = (*Param)(nil)
	_ ast.BinaryLiteral   = Binary(nil)
)

func init() {
	ast.NewValueExpr = func(value any, _, _ string) ast.ValueExpr {
		switch v := value.(type) {
		case *Literal:
			return v
		case int:
			value = int64(v)
		}
		return &Literal{Value: value}
	}
	ast.NewParamMarkerExpr = func(offset int) ast.ParamMarkerExpr { return &Param{Offset: offset} }
	ast.NewDecimal = func(s string) (any, error) { return Decimal(s), nil }
	ast.NewHexLiteral = func(s string) (any, error) { return binaryLiteral(s, 16) }
	ast.NewBitLiteral = func(s string) (any, error) { return binaryLiteral(s, 2) }
}

// binaryLiteral parses x'..', 0x.., b'..' and 0b...
func binaryLiteral(s string, base int) (any, error) {
	digits := strings.TrimRight(s[min(2, len(s)):], "'")
	if base == 2 {
		digits = bitsToHex(digits)
	}
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return Binary(nil), sqlerr.New(sqlerr.ParseError, "invalid literal %s", s)
	}
	return Binary(b), nil
}

func bitsToHex(bits string) string {
	bits = strings.Repeat("0", (8-len(bits)%8)%8) + bits
	var out []byte
	for i := 0; i < len(bits); i += 4 {
		x := byte(0)
		for _, c := range []byte(bits[i : i+4]) {
			x = x<<1 | c&1
		}
		out = append(out, "0123456789abcdef"[x])
	}
	return string(out)
}

// SetValue implements ast.ValueExpr.
func (n *Literal) SetValue(v any) { n.Value = v }

// GetValue implements ast.ValueExpr.
func (n *Literal) GetValue() any { return n.Value }

// GetDatumString implements ast.ValueExpr.
func (n *Literal) GetDatumString() string { return n.GetString() }

// GetString returns the value of a string literal, or "" for other literals.
func (n *Literal) GetString() string {
	switch v := n.Value.(type) {
	case string:
		return v
	case Binary:
		return string(v)
	}
	return ""
}

// GetProjectionOffset implements ast.ValueExpr. gsql does not use it.
func (n *Literal) GetProjectionOffset() int { return -1 }

// SetProjectionOffset implements ast.ValueExpr. gsql does not use it.
func (n *Literal) SetProjectionOffset(int) {}

// Restore implements ast.Node. It writes the literal as SQL.
func (n *Literal) Restore(ctx *format.RestoreCtx) error {
	switch v := n.Value.(type) {
	case nil:
		ctx.WriteKeyWord("NULL")
	case bool:
		ctx.WriteKeyWord(strings.ToUpper(fmt.Sprint(v)))
	case string:
		ctx.WriteString(v)
	case Binary:
		ctx.WritePlainf("x'%x'", []byte(v))
	default:
		ctx.WritePlain(fmt.Sprint(v))
	}
	return nil
}

// Format implements ast.ExprNode.
func (n *Literal) Format(w io.Writer) {
	switch v := n.Value.(type) {
	case nil:
		_, _ = io.WriteString(w, "NULL")
	case string:
		_, _ = fmt.Fprintf(w, "%q", v)
	case Binary:
		_, _ = fmt.Fprintf(w, "x'%x'", []byte(v))
	default:
		_, _ = fmt.Fprint(w, v)
	}
}

// Accept implements ast.Node.
func (n *Literal) Accept(v ast.Visitor) (ast.Node, bool) {
	node, skip := v.Enter(n)
	if !skip {
		node = node.(*Literal)
	}
	return v.Leave(node)
}

// Restore implements ast.Node.
func (n *Param) Restore(ctx *format.RestoreCtx) error {
	ctx.WritePlain("?")
	return nil
}

// Format implements ast.ExprNode.
func (n *Param) Format(w io.Writer) { _, _ = io.WriteString(w, "?") }

// Accept implements ast.Node.
func (n *Param) Accept(v ast.Visitor) (ast.Node, bool) {
	node, skip := v.Enter(n)
	if !skip {
		node = node.(*Param)
	}
	return v.Leave(node)
}

// SetOrder implements ast.ParamMarkerExpr.
func (n *Param) SetOrder(order int) { n.Order = order }
