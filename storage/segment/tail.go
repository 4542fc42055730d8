package segment

import (
	"slices"
	"sort"
	"unsafe"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Blocks start small, to keep small tables small, and grow up to one batch.
const (
	minBlockRows = 16
	maxBlockRows = vec.BatchSize
)

// Block is a run of rows in vector form with a capacity of Cap rows. A row is written once,
// before a tail that includes it is published. The block's slices never move.
type Block struct {
	Start, Cap int
	Cols       []*vec.Vector // flat; Null is allocated for nullable columns

	held      *mem.Holding
	uncharged int64 // bytes not yet charged to held
}

// ChargeBytes is the granularity of charges: charging costs more than adding a row.
const ChargeBytes = 16 << 10

// Charge charges n more bytes of b.
func (b *Block) Charge(account *mem.Account, n int64) (err error) {
	if n += b.uncharged; n < ChargeBytes {
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

// Tail is the append-only end of a table. The value is a fixed prefix: appending returns a longer
// value over the same blocks and leaves earlier values unchanged. Only the longest value may be
// appended to, by one goroutine at a time.
type Tail struct {
	Base   int64 // row id of row 0
	Blocks []*Block
	N      int
	Bytes  int64 // string bytes
}

func newBlock(schema *catalog.Schema, start, rows int) *Block {
	b := &Block{Start: start, Cap: rows, Cols: make([]*vec.Vector, len(schema.Columns))}
	for i := range schema.Columns {
		c := &schema.Columns[i]
		b.Cols[i] = vec.NewFlat(c.Type, rows)
		if !c.NotNull {
			b.Cols[i].Null = make([]bool, rows)
		}
	}
	return b
}

// NewBlock returns a block for rows of a schema, which is charged to account.
func NewBlock(account *mem.Account, schema *catalog.Schema, rows int) (*Block, error) {
	b := newBlock(schema, 0, rows)
	return b, b.Charge(account, b.Memory())
}

// Add returns t with a block of b.Cap rows added, whose texts have so many bytes. Nobody else may
// have the longest tail yet: room that is left in its last block is given up.
func (t Tail) Add(b *Block, text int64) Tail {
	if last := t.lastBlock(); last != nil {
		last.Cap = t.N - last.Start
	}
	b.Start = t.N
	t.Blocks = append(t.Blocks, b)
	t.N += b.Cap
	t.Bytes += text
	return t
}

// Append returns t with the n rows of cols added, which must be flat and conform to the schema.
// Strings are copied. Memory is charged to account; if the charge is refused, t is returned
// unchanged.
func (t Tail) Append(account *mem.Account, schema *catalog.Schema, cols []*vec.Vector, n int) (Tail, error) {
	before := t
	for done := 0; done < n; {
		last := t.lastBlock()
		if last == nil || t.N == last.Start+last.Cap {
			size := minBlockRows
			if last != nil {
				size = 2 * last.Cap
			}
			size = min(max(size, n-done), maxBlockRows)
			last = newBlock(schema, t.N, size)
			if err := last.Charge(account, last.Memory()); err != nil {
				return before, err
			}
			t.Blocks = append(t.Blocks, last)
		}
		at := t.N - last.Start
		take := min(n-done, last.Cap-at)
		text := int64(0)
		for _, c := range cols {
			text += textBytes(c, done, done+take)
		}
		if err := last.Charge(account, text); err != nil {
			return before, err
		}
		for i, c := range cols {
			CopyRows(last.Cols[i], at, c, done, done+take)
		}
		t.Bytes += text
		t.N += take
		done += take
	}
	return t, nil
}

func (t *Tail) lastBlock() *Block {
	if len(t.Blocks) == 0 {
		return nil
	}
	return t.Blocks[len(t.Blocks)-1]
}

// textBytes returns the bytes of the texts of rows [from, to) of a flat vector that are not NULL.
func textBytes(v *vec.Vector, from, to int) (total int64) {
	if v.Type.Kind() != types.KindStr {
		return 0
	}
	for i, s := range v.Str[from:to] {
		if v.Null == nil || !v.Null[from+i] {
			total += int64(len(s))
		}
	}
	return total
}

// CopyRows writes rows [from, to) of src to dst, starting at row at. dst.Null may be nil only if src has no NULLs.
func CopyRows(dst *vec.Vector, at int, src *vec.Vector, from, to int) {
	if dst.Null != nil {
		if src.Null != nil {
			copy(dst.Null[at:], src.Null[from:to])
		} else {
			clear(dst.Null[at : at+to-from]) // a failed append may have written here
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
		copyStrings(dst.Str[at:], src, from, to)
	}
}

// copyStrings copies strings into a newly allocated piece of memory. The strings of NULL rows,
// which are undefined, become empty.
func copyStrings(dst []string, src *vec.Vector, from, to int) {
	arena := make([]byte, 0, textBytes(src, from, to))
	for i, s := range src.Str[from:to] {
		if src.Null != nil && src.Null[from+i] {
			dst[i] = ""
			continue
		}
		at := len(arena)
		arena = append(arena, s...)
		dst[i] = unsafe.String(unsafe.SliceData(arena[at:]), len(s))
	}
}

// BlockAt returns the block that contains row.
func (t *Tail) BlockAt(row int) *Block {
	i := sort.Search(len(t.Blocks), func(i int) bool { return t.Blocks[i].Start > row })
	return t.Blocks[i-1]
}

// Read sets dst to a slice of rows [from, to) of column col. The rows must be in one block.
func (b *Block) Read(col, from, to int, dst *vec.Vector) {
	src := b.Cols[col]
	from, to = from-b.Start, to-b.Start
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

// Seal builds a segment from the tail's rows.
func (t *Tail) Seal(account *mem.Account, schema *catalog.Schema) (*Segment, error) {
	return Seal(account, schema, t.Batches()...)
}

// Batches returns the rows without copying them, in one batch per block.
func (t *Tail) Batches() [][]*vec.Vector {
	out := make([][]*vec.Vector, len(t.Blocks))
	for i, b := range t.Blocks {
		out[i] = Sliced(b.Cols, 0, min(b.Cap, t.N-b.Start))
	}
	return out
}

// AppendFlat copies the first n rows of src to dst, starting at row at. Strings are shared.
func AppendFlat(dst *vec.Vector, at int, src *vec.Vector, n int) {
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

// Memory estimates the tail's size in bytes.
func (t *Tail) Memory() int64 {
	total := t.Bytes
	if len(t.Blocks) == 0 {
		return total
	}
	for _, b := range t.Blocks {
		total += b.Memory()
	}
	return total
}

// Memory estimates the size of b's vectors in bytes, without the bytes of strings.
func (b *Block) Memory() int64 {
	total, rows := int64(0), int64(b.Cap)
	for _, c := range b.Cols {
		total += rows * SlotBytes(c.Type.Kind())
		if c.Null != nil {
			total += rows
		}
	}
	return total
}

// SlotBytes returns the size of a vector's value in bytes, without the bytes of a string.
func SlotBytes(k types.Kind) int64 {
	switch k {
	case types.KindDec, types.KindStr:
		return 16
	case types.KindNull:
		return 0
	}
	return 8
}

// Column copies rows [from, to) of a column. Strings are shared.
func (t *Tail) Column(schema *catalog.Schema, c, from, to int) *vec.Vector {
	out := vec.NewFlat(schema.Columns[c].Type, to-from)
	for at := from; at < to; {
		b := t.BlockAt(at)
		end := min(to, b.Start+b.Cap)
		var part vec.Vector
		b.Read(c, at, end, &part)
		AppendFlat(out, at-from, &part, end-at)
		at = end
	}
	return out
}

// Sliced returns rows [from, to) of flat vectors, some of which may have room for more than others.
func Sliced(cols []*vec.Vector, from, to int) []*vec.Vector {
	if from == 0 && !slices.ContainsFunc(cols, func(c *vec.Vector) bool { return c.N != to }) {
		return cols
	}
	out := make([]*vec.Vector, len(cols))
	for i, c := range cols {
		out[i] = c.Slice(from, to)
	}
	return out
}
