package expr

import (
	"fmt"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// Placeholder is a ? of a statement whose plan is to serve for other values too: Value,
// which is never NULL, is that of the execution that the plan is made for. Estimates may
// look at it, and nothing may rely on more than its type and that it is not NULL. Before a
// plan runs its placeholders become constants.
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

// Const returns the constant that takes the place of p for a value of the type that p had when
// it was bound; ok is false for a value that comparisons do not convert as they did this one.
func (p *Placeholder) Const(value catalog.Datum) (c *Const, ok bool) {
	if p.from != nil {
		value, ok = converted(value, p.Value.Type)
		return &Const{Value: value}, ok
	}
	return &Const{Value: value}, true
}

// as returns p as an operand of a type, or nil where not all of the value is kept.
func (p *Placeholder) as(t types.Type) *Placeholder {
	if value, ok := converted(p.Made().Value, t); ok {
		return &Placeholder{Index: p.Index, Value: value, from: p.Made()}
	}
	return nil
}

// converted returns a value in a type that comparisons compare it in, where it is the same there.
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

// plainDatetime reads 'YYYY-MM-DD' and 'YYYY-MM-DD hh:mm:ss', about whose meaning no sql_mode
// says anything.
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

// Likely returns the value of a constant, or the one at hand of a placeholder, for estimates.
func Likely(e Expr) (catalog.Datum, bool) {
	switch x := e.(type) {
	case *Const:
		return x.Value, true
	case *Placeholder:
		return x.Value, true
	}
	return catalog.Datum{}, false
}
