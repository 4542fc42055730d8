// Package eval computes bound expressions over whole batches. A Program is compiled
// once for a plan; each worker evaluates it with an Evaluator of its own, which holds
// the scratch vectors.
package eval

import (
	"gsql/internal/mem"
	"gsql/sql/catalog"
)

// Ctx is what expressions may ask besides their input. The zero value serves
// expressions that need neither session nor parameters.
type Ctx struct {
	Env    Env
	Params []catalog.Datum // values of expr.Param by slot
	Mem    *mem.Account    // charged for long texts that functions make; nil for none
}

// Env is the session as run-time functions see it.
type Env = catalog.Env
