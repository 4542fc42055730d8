package operators

import (
	"errors"

	"gsql/exec/op"
	"gsql/gpu/engine"
	"gsql/gpu/lower"
	"gsql/planner/fuse"
)

// Program returns what the operator of a Pipelines node keeps for later executions, or nil.
func Program(o op.Operator) any {
	f := o.(*fused)
	if p := f.cfg.kept.get(f.node); p != nil {
		return p
	}
	return nil
}

// Kernels returns the texts of the kernels of the program that the operator of a Pipelines node keeps, or nil.
func Kernels(o op.Operator) (texts []string) {
	f := o.(*fused)
	if p := f.cfg.kept.get(f.node); p != nil {
		for _, m := range p.job.Modules() {
			texts = append(texts, m.PTX)
		}
	}
	return texts
}

// Foreseen returns the texts of the kernels that are compiled before columns are loaded, or nil.
func Foreseen(ctx *op.Ctx, o op.Operator) (texts []string, err error) {
	f := o.(*fused)
	f.ctx, f.acct = ctx, ctx.Mem.Child("test")
	defer f.acct.End()
	e, err := engine.For(string(f.node.Device))
	if err != nil {
		return nil, err
	}
	t, err := e.Begin(ctx, "test")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.End()) }()
	l := newTableLoader(f, t, false)
	defer l.free()
	if job := foresee(l, fuse.Fused(f.node.In[0]), lower.Options{More: 1}); job != nil {
		for _, m := range job.Modules() {
			texts = append(texts, m.PTX)
		}
	}
	return texts, nil
}
