package agg

import "gsql/exec/agg/state"

// merge is the phase after collecting: o.parts become partitions that share no key.
func (o *Operator) merge() error {
	if o.inOrder() {
		o.phase = merging
		return o.mergeAscending()
	}
	if err := o.prepareMerge(); err != nil {
		return err
	}
	o.phase = merging
	switch {
	case len(o.parts)+len(o.splits) > 1:
		return o.mergeTables()
	case len(o.parts) == 0 && len(o.keys) == 0: // without rows there is still one group
		g, err := o.newGroups()
		if err != nil {
			return err
		}
		o.parts = append(o.parts, g)
	}
	return nil
}

// inOrder reports whether all workers' keys came in ascending order and nothing spilled.
func (o *Operator) inOrder() bool { return o.disk == nil && len(o.splits) == 0 && o.allBare() }

// prepareMerge indexes tables and spills kept rows, so that groups can be merged.
func (o *Operator) prepareMerge() error {
	for _, p := range o.parts {
		if p.table != nil {
			if err := p.table.Index(); err != nil {
				return err
			}
			continue
		}
		if err := o.makeRoom(p); err != nil {
			return err
		}
	}
	return nil
}

// makeRoom spills the rows that a worker's states keep if memory might not hold them together with
// the states that they are merged into.
func (o *Operator) makeRoom(g *groups) error {
	if o.ctx.Spill == nil || !state.Scarce(o.account, mergePart) {
		return nil
	}
	return g.spillStates()
}

// allBare reports whether there are groups, all of them in bare tables.
func (o *Operator) allBare() bool {
	for _, p := range o.parts {
		if p.table == nil || !p.table.Bare {
			return false
		}
	}
	return len(o.parts) > 0
}
