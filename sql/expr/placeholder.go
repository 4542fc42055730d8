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
}

// Type implements Expr.
func (p *Placeholder) Type() types.Type { return p.Value.Type }

// String implements Expr.
func (p *Placeholder) String() string { return fmt.Sprintf("?%d", p.Index+1) }

// Likely gives the value of a constant, or the one at hand of a placeholder, for estimates.
func Likely(e Expr) (catalog.Datum, bool) {
	switch x := e.(type) {
	case *Const:
		return x.Value, true
	case *Placeholder:
		return x.Value, true
	}
	return catalog.Datum{}, false
}
