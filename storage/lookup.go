package storage

import (
	"slices"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/contents"
	"gsql/storage/keyindex"
)

// point locates the committed row that equalities on all columns of a unique key select. ok is
// false if they do not determine a key, or if the key's index, which describes the newest commit,
// may have lost rows of v. found is false if there is no such row. The transaction's own rows are
// not considered.
func (v *version) point(ranges []catalog.Range) (at contents.Place, found, ok bool) {
	for _, k := range v.keys {
		kv, all := k.pointOf(v.schema, ranges)
		if !all {
			continue
		}
		id, in, complete := k.committed(v, &kv)
		if in {
			at, found = v.find(id)
			if found = found && !at.Deleted(); found {
				return at, true, true
			}
		}
		if complete {
			return contents.Place{}, false, true
		}
	}
	return contents.Place{}, false, false
}

// pointOf returns the key that ranges fix; all is false if they leave a column open.
func (k *uniqueKey) pointOf(schema *catalog.Schema, ranges []catalog.Range) (kv keyindex.Values, all bool) {
	var key []byte
	if k.Collations != nil {
		return kv, false // ranges compare bytes
	}
	for _, c := range k.At {
		d := fixed(ranges, c)
		if d == nil || d.Type.Kind() != schema.Columns[c].Type.Kind() {
			return kv, false
		}
		if k.Form == keyindex.Integer {
			kv.Ints = []int64{d.I64}
			return kv, true
		}
		key = keyindex.AppendKey(key, d.Vector(1), 0)
	}
	kv.Strs = []string{keyindex.Condensed(key)}
	return kv, true
}

// fixed returns the only value of column c that ranges allow, or nil.
func fixed(ranges []catalog.Range, c int) *catalog.Datum {
	for i := range ranges {
		r := &ranges[i]
		if r.Column == c && r.Lo != nil && r.Hi != nil && !r.Lo.Null && r.Lo.Compare(*r.Hi) == 0 {
			return r.Lo
		}
	}
	return nil
}

// committed looks a key up among the committed rows. complete is set if the index still has every
// key of v.
func (k *uniqueKey) committed(v *version, kv *keyindex.Values) (id int64, found, complete bool) {
	if !k.readForLookup() {
		return 0, false, false
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	id, found = k.rows.Get(kv, 0)
	return id, found, v.committed >= k.lost
}

// narrow limits the scan to one committed row, if found, and to v's own rows.
func (s *source) narrow(at contents.Place, found bool) {
	committed := s.committedRuns()
	if found {
		s.morsels = append(s.morsels, morsel{at.Seg, at.Row, at.Row + 1})
	}
	for i := committed; i < len(s.runs); i++ {
		s.addMorsels(i)
	}
}

// committedRuns returns the number of runs of committed rows, which come first.
func (s *source) committedRuns() int {
	n := len(s.v.Segs)
	if s.v.Tail.N > 0 {
		n++
	}
	return n
}

const (
	// Rows of up to fewKeys keys are always found through the index. For more keys the index is
	// used only if the table has at least scanShare rows per key, because scanning is cheaper per
	// row. The factor is collatedShare if a scan would have to compute collation keys of texts.
	fewKeys       = 1024
	scanShare     = 64
	collatedShare = 8
)

// FindsBy implements catalog.KeyFinder.
func (v *version) FindsBy(columns []int) bool { return v.keyOf(columns) != nil }

// keyOf returns a unique key over exactly these columns, in any order, or nil.
func (v *version) keyOf(columns []int) *uniqueKey {
	for _, k := range v.keys {
		if len(k.At) == len(columns) && !slices.ContainsFunc(k.At, func(c int) bool { return !slices.Contains(columns, c) }) {
			return k
		}
	}
	return nil
}

// scanShare returns the number of table rows per key from which many keys are looked up.
func (k *uniqueKey) scanShare() int64 {
	if k.Collations != nil {
		return collatedShare
	}
	return scanShare
}

// withKeys returns the ids of the committed rows that have one of the keys, ascending. ok is
// false if a scan is better, or if the key's index may have lost rows of v.
func (v *version) withKeys(keys *catalog.Keys) (ids []int64, ok bool) {
	if keys == nil {
		return nil, false
	}
	k := v.keyOf(keys.Columns)
	if k == nil || keys.N() > fewKeys && int64(keys.N())*k.scanShare() > v.rows() || !k.readForLookup() {
		return nil, false
	}
	cols := make([]*vec.Vector, len(v.schema.Columns))
	for i, c := range keys.Columns {
		cols[c] = keys.Values[i]
	}
	kv := k.ValuesCollated(cols, keys.N(), nil)
	ids = make([]int64, 0, keys.N())
	k.mu.RLock()
	defer k.mu.RUnlock()
	complete := v.committed >= k.lost
	for i := range keys.N() {
		if kv.IsNull(i) {
			continue
		}
		id, in := k.rows.Get(&kv, i)
		if in && v.alive(id) {
			ids = append(ids, id)
		} else if !complete {
			return nil, false
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), true
}

// keyReader returns the rows found by keys, followed by those of the Reader.
type keyReader struct {
	catalog.Reader
	src   *source
	batch vec.Batch
}

// Next implements catalog.Reader.
func (r *keyReader) Next() (*vec.Batch, error) {
	s := r.src
	size := int64(s.spec.BatchSize)
	from := s.taken.Add(size) - size
	if from >= int64(len(s.picked)) {
		b, err := r.Reader.Next()
		if b != nil {
			b.Morsel += (int64(len(s.picked)) + size - 1) / size // they follow these rows
		}
		return b, err
	}
	ids := s.picked[from:min(from+size, int64(len(s.picked)))]
	byColumn := make([]*vec.Vector, len(s.v.schema.Columns))
	var wanted []int
	for _, c := range s.spec.Columns {
		if c >= 0 && !slices.Contains(wanted, c) {
			wanted = append(wanted, c)
		}
	}
	if err := s.v.fetchColumns(s.ctx, ids, byColumn, wanted); err != nil {
		return nil, err
	}
	r.batch = vec.Batch{N: len(ids), Cols: make([]*vec.Vector, len(s.spec.Columns)), Morsel: from/size + 1}
	for i, c := range s.spec.Columns {
		if c == catalog.RowID {
			r.batch.Cols[i] = &vec.Vector{Type: types.T(types.Int64), N: len(ids), I64: ids}
		} else {
			r.batch.Cols[i] = byColumn[c]
		}
	}
	if s.spec.Progress != nil {
		s.spec.Progress(int64(len(ids)))
	}
	return &r.batch, nil
}
