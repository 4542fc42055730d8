package storage

import (
	"gsql/sql/catalog"
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
	if k.colls != nil {
		return kv, false // ranges compare bytes
	}
	for _, c := range k.cols {
		d := fixed(ranges, c)
		if d == nil || d.Type.Kind() != schema.Columns[c].Type.Kind() {
			return kv, false
		}
		if k.ints {
			kv.Ints = []int64{d.I64}
			return kv, true
		}
		key = appendKey(key, d.Vector(1), 0)
	}
	kv.Strs = []string{string(key)}
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
