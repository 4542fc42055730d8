package window

import (
	"cmp"

	"gsql/exec/keyenc"
	"gsql/exec/sort"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// enter adds a stored row to its partition's heap, if it belongs there.
func (t *top) enter(row topRow) error {
	part := t.of.S[row.row]
	h := &t.heaps.S[part]
	if int64(h.n) < t.o.top {
		if err := t.extend(h); err != nil {
			return err
		}
		rows := t.rows.S[h.at : h.at+int(h.n)+1]
		rows[h.n] = row
		h.n++
		t.kept++
		t.rise(rows)
		if int64(h.n) == t.o.top {
			t.last.S[part] = rows[0].code
		}
		return nil
	}
	rows := t.rows.S[h.at : h.at+int(h.n)]
	t.dropped++
	if t.compare(row, rows[0]) < 0 {
		rows[0] = row
		t.sink(rows)
		t.last.S[part] = rows[0].code
	}
	return nil
}

// extend ensures that a heap has space for one more row. If it has none, it moves to the end.
func (t *top) extend(h *topHeap) error {
	if h.n < h.cap {
		return nil
	}
	size := int32(min(max(2*int64(h.cap), firstHeap), t.o.top))
	if err := mem.Room(t.account, &t.rows, t.used+int(size)); err != nil {
		return err
	}
	copy(t.rows.S[t.used:], t.rows.S[h.at:h.at+int(h.n)])
	h.at, h.cap = t.used, size
	t.used += int(size)
	return nil
}

// compare compares stored rows by the order keys and then, except for RANK, by their order in the
// input.
func (t *top) compare(a, b topRow) int {
	if a.code != b.code {
		return cmp.Compare(a.code, b.code)
	}
	if !t.decisive(a.code) {
		for _, k := range t.o.keys[t.o.partition():] {
			if d := sort.Compare(t.cols[k.col], a.row, t.cols[k.col], b.row); d != 0 {
				if k.desc {
					d = -d
				}
				return d
			}
		}
	}
	if t.o.peers {
		return 0
	}
	return cmp.Compare(a.row, b.row)
}

// rise restores the order of a heap whose last row is new.
func (t *top) rise(rows []topRow) {
	i := len(rows) - 1
	for i > 0 {
		up := (i - 1) / 2
		if t.compare(rows[i], rows[up]) <= 0 {
			return
		}
		rows[i], rows[up] = rows[up], rows[i]
		i = up
	}
}

// sink restores the order of a heap whose root is new.
func (t *top) sink(rows []topRow) {
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(rows) {
			return
		}
		if down+1 < len(rows) && t.compare(rows[down+1], rows[down]) > 0 {
			down++
		}
		if t.compare(rows[down], rows[i]) <= 0 {
			return
		}
		rows[i], rows[down] = rows[down], rows[i]
		i = down
	}
}

// tidy drops the stored rows that are no longer needed.
func (t *top) tidy() error {
	if err := t.o.ctx.Err(); err != nil {
		return err
	}
	numbers, err := mem.Alloc[int32](t.account, t.store.Rows())
	if err != nil {
		return err
	}
	defer numbers.Free()
	t.mark(numbers.S)
	var left []int32
	for row, marked := range numbers.S {
		if marked != 0 {
			numbers.S[row] = int32(len(left))
			left = append(left, int32(row))
		}
	}
	store, err := t.store.Pick(left)
	if err != nil {
		return err
	}
	t.store.Free()
	t.store, t.cols = store, store.Columns()
	for row, was := range left {
		t.of.S[row] = t.of.S[was]
	}
	for i := range t.heaps.S { // heaps stay in order because the rows do
		h := &t.heaps.S[i]
		for k, row := range t.rows.S[h.at : h.at+int(h.n)] {
			t.rows.S[h.at+k].row = numbers.S[row.row]
		}
	}
	t.dropped = 0
	return nil
}

// mark marks the stored rows to keep: those in heaps and, for RANK, the peers of a full heap's
// root.
func (t *top) mark(marks []int32) {
	for i := range t.heaps.S {
		h := &t.heaps.S[i]
		for _, row := range t.rows.S[h.at : h.at+int(h.n)] {
			marks[row.row] = 1
		}
	}
	if !t.o.peers {
		return
	}
	t.each(func(row topRow) {
		part := t.of.S[row.row]
		h := &t.heaps.S[part]
		if row.code == t.last.S[part] && int64(h.n) == t.o.top && t.compare(row, t.rows.S[h.at]) == 0 {
			marks[row.row] = 1
		}
	})
}

// each calls f for the stored rows.
func (t *top) each(f func(topRow)) {
	first := &vec.Vector{Type: types.T(types.Null)}
	desc := false
	if i := t.o.partition(); i < len(t.o.keys) {
		first, desc = t.cols[t.o.keys[i].col], t.o.keys[i].desc
	}
	var codes [vec.BatchSize]uint64
	for lo, n := 0, t.store.Rows(); lo < n; lo += len(codes) {
		some := codes[:min(n-lo, len(codes))]
		keyenc.SortKeys(first.Slice(lo, lo+len(some)), desc, some)
		for i, code := range some {
			f(topRow{code, int32(lo + i)})
		}
	}
}
