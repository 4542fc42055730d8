package segment

import (
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/stats"
)

// Chunk is a run of rows in the encoding of segments, summarised as rows are added. One or more
// chunks are sealed as a segment.
type Chunk struct {
	Rows    int
	Cols    []ChunkColumn
	charged int64 // bytes charged to a load's Holding
}

// ChunkColumn is a column of a chunk. Strings are either packed or coded.
type ChunkColumn struct {
	def  *catalog.Column
	form arrow.Type
	ints bool // decimals are stored as 64-bit integers
	N    int
	null []bool // for all rows; nil while none is NULL
	sum  *stats.Accumulator

	data []byte  // consecutive values; for packed strings, their bytes
	ends []int32 // end offsets of packed strings

	encoder *Encoder // encoder of codes; nil if there is none
	codes   []int32  // -1 for NULL
	values  []string // strings of the codes
	text    int64    // upper bound for the bytes of strings
}

// NewChunk returns an empty chunk.
func NewChunk(schema *catalog.Schema) *Chunk {
	c := &Chunk{Cols: make([]ChunkColumn, len(schema.Columns))}
	for i := range c.Cols {
		c.Cols[i] = newChunkColumn(&schema.Columns[i])
	}
	return c
}

func newChunkColumn(def *catalog.Column) ChunkColumn {
	return ChunkColumn{def: def, form: def.Type.Arrow().ID(), ints: def.Type.FitsInt64(), sum: stats.NewAccumulator(def.Type)}
}

// Count enables counting of distinct values, in the sketch lent or, if that is nil, in a new one.
// Coded columns need no sketch.
func (k *ChunkColumn) Count(c *Encoder, lent *stats.Sketch) {
	switch {
	case lent != nil:
		k.sum.CountIn(lent)
	case c == nil || c.Off:
		k.sum.Count()
	}
}

// reset empties a chunk and keeps its memory.
func (c *Chunk) reset() {
	c.Rows = 0
	for i := range c.Cols {
		k := &c.Cols[i]
		*k = ChunkColumn{def: k.def, form: k.form, ints: k.ints, sum: stats.NewAccumulator(k.def.Type), null: k.null[:0], data: k.data[:0], ends: k.ends[:0], codes: k.codes[:0]}
	}
}

// Text returns an upper bound for the bytes of strings.
func (c *Chunk) Text() int64 {
	total := int64(0)
	for i := range c.Cols {
		total += c.Cols[i].text
	}
	return total
}

// Add appends flat vectors that conform to the schema. Strings are coded by encoders.
func (c *Chunk) Add(cols []*vec.Vector, encoders []*Encoder) error {
	for i, v := range cols {
		if err := c.Cols[i].AddCoded(v, encoders[i]); err != nil {
			return err
		}
	}
	c.Rows += cols[0].N
	return nil
}

// add appends copies of the values of a flat vector.
func (k *ChunkColumn) add(v *vec.Vector) error {
	k.addNulls(v)
	k.sum.Add(v)
	n := v.N
	k.N += n
	switch k.form {
	case arrow.NULL:
	case arrow.BOOL, arrow.INT8, arrow.UINT8:
		narrowed[int8](k, v)
	case arrow.INT16, arrow.UINT16:
		narrowed[int16](k, v)
	case arrow.INT32, arrow.UINT32, arrow.DATE32:
		narrowed[int32](k, v)
	case arrow.INT64, arrow.UINT64, arrow.TIMESTAMP, arrow.DURATION:
		copy(extend[int64](k, n), v.I64[:n])
	case arrow.FLOAT32:
		for i, dst := 0, extend[float32](k, n); i < n; i++ {
			dst[i] = float32(v.F64[i])
		}
	case arrow.FLOAT64:
		copy(extend[float64](k, n), v.F64[:n])
	case arrow.DECIMAL128:
		if k.ints {
			k.addLow(v.Dec[:n])
		} else {
			copy(extend[decimal128.Num](k, n), v.Dec[:n])
		}
	default:
		return k.pack(v)
	}
	return nil
}

// narrowed appends integers as T. Values under NULLs are truncated.
func narrowed[T int8 | int16 | int32](k *ChunkColumn, v *vec.Vector) {
	dst := extend[T](k, v.N)
	for i, x := range v.I64[:len(dst)] {
		dst[i] = T(x)
	}
}

// addLow appends decimals that fit in 64 bits. Values under NULLs are truncated.
func (k *ChunkColumn) addLow(xs []decimal128.Num) {
	dst := extend[int64](k, len(xs))
	for i, x := range xs {
		dst[i] = int64(x.LowBits())
	}
}

// Reserve allocates memory for n fixed-width values in an empty column, so that it need not grow.
func (k *ChunkColumn) Reserve(n int) {
	if n *= k.width(); n > cap(k.data) {
		k.data = mem.Heap(n)[:0]
	}
}

// width returns the size of a value in data, or 0 for strings, whose size varies.
func (k *ChunkColumn) width() int {
	t, fixed := k.def.Type.Arrow().(arrow.FixedWidthDataType)
	switch {
	case k.ints:
		return 8
	case k.form == arrow.BOOL:
		return 1
	case fixed:
		return t.Bytes()
	}
	return 0
}

// extend appends n undefined values of type T and returns them.
func extend[T any](k *ChunkColumn, n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	at := len(k.data)
	k.data = grown(k.data, at+n*size)
	return elements[T](k.data[at:], n)
}

// grown returns data extended to n bytes; the new bytes are undefined. The memory is
// word-aligned.
func grown(data []byte, n int) []byte {
	if n <= cap(data) {
		return data[:n]
	}
	bigger := mem.Heap(max(n, 2*cap(data)))
	copy(bigger, data)
	return bigger[:n]
}

func elements[T any](data []byte, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n)
}

// addNulls records which rows of a flat vector are NULL. It must be called before N includes
// them.
func (k *ChunkColumn) addNulls(v *vec.Vector) {
	if len(k.null) == 0 && v.Null == nil {
		return
	}
	k.null = flags(k.null, k.N+v.N)
	if v.Null != nil {
		copy(k.null[k.N:], v.Null[:v.N])
	}
}

// flags returns null extended to n flags; the new flags are unset.
func flags(null []bool, n int) []bool {
	at := len(null)
	if n > cap(null) {
		null = append(make([]bool, 0, max(n, 2*cap(null))), null...)
	}
	null = null[:n]
	clear(null[at:])
	return null
}

// pack appends strings to packed ones. The strings of NULLs, which are undefined, become empty.
func (k *ChunkColumn) pack(v *vec.Vector) error {
	total := 0
	for i, s := range v.Str[:v.N] {
		if v.Null == nil || !v.Null[i] {
			total += len(s)
		}
	}
	k.text += int64(total)
	at := len(k.data)
	if at+total > math.MaxInt32 {
		return sqlerr.New(sqlerr.DataTooLong, "Data too long: the strings of one batch take %d bytes, at most %d are possible", at+total, math.MaxInt32)
	}
	k.data = grown(k.data, at+total)
	for i, s := range v.Str[:v.N] {
		if v.Null == nil || !v.Null[i] {
			at += copy(k.data[at:], s)
		}
		k.ends = append(k.ends, int32(at))
	}
	return nil
}

// unpack turns codes into packed strings.
func (k *ChunkColumn) unpack() error {
	v := &vec.Vector{Type: k.def.Type, N: k.N, Str: make([]string, k.N), Null: k.null}
	if len(k.null) == 0 {
		v.Null = nil
	}
	for i, c := range k.codes {
		if c >= 0 {
			v.Str[i] = k.values[c]
		}
	}
	k.encoder, k.codes, k.values, k.text = nil, k.codes[:0], nil, 0
	if !k.sum.Counts() {
		k.sum.Count()
	}
	k.sum.Add(v)
	return k.pack(v)
}

// Charge adjusts the charge in h to the current size of c.
func (c *Chunk) Charge(h *mem.Holding) error {
	n := int64(0)
	for i := range c.Cols {
		k := &c.Cols[i]
		n += int64(cap(k.data) + cap(k.null) + 4*(cap(k.ends)+cap(k.codes)))
	}
	if err := h.Grow(n - c.charged); err != nil {
		return err
	}
	c.charged = n
	return nil
}

// Charged returns the bytes that Charge has charged.
func (c *Chunk) Charged() int64 { return c.charged }

// Discharge removes c's charge from h.
func (c *Chunk) Discharge(h *mem.Holding) {
	h.GrowAnyway(-c.charged)
	c.charged = 0
}
