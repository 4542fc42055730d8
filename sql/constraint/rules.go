// Package constraint computes generated columns and enforces CHECK constraints over
// batches of rows that are about to be stored.
package constraint

import (
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// rules are the compiled expressions of a table.
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

// New compiles the rules of a schema: columns are what the expressions call its columns,
// generated holds the expressions of generated columns by column, violated by number
// in schema.Checks what is true of rows that may not be; nil stands for none. Generated
// columns must refer to earlier ones only.
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
func (r *rules) Apply(env catalog.Env, cols []*vec.Vector) error {
	b := &vec.Batch{Cols: cols}
	for _, c := range cols {
		if c != nil {
			b.N = c.N
			break
		}
	}
	ctx := eval.Ctx{Env: env}
	for _, g := range r.generated {
		v, err := g.program.NewEvaluator(ctx).Eval(b)
		if err != nil {
			return err
		}
		cols[g.column] = v.Flatten(nil)
	}
	for _, c := range r.checks {
		v, err := c.violated.NewEvaluator(ctx).Eval(b)
		if err != nil {
			return err
		}
		if anyTrue(v) {
			return sqlerr.New(sqlerr.CheckViolated, "Check constraint '%s' is violated.", c.name)
		}
	}
	return nil
}

// anyTrue tells whether a condition holds in some row.
func anyTrue(v *vec.Vector) bool {
	if v.Type.ID == types.Null {
		return false
	}
	v = v.Flatten(nil)
	for i, x := range v.I64[:v.N] {
		if x != 0 && (v.Null == nil || !v.Null[i]) {
			return true
		}
	}
	return false
}

// Compute compiles an expression over columns to a function for storage.AlteredColumn.
func Compute(e expr.Expr, columns []expr.ColID, env catalog.Env) (func(inputs []*vec.Vector, n, row0 int) (*vec.Vector, error), error) {
	p, err := eval.Compile(e, columns)
	if err != nil {
		return nil, err
	}
	return func(inputs []*vec.Vector, n, _ int) (*vec.Vector, error) {
		v, err := p.NewEvaluator(eval.Ctx{Env: env}).Eval(&vec.Batch{Cols: inputs, N: n})
		if err != nil {
			return nil, err
		}
		return v.Flatten(nil), nil
	}, nil
}
