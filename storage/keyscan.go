package storage

import (
	"slices"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

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
		if len(k.cols) == len(columns) && !slices.ContainsFunc(k.cols, func(c int) bool { return !slices.Contains(columns, c) }) {
			return k
		}
	}
	return nil
}

// scanShare returns the number of table rows per key from which many keys are looked up.
func (k *uniqueKey) scanShare() int64 {
	if k.colls != nil {
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
	kv := k.encode(cols, keys.N(), nil)
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
