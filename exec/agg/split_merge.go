package agg

import (
	"sync/atomic"

	"gsql/exec/op"
)

// mergeSplit makes o.parts of the workers' groups when one of them was split: then all
// are.
func (o *Operator) mergeSplit() error {
	for len(o.parts) > 0 {
		s := o.newSplitter()
		o.splits = append(o.splits, s)
		if err := s.take(o.parts[0]); err != nil {
			return err
		}
		o.parts = o.parts[1:]
	}
	var next atomic.Int64
	err := op.Parallel(o.ctx, o.ctx.Workers, func(int) error {
		for {
			p := int(next.Add(1)) - 1
			if p >= splitParts {
				return nil
			}
			if err := o.mergeSplits(p); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	o.parts, o.splits[0].parts = o.splits[0].parts, nil
	o.freeSplits()
	return nil
}

func (o *Operator) freeSplits() {
	for _, s := range o.splits {
		s.free()
	}
	o.splits = nil
}

// mergeSplits adds partition p of all splitters to that of the first.
func (o *Operator) mergeSplits(p int) error {
	dst := o.splits[0].parts[p].apart()
	for i, s := range o.splits {
		if err := s.flush(p); err != nil {
			return err
		}
		if i == 0 {
			continue
		}
		if err := o.addPartition(dst, s, p); err != nil {
			return err
		}
	}
	return nil
}

// addPartition moves partition p of a splitter to dst.
func (o *Operator) addPartition(dst *groups, s *splitter, p int) error {
	if err := o.mergeGroups(dst, s.parts[p], nil); err != nil {
		return err
	}
	s.parts[p].free()
	return nil
}
