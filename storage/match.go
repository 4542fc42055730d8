package storage

import (
	"context"
	"slices"

	"gsql/sql/catalog"
	"gsql/sql/vec"
	"gsql/storage/keyindex"
)

// Matcher walks over rows to be inserted and finds the rows of a table that share a unique key
// with them, for INSERT IGNORE, REPLACE and ON DUPLICATE KEY UPDATE. It must be used on the
// transaction's goroutine.
type Matcher struct {
	tx   *Tx
	w    *write
	cols []*vec.Vector // converted to the columns' types
	made []bool        // flags rows that received an AUTO_INCREMENT value; nil if there are none
	n    int
	at   int // rows before it have been returned
	keys []matchKey
	held heldTexts
}

// matchKey is a unique key of the table with its values for the rows.
type matchKey struct {
	*uniqueKey
	kv   keyindex.Values
	seen *keyindex.Index // keys of the current stretch
}

// Stretch is a range of rows no two of which share a key or match the same existing row.
type Stretch struct {
	From, To int
	// Met holds, for each row, the existing rows that it matches, in the keys' order and without
	// repetition.
	Met [][]Meeting
}

// Meeting is a row that shares a unique key with a row to be inserted.
type Meeting struct {
	ID  int64
	Key int // which of the table's unique keys, by position
}

// NewMatcher starts with a batch of rows, as Insert takes it, and converts it to the columns'
// types (errors 1048, 1264, 1406). row0 is the number of the first row, for error messages.
func NewMatcher(ctx context.Context, tx *Tx, tbl catalog.Table, cols []*vec.Vector, row0 int) (*Matcher, error) {
	w, err := tx.target(tbl)
	if err != nil {
		return nil, err
	}
	if row0 == 0 {
		tx.autoID = 0
	}
	w.matched = true
	tx.reads.note(w.view.table.db, w.view.table.name)
	m := &Matcher{tx: tx, w: w, n: cols[0].N}
	if m.cols, m.made, err = conformBatch(tx, w.view, cols, row0, &m.held); err != nil {
		m.Release()
		return nil, err
	}
	for _, k := range w.view.keys {
		if err := k.read(ctx); err != nil {
			return nil, err
		}
		kv, err := k.values(m.cols, m.n)
		if err != nil {
			return nil, err
		}
		m.keys = append(m.keys, matchKey{uniqueKey: k, kv: kv})
	}
	return m, nil
}

// Release releases the memory charged for generated columns, once the rows are stored.
func (m *Matcher) Release() { m.held.release(m.tx) }

// Rows returns the rows as they will be stored.
func (m *Matcher) Rows() []*vec.Vector { return m.cols }

// Keys returns the number of unique keys.
func (m *Matcher) Keys() int { return len(m.keys) }

// Next returns the next stretch of at most limit rows, matched against the current state of the
// transaction. At the end it returns a stretch with To equal to From.
func (m *Matcher) Next(limit int) Stretch {
	s := Stretch{From: m.at, To: m.at}
	for i := range m.keys {
		m.keys[i].seen = keyindex.New(nil, m.keys[i].Form)
	}
	latest := m.tx.latest(m.w)
	met := map[int64]bool{}
	for m.at < min(m.n, s.From+limit) {
		found, ok := m.meet(m.at, latest, met)
		if !ok {
			break
		}
		for _, f := range found {
			met[f.ID] = true
		}
		s.Met = append(s.Met, found)
		m.at++
	}
	s.To = m.at
	return s
}

// meet finds the existing rows that row i matches. ok is false if row i shares a key with another
// row of the stretch or matches a row that another one has matched.
func (m *Matcher) meet(i int, latest *version, met map[int64]bool) (found []Meeting, ok bool) {
	for k := range m.keys {
		key := &m.keys[k]
		if key.kv.IsNull(i) {
			continue
		}
		if _, again := key.seen.Get(&key.kv, i); again {
			return nil, false
		}
		id, taken := key.holder(&key.kv, i, m.local(k), latest, m.w.view)
		if !taken {
			continue
		}
		if met[id] {
			return nil, false
		}
		if !slices.ContainsFunc(found, func(x Meeting) bool { return x.ID == id }) {
			found = append(found, Meeting{id, k})
		}
	}
	for k := range m.keys {
		if key := &m.keys[k]; !key.kv.IsNull(i) {
			key.seen.Put(&key.kv, i, int64(i))
		}
	}
	return found, true
}

func (m *Matcher) local(k int) *keyindex.Index {
	if k < len(m.w.local) {
		return m.w.local[k]
	}
	return nil
}

// holder returns the row that has a key, by the rules of claim.
func (k *uniqueKey) holder(kv *keyindex.Values, i int, local *keyindex.Index, latest, view *version) (id int64, taken bool) {
	if local != nil {
		if id, ok := local.Get(kv, i); ok && view.alive(id) {
			return id, true
		}
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	id, ok := k.rows.Get(kv, i)
	return id, ok && latest.alive(id) && !view.removed(id)
}

// Duplicate returns error 1062 for row i and a key.
func (m *Matcher) Duplicate(i, key int) error { return m.keys[key].duplicate(m.cols, i) }

// Visible returns error 1213 if the transaction does not see a matched row because another
// transaction has committed it since this one began.
func (m *Matcher) Visible(met Meeting) error {
	if !m.w.view.alive(met.ID) {
		return conflictError()
	}
	return nil
}

// Insert adds the rows of a stretch with the given numbers. They must not match existing rows.
func (m *Matcher) Insert(ctx context.Context, rows []int32) error {
	if len(rows) == 0 {
		return nil
	}
	cols := m.pick(rows)
	if err := orConflict(m.tx, m.w, nil, m.tx.insert(ctx, m.w, m.w.view, [][]*vec.Vector{cols})); err != nil {
		return err
	}
	if m.tx.autoID == 0 && m.made != nil {
		m.tx.autoID = m.firstMade(rows)
	}
	return nil
}

func (m *Matcher) pick(rows []int32) []*vec.Vector {
	if len(rows) == m.n { // rows are ascending
		return m.cols
	}
	cols := make([]*vec.Vector, len(m.cols))
	for c, v := range m.cols {
		var cm vec.Composer
		cols[c] = cm.View(v, rows).Flatten(nil)
	}
	return cols
}

func (m *Matcher) firstMade(rows []int32) int64 {
	for _, r := range rows {
		if m.made[r] {
			return autoColumn(m.w.view, m.cols).I64[r]
		}
	}
	return 0
}

// Fetch reads all columns of rows by their ids, in any order, as the transaction sees them.
func (tx *Tx) Fetch(ctx context.Context, tbl catalog.Table, ids []int64) ([]*vec.Vector, error) {
	w, err := tx.target(tbl)
	if err != nil {
		return nil, err
	}
	sorted, err := ascending(ctx, ids)
	if err != nil {
		return nil, err
	}
	cols := make([]*vec.Vector, len(w.view.schema.Columns))
	if err := w.view.fetch(ctx, sorted, cols); err != nil {
		return nil, err
	}
	order := make([]int32, len(ids))
	for i, id := range ids {
		at, _ := slices.BinarySearch(sorted, id)
		order[i] = int32(at)
	}
	for c, v := range cols {
		var cm vec.Composer
		cols[c] = cm.View(v, order).Flatten(nil)
	}
	return cols, nil
}

// Differ reports for each of the rows whether it differs from the stored row with the
// corresponding id.
func (m *Matcher) Differ(ctx context.Context, rows []int32, ids []int64) ([]bool, error) {
	old, err := m.tx.Fetch(ctx, m.w.view, ids)
	if err != nil {
		return nil, err
	}
	differs := make([]bool, len(rows))
	for c, v := range m.pick(rows) {
		markDifferent(differs, old[c], v)
	}
	return differs, nil
}
