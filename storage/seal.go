package storage

import (
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/internal/mem"
	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/stats"
)

// seal makes a segment of batches of flat vectors that conform to the schema. The segment is
// charged to account.
func seal(account *mem.Account, schema *catalog.Schema, batches ...[]*vec.Vector) (*segment, error) {
	n := 0
	for _, b := range batches {
		n += b[0].N
	}
	c, err := chunkOf(schema, newDictEncoders(schema, n), batches)
	if err != nil {
		return nil, err
	}
	return sealChunks(account, schema, []*chunk{c})
}

// chunkOf makes a chunk with counts of its own.
func chunkOf(schema *catalog.Schema, encoders []*dictEncoder, batches [][]*vec.Vector) (*chunk, error) {
	c := newChunk(schema)
	for i := range c.cols {
		c.cols[i].count(encoders[i], nil)
	}
	for _, b := range batches {
		if err := c.add(b, encoders); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// sealChunks makes a segment of chunks, one after the other. Memory of the chunks may
// become the segment's: they are empty afterwards. The segment is charged to account.
func sealChunks(account *mem.Account, schema *catalog.Schema, chunks []*chunk) (*segment, error) {
	s := &segment{cols: make([]column, len(schema.Columns))}
	parts := make([]*chunkColumn, len(chunks))
	for i := range s.cols {
		for j, c := range chunks {
			parts[j] = &c.cols[i]
		}
		c, err := sealColumn(account, &schema.Columns[i], parts)
		if err != nil {
			return nil, err
		}
		s.cols[i] = c
		s.bytes += c.bytes()
	}
	for _, c := range chunks {
		s.rows += c.rows
		c.reset()
	}
	return s, nil
}

// sealVector makes a column of a flat vector that conforms to def.
func sealVector(account *mem.Account, def *catalog.Column, v *vec.Vector) (column, error) {
	k := newChunkColumn(def)
	var c *dictEncoder
	if def.Type.Kind() == types.KindStr {
		c = newDictEncoder(v.N)
	}
	k.count(c, nil)
	if err := k.addCoded(v, c); err != nil {
		return column{}, err
	}
	return sealColumn(account, def, []*chunkColumn{&k})
}

// sealColumn makes a column of its parts and charges it to account.
func sealColumn(account *mem.Account, def *catalog.Column, parts []*chunkColumn) (column, error) {
	c, err := makeColumn(def, parts)
	if err == nil {
		c.held, err = account.Hold(c.footprint())
	}
	return c, err
}

func makeColumn(def *catalog.Column, parts []*chunkColumn) (column, error) {
	n := 0
	for _, k := range parts {
		n += k.n
	}
	if def.Type.Kind() == types.KindStr {
		return sealStrings(def, parts, n)
	}
	if parts[0].form == arrow.NULL {
		return column{arr: array.NewNull(n), zone: mergeZones(parts)}, nil
	}
	if heads := headsOf(parts, n); heads != nil {
		return sealRuns(def, parts, n, heads)
	}
	return sealPlain(def, parts)
}

// sealPlain makes a column with a value a row. Strings are packed.
func sealPlain(def *catalog.Column, parts []*chunkColumn) (column, error) {
	n := 0
	for _, k := range parts {
		n += k.n
	}
	null, nulls := joinNulls(parts, n)
	if def.Type.Kind() == types.KindStr {
		ends, err := joinEnds(parts, n)
		if err != nil {
			return column{}, err
		}
		return plainColumn(def, parts, n, nulls, null, ends, memory.NewBufferBytes(joinData(parts))), nil
	}
	data := joinData(parts)
	if parts[0].form == arrow.BOOL {
		data = packBits(data)
	}
	return plainColumn(def, parts, n, nulls, null, memory.NewBufferBytes(data)), nil
}

func plainColumn(def *catalog.Column, parts []*chunkColumn, n, nulls int, buffers ...*memory.Buffer) column {
	if parts[0].ints {
		ints := array.NewInt64Data(array.NewData(arrow.PrimitiveTypes.Int64, n, buffers, nil, nulls, 0))
		return column{arr: ints, ints: ints, zone: mergeZones(parts)}
	}
	arr := array.MakeFromData(array.NewData(def.Type.Arrow(), n, buffers, nil, nulls, 0))
	return column{arr: arr, zone: mergeZones(parts)}
}

// sealStrings makes a string column, with a dictionary where all parts have codes and it
// pays, and of runs where these do.
func sealStrings(def *catalog.Column, parts []*chunkColumn, n int) (column, error) {
	if n >= dictMinRows && !slices.ContainsFunc(parts, func(k *chunkColumn) bool { return k.encoder == nil }) {
		if view := joinCodes(def, parts, n); view != nil {
			if heads := codeHeads(view.Idx); heads != nil {
				return sealCodeRuns(view, heads)
			}
			null, nulls := joinNulls(parts, n)
			return sealDictionary(view, null, nulls)
		}
	}
	for _, k := range parts {
		if k.encoder == nil {
			continue
		}
		if err := k.unpack(); err != nil {
			return column{}, err
		}
	}
	if heads := textHeads(parts, n); heads != nil {
		return sealRuns(def, parts, n, heads)
	}
	return sealPlain(def, parts)
}

func mergeZones(parts []*chunkColumn) stats.Zone {
	z := parts[0].sum.Zone()
	for _, k := range parts[1:] {
		o := k.sum.Zone()
		z.Add(&o)
	}
	return z
}

// joinNulls makes the validity bitmap of all rows, nil when there are no NULLs.
func joinNulls(parts []*chunkColumn, n int) (*memory.Buffer, int) {
	any := false
	for _, k := range parts {
		any = any || len(k.null) > 0
	}
	if !any {
		return nil, 0
	}
	bits := make([]byte, bitutil.BytesForBits(int64(n)))
	nulls, at := 0, 0
	for _, k := range parts {
		for i := range k.n {
			if len(k.null) > 0 && k.null[i] {
				nulls++
			} else {
				bits[at>>3] |= 1 << (at & 7)
			}
			at++
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	return memory.NewBufferBytes(bits), nulls
}

// joinData puts values one after another, or takes over the memory of the only part when
// most of it is used.
func joinData(parts []*chunkColumn) []byte {
	if k := parts[0]; len(parts) == 1 && cap(k.data)-len(k.data) <= cap(k.data)/8 {
		data := k.data
		k.data = nil
		return data
	}
	total := 0
	for _, k := range parts {
		total += len(k.data)
	}
	out := mem.Heap(total)[:0]
	for _, k := range parts {
		out = append(out, k.data...)
	}
	return out
}

// joinEnds makes the offsets of packed strings.
func joinEnds(parts []*chunkColumn, n int) (*memory.Buffer, error) {
	total := 0
	for _, k := range parts {
		total += len(k.data)
	}
	if total > math.MaxInt32 {
		return nil, sqlerr.New(sqlerr.DataTooLong, "Data too long: the strings of one batch take %d bytes, at most %d are possible", total, math.MaxInt32)
	}
	out := make([]int32, n+1)
	at, base := 1, int32(0)
	for _, k := range parts {
		for i, end := range k.ends {
			out[at+i] = base + end
		}
		at += len(k.ends)
		base += int32(len(k.data))
	}
	return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(out)), nil
}

// packBits makes a bitmap of bytes that are 0 or not.
func packBits(values []byte) []byte {
	bits := make([]byte, bitutil.BytesForBits(int64(len(values))))
	for i, x := range values {
		if x != 0 {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return bits
}

// dictionaryOf makes a dictionary of distinct values, as an array and as a vector over it.
func dictionaryOf(distinct *vec.Vector) (values arrow.Array, dict *vec.Vector, err error) {
	if values, err = arrowvec.ToArray(distinct, memory.DefaultAllocator); err != nil {
		return nil, nil, err
	}
	dict = &vec.Vector{}
	err = arrowvec.FromArray(values, distinct.Type, 0, values.Len(), dict)
	dict.Dict = true
	return values, dict, err
}

// sealDictionary makes the column of a view over distinct values.
func sealDictionary(view *vec.Vector, null *memory.Buffer, nulls int) (column, error) {
	values, dict, err := dictionaryOf(view.Base)
	if err != nil {
		return column{}, err
	}
	// The indices keep -1 under NULLs, so that scans hand them out as they are.
	data := array.NewData(arrow.PrimitiveTypes.Int32, view.N,
		[]*memory.Buffer{null, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(view.Idx))}, nil, nulls, 0)
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: values.DataType()}
	arr := array.NewDictionaryArray(dt, array.NewInt32Data(data), values)
	return column{arr: arr, dict: dict, codes: view.Idx, zone: stats.OfCodes(view)}, nil
}
