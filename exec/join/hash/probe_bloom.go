package hash

import "gsql/sql/vec"

// applyFilter drops the codes that the filter rules out. If some is set, only the rows in sel
// have codes; it reports whether that holds afterwards.
func (p *prober) applyFilter(some bool) bool {
	bloom := p.m.filter.Bloom.Load()
	if bloom == nil || !p.filtering.Pays() {
		return some
	}
	if !some {
		vec.Ascend(p.sel[:len(p.codes)], 0)
	}
	n := p.filtering.Apply(*bloom, p.codes, p.sel)
	p.codes, p.sel = p.codes[:n], p.sel[:n]
	return true
}

// noteLookup counts the codes looked up without a filter and those found.
func (p *prober) noteLookup(codes, found int) {
	s, t := &p.filtering, p.m.table
	if len(t.slots) < FilterSlots || p.m.filter.Bloom.Load() != nil {
		return
	}
	s.Looked += codes
	s.Found += found
	if s.Looked >= len(t.slots)/4 && s.Few() {
		p.m.filter.Make(p.m.acct, t.distinct(), t.eachCode)
	}
}
