package expr

import (
	"fmt"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// Placeholder is a ? of a statement whose plan is reused for other values. Value, which is never
// NULL, is the value of the execution that the plan is made for. Estimates may use it; all other
// code may rely only on its type and on its not being NULL. Before a plan runs, its placeholders
// become constants.
type Placeholder struct {
	Index int // among those of the statement, from 0
	Value catalog.Datum
	from  *Placeholder // what a comparison converted, or nil
}

// Made returns the placeholder as it was bound, before comparisons converted it.
func (p *Placeholder) Made() *Placeholder {
	if p.from != nil {
		return p.from
	}
	return p
}

// Const returns the constant that replaces p for a value of the type that p had when it was bound.
// ok is false if comparisons would convert that value differently from the value of p.
func (p *Placeholder) Const(value catalog.Datum) (c *Const, ok bool) {
	if p.from != nil {
		value, ok = converted(value, p.Value.Type)
		return &Const{Value: value}, ok
	}
	return &Const{Value: value}, true
}

// as returns p as an operand of another type, or nil if the conversion loses part of the value.
func (p *Placeholder) as(t types.Type) *Placeholder {
	if value, ok := converted(p.Made().Value, t); ok {
		return &Placeholder{Index: p.Index, Value: value, from: p.Made()}
	}
	return nil
}

// converted returns a value in the type that a comparison uses; ok is false if the conversion
// changes it.
func converted(d catalog.Datum, t types.Type) (catalog.Datum, bool) {
	if d.Type.ID != types.String {
		return castLiteral(d, t)
	}
	us, ok := plainDatetime(d.Str)
	switch {
	case !ok:
		return d, false
	case t.ID == types.Date && us%types.Day == 0:
		return catalog.Datum{Type: t, I64: us / types.Day}, true
	case t.ID == types.Datetime && t.Prec == 6:
		return catalog.Datum{Type: t, I64: us}, true
	}
	return d, false
}

// plainDatetime parses 'YYYY-MM-DD' and 'YYYY-MM-DD hh:mm:ss', whose meaning does not depend on
// sql_mode.
func plainDatetime(s string) (us int64, ok bool) {
	if len(s) != len("YYYY-MM-DD") && len(s) != len("YYYY-MM-DD hh:mm:ss") || s[4] != '-' || s[7] != '-' || s[:4] < "1000" {
		return 0, false
	}
	us, clean, ok := types.ParseDatetime(s)
	return us, clean && ok
}

// Type implements Expr.
func (p *Placeholder) Type() types.Type { return p.Value.Type }

// String implements Expr.
func (p *Placeholder) String() string { return fmt.Sprintf("?%d", p.Index+1) }

// Likely returns the value of a constant or the current value of a placeholder, for estimates.
func Likely(e Expr) (catalog.Datum, bool) {
	switch x := e.(type) {
	case *Const:
		return x.Value, true
	case *Placeholder:
		return x.Value, true
	}
	return catalog.Datum{}, false
}
