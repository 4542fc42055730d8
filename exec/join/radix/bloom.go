package radix

const (
	// A buffer is collected before any of its codes is looked up. To decide on a Bloom filter,
	// sampleCodes codes of each batch are therefore looked up at once. The decision is made after
	// sampled codes.
	sampleCodes, sampled = 32, 1024
)

// applyFilter drops the codes that the filter rules out, with their rows, and returns the number
// that remain.
func (p *prober) applyFilter(codes []uint64, rows []int32) int {
	switch bloom := p.m.filter.Bloom.Load(); {
	case !p.m.Filters:
	case bloom == nil:
		p.sample(codes[:min(len(codes), sampleCodes)])
	case p.filtering.Pays():
		return p.filtering.Apply(*bloom, codes, rows)
	}
	return len(codes)
}

// sample looks up some codes of a buffer.
func (p *prober) sample(codes []uint64) {
	s, t := &p.filtering, p.m.table
	t.Lookup(codes, &p.Hits, &p.scan)
	s.Looked += len(codes)
	s.Found += len(p.Hits.Row)
	p.Hits.Cut(0)
	if s.Looked < sampled {
		return
	}
	if s.Few() {
		p.m.filter.Make(p.m.acct, t.Count(), t.EachCode)
	}
	s.Looked, s.Found = 0, 0
}
