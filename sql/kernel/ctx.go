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

// tentativeText is the most memory for texts of a tentative computation, in bytes.
const tentativeText = 4 << 20

// Tentative returns a Ctx for what planning computes before the statement has memory of its own:
// constants, and conditions on sampled rows. Computations that need long texts fail; the statement
// then does them when it runs, in its own memory.
func Tentative(env Env) Ctx { return Ctx{Env: env, Mem: mem.NewRoot("planning", tentativeText)} }
