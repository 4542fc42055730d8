package files

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// bounds gives the least and greatest value of a column chunk and its NULLs, as far
// as its statistics tell: lo and hi may be nil, nulls negative.
func (p *parquetPart) bounds(group int, c *parquetColumn) (lo, hi *catalog.Datum, nulls int64, err error) {
	if c.leaf < 0 || c.Comment != "" {
		return nil, nil, -1, nil
	}
	chunk, err := p.meta.RowGroup(group).ColumnChunk(c.leaf)
	if err != nil {
		return nil, nil, -1, err
	}
	if ok, err := chunk.StatsSet(); err != nil || !ok {
		return nil, nil, -1, err
	}
	stats, err := chunk.Statistics()
	if err != nil || stats == nil {
		return nil, nil, -1, err
	}
	nulls = -1
	if stats.HasNullCount() {
		nulls = stats.NullCount()
	}
	if stats.HasMinMax() {
		lo, hi = c.bound(stats.EncodeMin()), c.bound(stats.EncodeMax())
	}
	if lo == nil || hi == nil {
		lo, hi = nil, nil
	}
	return lo, hi, nulls, nil
}

// bound decodes a value of the statistics, or gives nil where it cannot be relied on.
func (c *parquetColumn) bound(b []byte) *catalog.Datum {
	if c.physical == parquet.Types.Int96 || c.half {
		return nil // their order in statistics is undefined
	}
	if c.physical == parquet.Types.ByteArray {
		b = append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
	}
	v := vec.NewFlat(c.Type, 1)
	if err := (&plainDecoder{data: b}).decode(c, v, 0, 1); err != nil {
		return nil
	}
	d := catalog.DatumAt(v, 0)
	if math.IsNaN(d.F64) {
		return nil
	}
	return &d
}

// prunes tells whether no row of the group can lie within all ranges.
func (p *parquetPart) prunes(group int, ranges []catalog.Range) (bool, error) {
	for _, r := range ranges {
		if r.Column < 0 || r.Column >= len(p.cols) {
			continue
		}
		c := p.cols[r.Column]
		lo, hi, nulls, err := p.bounds(group, c)
		if err != nil {
			return false, err
		}
		if nulls >= 0 && nulls == p.meta.RowGroup(group).NumRows() {
			return true, nil
		}
		if lo == nil {
			continue
		}
		if comparable(c.Type, r.Lo) && hi.Compare(*r.Lo) < 0 || comparable(c.Type, r.Hi) && lo.Compare(*r.Hi) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// comparable tells whether d orders against values of type t by Datum.Compare.
func comparable(t types.Type, d *catalog.Datum) bool {
	if d == nil || d.Null || d.Type.Kind() != t.Kind() || t.Kind() == types.KindNull {
		return false
	}
	if t.Kind() == types.KindI64 && t.IsTemporal() {
		datetime := func(id types.ID) bool { return id == types.Datetime || id == types.Timestamp }
		return d.Type.ID == t.ID || datetime(d.Type.ID) && datetime(t.ID)
	}
	return !d.Type.IsTemporal() && (t.ID != types.Decimal || d.Type.Scale == t.Scale)
}

// stats implements part: from the footer and a few dictionaries.
func (p *parquetPart) stats() *catalog.Stats {
	s := &catalog.Stats{Rows: p.meta.NumRows, Exact: true, Bytes: p.size, Columns: make([]catalog.ColumnStats, len(p.cols))}
	_ = guard(p.file.path, func() error { // a damaged file is reported when it is read
		for i, c := range p.cols {
			p.columnStats(c, &s.Columns[i])
		}
		return nil
	})
	return s
}

func (p *parquetPart) columnStats(c *parquetColumn, s *catalog.ColumnStats) {
	var lo, hi *catalog.Datum
	known := p.groups > 0
	for g := range p.groups {
		l, h, nulls, err := p.bounds(g, c)
		if err != nil {
			return
		}
		s.Nulls += max(nulls, 0)
		if l == nil {
			known = known && nulls == p.meta.RowGroup(g).NumRows()
			continue
		}
		if lo == nil {
			lo, hi = l, h
		}
		lo, hi = lesser(lo, l), greater(hi, h)
	}
	if known && lo != nil {
		s.Min, s.Max = lo, hi
	}
	s.NDV, s.AvgLen = p.distinct(c)
	if s.Min != nil && (c.Type.IsInteger() || c.Type.ID == types.Date) {
		if span := s.Max.I64 - s.Min.I64; span >= 0 && span < math.MaxInt64 && (s.NDV == 0 || s.NDV > span) {
			s.NDV = min(span+1, p.meta.NumRows-s.Nulls)
		}
	}
}

const (
	// sampledGroups is how many dictionaries of a column are looked at for statistics.
	sampledGroups = 3
	// decodedDict is the size up to which dictionaries are decoded and compared.
	decodedDict = 1 << 12
)

// distinct estimates the distinct values of a column from the dictionaries of a few
// row groups, 0 when it has none. Of small dictionaries the values tell how far groups
// share them; of large ones only the sizes are taken.
func (p *parquetPart) distinct(c *parquetColumn) (ndv int64, avgLen float64) {
	if p.groups == 0 || c.Comment != "" || c.leaf < 0 || p.comp != plain {
		return 0, 0
	}
	h, size, err := p.open()
	if err != nil {
		return 0, 0
	}
	defer h.Close()
	scan := &parquetScan{parquetPart: p, h: h, size: size}
	var samples []dictSample
	for i := range min(p.groups, sampledGroups) {
		group := i * (p.groups - 1) / max(min(p.groups, sampledGroups)-1, 1)
		d := scan.sampleDictionary(group, c)
		if d == nil {
			return 0, 0
		}
		avgLen += d.avgLen / float64(min(p.groups, sampledGroups))
		samples = append(samples, *d)
	}
	return min(p.distinctOf(samples), p.meta.NumRows), avgLen
}

// dictSample is what one row group's dictionary says.
type dictSample struct {
	group  int
	size   int         // values
	dict   *vec.Vector // nil for a large dictionary
	avgLen float64     // of strings, an estimate for a large dictionary
	lo, hi *catalog.Datum
}

// distinctOf extends samples to all row groups.
func (p *parquetPart) distinctOf(samples []dictSample) int64 {
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
	if largest.dict != nil { // what each further group added goes on
		return int64(len(seen) + added*(p.groups-len(samples)))
	}
	if apart(samples) {
		return int64(total) * int64(p.groups) / int64(len(samples))
	}
	return urn(float64(largest.size), float64(p.meta.RowGroup(largest.group).NumRows()), float64(p.meta.NumRows))
}

// apart tells whether no two samples can share a value, by their least and greatest.
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

// urn estimates the distinct values among rows draws of equally likely values of which
// sample draws gave n: first the number d of values from n = d (1 - exp(-sample/d)), by
// bisection, then what rows draws give.
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

// sampleDictionary reads a column chunk's dictionary when all its pages use it.
func (s *parquetScan) sampleDictionary(group int, c *parquetColumn) *dictSample {
	var lent borrowed
	defer lent.giveBack()
	p, err := s.loadColumn(group, c, &lent)
	if err != nil {
		return nil
	}
	// The first page tells: some writers leave the metadata's dictionary offset out.
	first := p
	h, err := p.skip()
	if err != nil || h == nil || h.typ != dictionaryPage {
		return nil
	}
	d := &dictSample{group: group, size: h.values}
	if d.lo, d.hi, _, err = s.bounds(group, c); err != nil {
		return nil
	}
	switch {
	case h.values <= decodedDict:
		if d.dict, err = c.firstDictionary(&first); err != nil {
			return nil
		}
		d.avgLen = averageLength(d.dict)
	case c.Type.Kind() == types.KindStr: // each has its length before it
		d.avgLen = max(float64(h.uncompressed)/float64(h.values)-4, 0)
	}
	// A writer that gave the dictionary up has stored far fewer values in it.
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

func (c *parquetColumn) firstDictionary(p *pages) (*vec.Vector, error) {
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
