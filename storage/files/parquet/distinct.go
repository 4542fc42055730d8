package parquet

import (
	"context"
	"math"

	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

const (
	// sampledGroups is the number of dictionaries of a column that are read for statistics.
	sampledGroups = 3
	// decodedDict and decodedBytes are the largest number of values and bytes of dictionaries
	// that are decoded and compared.
	decodedDict  = 1 << 12
	decodedBytes = 1 << 22
)

// distinct estimates the number of distinct values of a column from the dictionaries of a few row
// groups. It returns 0 if there are none. Small dictionaries are compared value by value to find
// the values that groups share; large ones contribute only their sizes.
func (p *part) distinct(ctx context.Context, c *column) (ndv int64, avgLen float64) {
	if len(p.meta.groups) == 0 || !c.flat() || p.Compression != format.Plain {
		return 0, 0
	}
	h, size, err := p.Open(ctx, nil)
	if err != nil {
		return 0, 0
	}
	defer h.Close()
	sc := &scan{part: p, h: h, size: size}
	var samples []dictSample
	for i := range min(len(p.meta.groups), sampledGroups) {
		group := i * (len(p.meta.groups) - 1) / max(min(len(p.meta.groups), sampledGroups)-1, 1)
		d := sc.sampleDictionary(group, c)
		if d == nil {
			return 0, 0
		}
		avgLen += d.avgLen / float64(min(len(p.meta.groups), sampledGroups))
		samples = append(samples, *d)
	}
	return min(p.distinctOf(samples), p.meta.rows), avgLen
}

// dictSample describes one row group's dictionary.
type dictSample struct {
	group  int
	size   int         // number of values
	dict   *vec.Vector // nil for a large dictionary
	avgLen float64     // average length of strings, estimated for a large dictionary
	lo, hi *catalog.Datum
}

// distinctOf extrapolates samples to all row groups.
func (p *part) distinctOf(samples []dictSample) int64 {
	seen := make(map[catalog.Datum]struct{})
	added, total, largest := 0, 0, samples[0]
	for _, d := range samples {
		total += d.size
		if d.size > largest.size {
			largest = d
		}
		if d.dict == nil {
			continue
		}
		before := len(seen)
		for j := range d.dict.N {
			seen[catalog.DatumAt(d.dict, j)] = struct{}{}
		}
		added = len(seen) - before
	}
	if largest.dict != nil { // assume that each of the other groups adds as many values as the last one
		return int64(len(seen) + added*(len(p.meta.groups)-len(samples)))
	}
	if apart(samples) {
		return int64(total) * int64(len(p.meta.groups)) / int64(len(samples))
	}
	return urn(float64(largest.size), float64(p.meta.groups[largest.group].rows), float64(p.meta.rows))
}

// apart reports whether the samples' bounds show that no two samples share a value.
func apart(samples []dictSample) bool {
	for i, a := range samples {
		for _, b := range samples[:i] {
			if a.lo == nil || b.lo == nil || a.hi.Compare(*b.lo) >= 0 && b.hi.Compare(*a.lo) >= 0 {
				return false
			}
		}
	}
	return true
}

// urn estimates the number of distinct values in rows draws from equally likely values, given
// that sample draws yielded n. It solves n = d (1 - exp(-sample/d)) for the number of values d by
// bisection, and evaluates the same formula for rows draws.
func urn(n, sample, rows float64) int64 {
	met := func(d, draws float64) float64 { return -d * math.Expm1(-draws/d) }
	if n >= sample {
		return int64(rows)
	}
	lo, hi := n, n
	for met(hi, sample) < n && hi < 1e15 {
		hi *= 2
	}
	for range 60 {
		if mid := (lo + hi) / 2; met(mid, sample) < n {
			lo = mid
		} else {
			hi = mid
		}
	}
	return int64(met(hi, rows))
}

// sampleDictionary reads a column chunk's dictionary if all pages of the chunk use it.
func (s *scan) sampleDictionary(group int, c *column) *dictSample {
	var lent format.Buffers
	defer lent.Free()
	p, err := s.loadFlat(group, c, &lent)
	if err != nil {
		return nil
	}
	// The first page is decisive: some writers omit the dictionary offset from the metadata.
	first := p
	h, err := p.skip()
	if err != nil || h == nil || h.typ != dictionaryPage {
		return nil
	}
	d := &dictSample{group: group, size: h.values}
	d.lo, d.hi, _ = s.bounds(group, c)
	switch {
	case h.values <= decodedDict && h.uncompressed <= decodedBytes:
		if d.dict, err = c.firstDictionary(&first); err != nil {
			return nil
		}
		d.avgLen = averageLength(d.dict)
	case c.Type.Kind() == types.KindStr: // each value is preceded by its length
		d.avgLen = max(float64(h.uncompressed)/float64(h.values)-4, 0)
	}
	// A writer that abandoned the dictionary stored far fewer values in it.
	for {
		h, err := p.skip()
		if err != nil || h == nil {
			return d
		}
		if h.typ != dictionaryPage && h.encoding == parquet.Encodings.Plain {
			return nil
		}
	}
}

func (c *column) firstDictionary(p *pages) (*vec.Vector, error) {
	h, body, _, err := p.next()
	if err != nil {
		return nil, err
	}
	return c.dictionary(&h, body)
}

func averageLength(dict *vec.Vector) float64 {
	bytes := 0
	for _, s := range dict.Str {
		bytes += len(s)
	}
	return float64(bytes) / float64(max(dict.N, 1))
}
