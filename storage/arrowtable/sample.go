package arrowtable

import (
	"encoding/binary"
	"hash/fnv"
	"sort"
	"sync"

	"gsql/internal/mem"
	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// Sample returns up to sampleRows rows in stretches of sampleStretch adjacent ones. It omits columns
// whose texts are longer than sampleText bytes on average.
const (
	sampleRows    = 2048
	sampleStretch = 8
	sampleText    = 256
)

// sample holds the sampled rows of a table, read when a column is first requested.
type sample struct {
	mu       sync.Mutex
	from     []int64       // first rows of the stretches; nil before the first request
	cols     []*vec.Vector // by ordinal; nil for columns that were not requested or are omitted
	read     []bool        // by ordinal
	findings catalog.Findings
	held     *mem.Holding // of cols
}

// Sample implements catalog.Sampler. Texts belong to the records, which are never released.
func (t *table) Sample(columns []int) (*vec.Batch, *catalog.Findings) {
	s := &t.sample
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from == nil {
		s.from = t.stretches()
		s.cols, s.read = make([]*vec.Vector, len(t.schema.Columns)), make([]bool, len(t.schema.Columns))
	}
	if len(s.from) == 0 {
		return nil, nil
	}
	b := &vec.Batch{Cols: make([]*vec.Vector, len(columns)), N: len(s.from) * sampleStretch}
	for i, c := range columns {
		if c < 0 || c >= len(s.cols) {
			return nil, nil
		}
		if !s.read[c] {
			s.cols[c], s.read[c] = t.sampled(c), true
			t.hold(s.cols[c])
		}
		if b.Cols[i] = s.cols[c]; b.Cols[i] == nil {
			return nil, nil
		}
	}
	return b, &s.findings
}

// hold charges for the values of a sampled column; its texts belong to the records.
func (t *table) hold(v *vec.Vector) {
	if v == nil {
		return
	}
	const valueBytes = 17 // of any type, with a flag for NULL
	if t.sample.held == nil {
		t.sample.held = t.mem.HoldAnyway(0)
	}
	t.sample.held.GrowAnyway(valueBytes * int64(v.N))
}

// stretches returns the first rows of the sampled stretches, ordered so that the first quarter
// covers the whole table. Each is at an arbitrary position within an equal share of the rows: at
// equal positions, tables in the same order would show rows that match more often than others.
func (t *table) stretches() []int64 {
	rows := t.stats.Rows
	n := min(sampleRows, rows) / sampleStretch
	from := make([]int64, 0, n)
	seed := fnv.New64a()
	_, _ = seed.Write(binary.LittleEndian.AppendUint64([]byte(t.name), t.version))
	for _, first := range []int64{0, 2, 1, 3} {
		for i := first; i < n; i += 4 {
			_, _ = seed.Write([]byte{byte(i)})
			lo, hi := rows*i/n, rows*(i+1)/n
			from = append(from, lo+int64(seed.Sum64()>>33)%(hi-lo-sampleStretch+1))
		}
	}
	return from
}

// sampled reads the sampled rows of column c. It returns nil if the texts are long.
func (t *table) sampled(c int) *vec.Vector {
	out := vec.NewFlat(t.schema.Columns[c].Type, len(t.sample.from)*sampleStretch)
	var dicts arrowvec.DictCache
	var piece vec.Vector
	n := 0
	for _, from := range t.sample.from {
		for row := from; row < from+sampleStretch; {
			rec := sort.Search(len(t.recs), func(i int) bool { return t.starts[i+1] > row })
			first := int(row - t.starts[rec])
			last := int(min(from+sampleStretch, t.starts[rec+1]) - t.starts[rec])
			if err := dicts.FromArray(t.recs[rec].Column(c), out.Type, first, last, &piece); err != nil {
				return nil
			}
			for i := range last - first {
				catalog.DatumAt(&piece, i).Put(out, n)
				n++
			}
			row += int64(last - first)
		}
	}
	if out.TextBytes() > sampleText*int64(n) {
		return nil
	}
	return out
}
