package join

import (
	"gsql/exec/dynfilter"
	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/physical"
)

// fillers are the dynamic filters that a join fills; nil if it has none. If the build side
// spills, they stay empty and drop nothing.
type fillers struct {
	made    []physical.MadeFilter
	filters []*dynfilter.Filter
}

func newFillers(j *physical.Join, filters []*dynfilter.Filter) *fillers {
	if len(filters) == 0 {
		return nil
	}
	return &fillers{made: j.Filters, filters: filters}
}

// fill fills the filters from the build side.
func (f *fillers) fill(ctx *op.Ctx, acct *mem.Account, built *match.Side, nullSafe []bool) {
	if f == nil {
		return
	}
	for i, m := range f.made {
		f.filters[i].Fill(ctx, acct, built.Keys[m.Key], nullSafe[m.Key])
	}
}

func (f *fillers) free() {
	if f == nil {
		return
	}
	for _, x := range f.filters {
		x.Free()
	}
}
