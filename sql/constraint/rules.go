// Package constraint computes generated columns and enforces CHECK constraints for batches of
// rows before they are stored.
package constraint

import (
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// rules holds the compiled expressions of a table.
type rules struct {
	generated []generated
	checks    []check
}

type generated struct {
	column  int
	program *eval.Program
}

type check struct {
	name     string
	violated *eval.Program
}

// New compiles the rules of a schema. columns are the column IDs used in the expressions;
// generatedBy holds the expressions of generated columns by column. violated holds, by index in
// schema.Checks, a predicate that is TRUE for forbidden rows, or nil. Generated columns may only
// refer to earlier ones.
func New(schema *catalog.Schema, columns []expr.ColID, generatedBy, violated []expr.Expr) (catalog.RowRules, error) {
	r := &rules{}
	for i, e := range generatedBy {
		if e == nil {
			continue
		}
		p, err := eval.Compile(e, columns)
		if err != nil {
			return nil, err
		}
		r.generated = append(r.generated, generated{i, p})
	}
	for i, e := range violated {
		if e == nil {
			continue
		}
		p, err := eval.Compile(e, columns)
		if err != nil {
			return nil, err
		}
		r.checks = append(r.checks, check{schema.Checks[i].Name, p})
	}
	return r, nil
}

// Apply implements catalog.RowRules.
func (r *rules) Apply(env catalog.Env, cols []*vec.Vector) (held int64, err error) {
	defer func() {
		if err != nil {
			release(env, held)
			held = 0
		}
	}()
	b := &vec.Batch{Cols: cols}
	for _, c := range cols {
		if c != nil {
			b.N = c.N
			break
		}
	}
	for _, g := range r.generated {
		v, n, err := compute(g.program, env, b)
		held += n
		if err != nil {
			return held, err
		}
		cols[g.column] = v
	}
	for _, c := range r.checks {
		v, n, err := compute(c.violated, env, b)
		release(env, n)
		if err != nil {
			return held, err
		}
		if anyTrue(v) {
			return held, sqlerr.New(sqlerr.CheckViolated, "Check constraint '%s' is violated.", c.name)
		}
	}
	return held, nil
}

// release releases what compute has charged for.
func release(env catalog.Env, n int64) {
	if n > 0 {
		env.Memory().Release(n)
	}
}

// compute returns the results of a program as a flat vector, and the bytes charged for their texts,
// also with an error. Large batches, as in ALTER TABLE, are computed in parts.
func compute(p *eval.Program, env catalog.Env, b *vec.Batch) (out *vec.Vector, held int64, err error) {
	const atOnce = 4 * vec.BatchSize
	ctx := kernel.Ctx{Env: env}
	if env != nil {
		ctx.Mem = env.Memory()
	}
	ev := p.NewEvaluator(ctx)
	if b.N <= atOnce {
		v, err := ev.Eval(b)
		if held = ev.Detach(); err != nil {
			return nil, held, err
		}
		return v.Flatten(nil), held, nil
	}
	for from := 0; from < b.N; from += atOnce {
		if err := env.Running().Err(); err != nil {
			return nil, held, sqlerr.From(err)
		}
		to := min(from+atOnce, b.N)
		v, err := ev.Eval(rowsOf(b, from, to))
		if held += ev.Detach(); err != nil {
			return nil, held, err
		}
		if out == nil {
			out = vec.NewFlat(v.Type, b.N)
		}
		put(out, from, v.Flatten(nil))
	}
	return out, held, nil
}

// rowsOf returns rows [from, to) of the columns of b, some of which may be nil.
func rowsOf(b *vec.Batch, from, to int) *vec.Batch {
	part := &vec.Batch{Cols: make([]*vec.Vector, len(b.Cols)), N: to - from}
	for i, c := range b.Cols {
		if c != nil {
			part.Cols[i] = c.Slice(from, to)
		}
	}
	return part
}

// put copies the rows of a flat vector to dst, starting at row at.
func put(dst *vec.Vector, at int, v *vec.Vector) {
	copy(dst.I64[min(at, len(dst.I64)):], v.I64)
	copy(dst.F64[min(at, len(dst.F64)):], v.F64)
	copy(dst.Dec[min(at, len(dst.Dec)):], v.Dec)
	copy(dst.Str[min(at, len(dst.Str)):], v.Str)
	for i, null := range v.Null {
		if null {
			dst.SetNull(at + i)
		}
	}
}

// anyTrue reports whether a condition is TRUE in any row.
func anyTrue(v *vec.Vector) bool {
	if v.Type.ID == types.Null {
		return false
	}
	for i, x := range v.I64[:v.N] {
		if x != 0 && (v.Null == nil || !v.Null[i]) {
			return true
		}
	}
	return false
}

// Compute compiles an expression over columns to a function for storage.AlteredColumn.
func Compute(e expr.Expr, columns []expr.ColID, env catalog.Env) (func(inputs []*vec.Vector, n, row0 int) (v *vec.Vector, held int64, err error), error) {
	p, err := eval.Compile(e, columns)
	if err != nil {
		return nil, err
	}
	return func(inputs []*vec.Vector, n, _ int) (*vec.Vector, int64, error) {
		v, held, err := compute(p, env, &vec.Batch{Cols: inputs, N: n})
		if err != nil {
			release(env, held)
			held = 0
		}
		return v, held, err
	}, nil
}
