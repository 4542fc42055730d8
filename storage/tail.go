package storage

import (
	"slices"
	"sort"
	"unsafe"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Blocks start small, so that small tables stay small, and grow to one batch.
const (
	minBlockRows = 16
	maxBlockRows = vec.BatchSize
)

// block is a run of rows in vector form with room for cap rows. Rows are written once,
// before a tail that counts them is published; its slices never move.
type block struct {
	start, cap int
	cols       []*vec.Vector // flat; Null is allocated for nullable columns

	held      *mem.Holding
	uncharged int64 // bytes that held does not count
}

// chargeBytes is how much of a block is charged at once: charging costs more than a row does.
const chargeBytes = 16 << 10

// charge counts n bytes more of b.
func (b *block) charge(account *mem.Account, n int64) (err error) {
	if n += b.uncharged; n < chargeBytes {
		b.uncharged = n
		return nil
	}
	if b.held == nil {
		b.held, err = account.Hold(n)
	} else {
		err = b.held.Grow(n)
	}
	if err == nil {
		b.uncharged = 0
	}
	return err
}

// tail is the append-only end of a table. The value is a fixed prefix: appending gives
// a longer value over the same blocks and leaves earlier values as they are. Only
// the longest value may be appended to, by one goroutine at a time.
type tail struct {
	base   int64 // row id of row 0
	blocks []*block
	n      int
	bytes  int64 // string bytes
}

func newBlock(schema *catalog.Schema, start, rows int) *block {
	b := &block{start: start, cap: rows, cols: make([]*vec.Vector, len(schema.Columns))}
	for i := range schema.Columns {
		c := &schema.Columns[i]
		b.cols[i] = vec.NewFlat(c.Type, rows)
		if !c.NotNull {
			b.cols[i].Null = make([]bool, rows)
		}
	}
	return b
}

// append returns t with the n rows of cols, which must be flat and conform to the schema.
// Strings are copied. Memory is charged to account, whose refusal leaves t as it was.
func (t tail) append(account *mem.Account, schema *catalog.Schema, cols []*vec.Vector, n int) (tail, error) {
	before := t
	for done := 0; done < n; {
		last := t.lastBlock()
		if last == nil || t.n == last.start+last.cap {
			size := minBlockRows
			if last != nil {
				size = 2 * last.cap
			}
			size = min(max(size, n-done), maxBlockRows)
			last = newBlock(schema, t.n, size)
			if err := last.charge(account, last.memory()); err != nil {
				return before, err
			}
			t.blocks = append(t.blocks, last)
		}
		at := t.n - last.start
		take := min(n-done, last.cap-at)
		text := int64(0)
		for i, c := range cols {
			text += copyRows(last.cols[i], at, c, done, done+take)
		}
		if err := last.charge(account, text); err != nil {
			return before, err
		}
		t.bytes += text
		t.n += take
		done += take
	}
	return t, nil
}

func (t *tail) lastBlock() *block {
	if len(t.blocks) == 0 {
		return nil
	}
	return t.blocks[len(t.blocks)-1]
}

// copyRows writes rows [from, to) of src to dst from row at on and returns the bytes of
// strings copied. dst.Null may be nil only where src has no NULLs.
func copyRows(dst *vec.Vector, at int, src *vec.Vector, from, to int) int64 {
	if dst.Null != nil {
		if src.Null != nil {
			copy(dst.Null[at:], src.Null[from:to])
		} else {
			clear(dst.Null[at : at+to-from]) // the room may have been written to in vain before
		}
	}
	switch src.Type.Kind() {
	case types.KindI64, types.KindU64:
		copy(dst.I64[at:], src.I64[from:to])
	case types.KindF64:
		copy(dst.F64[at:], src.F64[from:to])
	case types.KindDec:
		copy(dst.Dec[at:], src.Dec[from:to])
	case types.KindStr:
		return copyStrings(dst.Str[at:], src.Str[from:to], src.Null, from)
	}
	return 0
}

// copyStrings copies strings into one new piece of memory. The strings of NULL rows
// become empty: what they hold is undefined.
func copyStrings(dst, src []string, null []bool, from int) int64 {
	total := 0
	for i, s := range src {
		if null == nil || !null[from+i] {
			total += len(s)
		}
	}
	arena := make([]byte, 0, total)
	for i, s := range src {
		if null != nil && null[from+i] {
			dst[i] = ""
			continue
		}
		at := len(arena)
		arena = append(arena, s...)
		dst[i] = unsafe.String(unsafe.SliceData(arena[at:]), len(s))
	}
	return int64(total)
}

// blockAt finds the block that holds row.
func (t *tail) blockAt(row int) *block {
	i := sort.Search(len(t.blocks), func(i int) bool { return t.blocks[i].start > row })
	return t.blocks[i-1]
}

// read makes dst a slice of column col, rows [from, to), which lie in one block.
func (b *block) read(col, from, to int, dst *vec.Vector) {
	src := b.cols[col]
	from, to = from-b.start, to-b.start
	*dst = vec.Vector{Type: src.Type, N: to - from}
	if src.Null != nil && slices.Contains(src.Null[from:to], true) {
		dst.Null = src.Null[from:to:to]
	}
	switch src.Type.Kind() {
	case types.KindI64, types.KindU64:
		dst.I64 = src.I64[from:to:to]
	case types.KindF64:
		dst.F64 = src.F64[from:to:to]
	case types.KindDec:
		dst.Dec = src.Dec[from:to:to]
	case types.KindStr:
		dst.Str = src.Str[from:to:to]
	}
}

// seal makes a segment of the tail's rows.
func (t *tail) seal(account *mem.Account, schema *catalog.Schema) (*segment, error) {
	return seal(account, schema, t.batches()...)
}

// batches returns the rows as they lie, in several vectors a column.
func (t *tail) batches() [][]*vec.Vector {
	out := make([][]*vec.Vector, len(t.blocks))
	for i, b := range t.blocks {
		out[i] = sliced(b.cols, 0, min(b.cap, t.n-b.start))
	}
	return out
}

// appendFlat copies the first n rows of src, sharing strings, to dst from row at on.
func appendFlat(dst *vec.Vector, at int, src *vec.Vector, n int) {
	if src.Null != nil && slices.Contains(src.Null[:n], true) {
		if dst.Null == nil {
			dst.Null = make([]bool, dst.N)
		}
		copy(dst.Null[at:], src.Null[:n])
	}
	switch src.Type.Kind() {
	case types.KindI64, types.KindU64:
		copy(dst.I64[at:], src.I64[:n])
	case types.KindF64:
		copy(dst.F64[at:], src.F64[:n])
	case types.KindDec:
		copy(dst.Dec[at:], src.Dec[:n])
	case types.KindStr:
		copy(dst.Str[at:], src.Str[:n])
	}
}

// memory estimates the tail's size in bytes.
func (t *tail) memory() int64 {
	total := t.bytes
	if len(t.blocks) == 0 {
		return total
	}
	for _, b := range t.blocks {
		total += b.memory()
	}
	return total
}

// memory estimates the size of b's vectors in bytes, without what strings hold.
func (b *block) memory() int64 {
	total, rows := int64(0), int64(b.cap)
	for _, c := range b.cols {
		total += rows * slotBytes(c.Type.Kind())
		if c.Null != nil {
			total += rows
		}
	}
	return total
}

func slotBytes(k types.Kind) int64 {
	switch k {
	case types.KindDec, types.KindStr:
		return 16
	case types.KindNull:
		return 0
	}
	return 8
}
