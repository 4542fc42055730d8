// Package kernel contains what functions and the evaluator of expressions share. A Kernel computes
// one function for all rows of a batch, a Def selects it for a call, and Register registers it
// under the function's id. A Runtime holds what a kernel may use besides its arguments: the
// session, memory for texts, warnings. The rest are building blocks of kernels: loops over the
// payloads of vectors, NULLs, decimals in 64 bits, tables of days, sets of integers.
package kernel

import (
	"gsql/internal/mem"
	"gsql/sql/catalog"
)

// Ctx holds what expressions may use besides their input. The zero value suffices for expressions
// that need neither session nor parameters.
type Ctx struct {
	Env    Env
	Params []catalog.Datum // values of expr.Param by slot
	Mem    *mem.Account    // charged for long texts that functions make; may be nil
}

// Env is the session as run-time functions see it.
type Env = catalog.Env
