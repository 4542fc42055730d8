package operators

import "gsql/exec/op"

// Program returns what the operator of a Pipelines node keeps for later executions, or nil.
func Program(o op.Operator) any {
	f := o.(*fused)
	if p := f.cfg.kept.get(f.node); p != nil {
		return p
	}
	return nil
}
