package window

import (
	"math"

	"gsql/exec/agg/keytable"
	"gsql/exec/colstore"
	"gsql/exec/keyenc"
	"gsql/exec/sort"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// top keeps the rows of one worker that may be among the first of their partition. Each partition
// has a heap whose root is the last row to keep. All rows that the window drops by ROW_NUMBER are
// dropped here, except those that only the rows of other workers rule out; with RANK, the root's
// peers are kept too.
type top struct {
	o       *Operator
	account *mem.Account
	parts   *keytable.Keys // the partitions; nil for a single one
	store   *colstore.Store
	cols    []*vec.Vector        // of store
	of      *mem.Buffer[int32]   // by stored row: its partition
	heaps   *mem.Buffer[topHeap] // by partition
	last    *mem.Buffer[uint64]  // by partition: the greatest code that a wanted row can have
	rows    *mem.Buffer[topRow]  // in the heaps
	used    int                  // of rows
	kept    int                  // rows in heaps
	seen    int
	dropped int // stored rows dropped since the last tidy

	places  []int32       // scratch, by row of the batch
	code    []uint64      // scratch, by row of the batch
	flat    []*vec.Vector // scratch: the batch's order keys
	scratch []vec.Vector  // memory of flat
	chosen  []int32       // scratch: rows of the batch that are stored
}

// topHeap has the last of its rows, in order, at the root. Until it is full, every row enters.
type topHeap struct {
	at     int // in rows
	n, cap int32
}

// topRow is a stored row with the code of its first order key.
type topRow struct {
	code uint64
	row  int32
}

const (
	firstHeap = 4       // capacity of a new heap
	tidyRows  = 1 << 14 // least number of stored rows of which half are dropped before they are tidied
	// A worker that has seen tryRows rows and dropped less than an eighth of them passes on all
	// further rows.
	tryRows = 1 << 20
)

func (o *Operator) newTop() *top {
	t := &top{o: o, account: o.account, store: colstore.New(o.types, o.account), scratch: make([]vec.Vector, len(o.keys))}
	t.cols = t.store.Columns()
	if o.partition() > 0 {
		ts := make([]types.Type, o.partition())
		for i, k := range o.keys[:len(ts)] {
			ts[i] = o.types[k.col]
		}
		t.parts = keytable.NewKeys(ts, o.inRows/float64(o.ctx.Workers), o.account)
	}
	for i, k := range o.keys {
		t.scratch[i].Type = o.types[k.col]
	}
	return t
}

// settle frees everything but the stored rows.
func (t *top) settle() {
	if t.parts != nil {
		t.parts.Free()
	}
	t.of.Free()
	t.heaps.Free()
	t.last.Free()
	t.rows.Free()
	t.parts, t.of, t.heaps, t.last, t.rows = nil, nil, nil, nil, nil
}

func (t *top) free() {
	t.settle()
	t.store.Free()
}

// scarce reports whether half of the available memory is used: the sort needs the rest.
func (t *top) scarce() bool { return t.account.Left() < t.account.Used() }

// useless reports whether so few rows were dropped that examining more does not pay.
func (t *top) useless() bool { return t.seen >= tryRows && t.kept > t.seen-t.seen/8 }

// add takes the rows of a batch that may be among the first ones. If it returns an error, which
// means that memory was refused, taken reports whether the rows are stored anyway.
func (t *top) add(b *vec.Batch) (taken bool, err error) {
	if err := t.locate(b); err != nil {
		return false, err
	}
	t.encode(b)
	t.choose()
	t.seen += b.N
	if len(t.chosen) == 0 {
		return true, nil
	}
	first := t.store.Rows()
	n := first + len(t.chosen)
	if err := mem.Room(t.account, &t.of, n); err != nil {
		return false, err
	}
	for i, row := range t.chosen {
		t.of.S[first+i] = t.places[row]
	}
	err = t.store.Append(vec.Select(b, t.chosen))
	t.store.Update(t.cols) // a column may have moved although another one did not fit
	if err != nil {
		return false, err
	}
	for i, row := range t.chosen {
		if err := t.enter(topRow{t.code[row], int32(first + i)}); err != nil {
			return true, err
		}
	}
	if t.dropped >= tidyRows/2 && t.dropped > t.store.Rows()/2 {
		return true, t.tidy()
	}
	return true, nil
}

// locate finds the partitions of a batch's rows.
func (t *top) locate(b *vec.Batch) error {
	if cap(t.places) < b.N {
		t.places, t.code = make([]int32, b.N), make([]uint64, b.N)
	}
	t.places, t.code = t.places[:b.N], t.code[:b.N]
	n := 1
	if t.parts != nil {
		cols := make([]*vec.Vector, t.o.partition())
		for i, k := range t.o.keys[:len(cols)] {
			cols[i] = b.Cols[k.col]
		}
		if err := t.parts.Find(cols, t.places); err != nil {
			return err
		}
		n = t.parts.Len()
	}
	if err := mem.Room(t.account, &t.heaps, n); err != nil {
		return err
	}
	had := 0
	if t.last != nil {
		had = len(t.last.S)
	}
	if err := mem.Room(t.account, &t.last, n); err != nil {
		return err
	}
	for i := range t.last.S[had:] {
		t.last.S[had+i] = math.MaxUint64
	}
	return nil
}

// encode finds the codes of a batch's rows.
func (t *top) encode(b *vec.Batch) {
	t.flat = t.flat[:0]
	for i, k := range t.o.keys {
		if i >= t.o.partition() {
			t.flat = append(t.flat, b.Cols[k.col].Flatten(&t.scratch[i]))
		}
	}
	if len(t.flat) == 0 {
		clear(t.code)
		return
	}
	keyenc.SortKeys(t.flat[0], t.o.keys[t.o.partition()].desc, t.code)
}

// choose selects the rows that may enter their heaps.
func (t *top) choose() {
	t.chosen = t.chosen[:0]
	last, places := t.last.S, t.places[:len(t.code)]
	for i, code := range t.code {
		if x := last[places[i]]; code < x || code == x && t.wanted(i) {
			t.chosen = append(t.chosen, int32(i))
		}
	}
}

// wanted decides about a row of the batch whose code equals that of its heap's root.
func (t *top) wanted(row int) bool {
	h := &t.heaps.S[t.places[row]]
	if int64(h.n) < t.o.top {
		return true
	}
	root, d := t.rows.S[h.at].row, 0
	if !t.decisive(t.code[row]) {
		for i, k := range t.o.keys[t.o.partition():] {
			if d = sort.Compare(t.flat[i], int32(row), t.cols[k.col], root); d != 0 {
				if k.desc {
					d = -d
				}
				break
			}
		}
	}
	return d < 0 || d == 0 && t.o.peers
}

// decisive reports whether two rows that both have this code are peers.
func (t *top) decisive(code uint64) bool {
	switch order := t.o.keys[t.o.partition():]; len(order) {
	case 0:
		return true
	case 1:
		return keyenc.ExactSortKey(t.o.types[order[0].col].Kind(), code)
	}
	return false
}
