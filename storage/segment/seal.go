package segment

import (
	"math"
	"runtime"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"golang.org/x/sync/errgroup"

	"gsql/internal/mem"
	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/stats"
)

// Seal builds a segment from batches of flat vectors that conform to the schema. The segment is
// charged to account.
func Seal(account *mem.Account, schema *catalog.Schema, batches ...[]*vec.Vector) (*Segment, error) {
	n := 0
	for _, b := range batches {
		n += b[0].N
	}
	s := &Segment{Rows: n, Cols: make([]Column, len(schema.Columns))}
	encoders := NewEncoders(schema, n)
	err := eachColumn(n, len(s.Cols), func(i int) (err error) {
		s.Cols[i], err = sealBatches(account, &schema.Columns[i], encoders[i], batches, i)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range s.Cols {
		s.Bytes += s.Cols[i].Bytes()
	}
	return s, nil
}

// sideBySide is the number of values from which columns are sealed on all cores: those of a tail that is
// full, or has many columns. Commits wait for that, and so does opening a directory with a log.
const sideBySide = 64 << 10

// eachColumn calls f for each column of n rows.
func eachColumn(n, columns int, f func(i int) error) error {
	if n*columns < sideBySide {
		for i := range columns {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range columns {
		g.Go(func() error { return sqlerr.Guard(func() error { return f(i) }) })
	}
	return g.Wait()
}

// sealBatches builds column i of batches.
func sealBatches(account *mem.Account, def *catalog.Column, c *Encoder, batches [][]*vec.Vector, i int) (Column, error) {
	k := newChunkColumn(def)
	k.Count(c, nil)
	for _, b := range batches {
		if err := k.AddCoded(b[i], c); err != nil {
			return Column{}, err
		}
	}
	return sealColumn(account, def, []*ChunkColumn{&k})
}

// ChunkOf builds a chunk with its own sketches.
func ChunkOf(schema *catalog.Schema, encoders []*Encoder, batches [][]*vec.Vector) (*Chunk, error) {
	c := NewChunk(schema)
	for i := range c.Cols {
		c.Cols[i].Count(encoders[i], nil)
	}
	for _, b := range batches {
		if err := c.Add(b, encoders); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// SealChunks builds a segment from the concatenation of chunks. The segment may take over memory
// of the chunks, which are empty afterwards. It is charged to account.
func SealChunks(account *mem.Account, schema *catalog.Schema, chunks []*Chunk) (*Segment, error) {
	s := &Segment{Cols: make([]Column, len(schema.Columns))}
	parts := make([]*ChunkColumn, len(chunks))
	for i := range s.Cols {
		for j, c := range chunks {
			parts[j] = &c.Cols[i]
		}
		c, err := sealColumn(account, &schema.Columns[i], parts)
		if err != nil {
			return nil, err
		}
		s.Cols[i] = c
		s.Bytes += c.Bytes()
	}
	for _, c := range chunks {
		s.Rows += c.Rows
		c.reset()
	}
	return s, nil
}

// SealVector builds a column from a flat vector that conforms to def.
func SealVector(account *mem.Account, def *catalog.Column, v *vec.Vector) (Column, error) {
	k := newChunkColumn(def)
	var c *Encoder
	if def.Type.Kind() == types.KindStr {
		c = NewEncoder(v.N)
	}
	k.Count(c, nil)
	if err := k.AddCoded(v, c); err != nil {
		return Column{}, err
	}
	return sealColumn(account, def, []*ChunkColumn{&k})
}

// sealColumn builds a column from its parts and charges it to account.
func sealColumn(account *mem.Account, def *catalog.Column, parts []*ChunkColumn) (Column, error) {
	c, err := makeColumn(def, parts)
	if err == nil {
		err = c.charge(account)
	}
	return c, err
}

func makeColumn(def *catalog.Column, parts []*ChunkColumn) (Column, error) {
	n := 0
	for _, k := range parts {
		n += k.N
	}
	if def.Type.Kind() == types.KindStr {
		return sealStrings(def, parts, n)
	}
	if parts[0].form == arrow.NULL {
		return inMemory(&Data{Arr: array.NewNull(n)}, mergeZones(parts)), nil
	}
	if heads := headsOf(parts, n); heads != nil {
		return sealRuns(def, parts, n, heads)
	}
	return sealPlain(def, parts)
}

func sealPlain(def *catalog.Column, parts []*ChunkColumn) (Column, error) {
	zone := mergeZones(parts)
	if d := narrowData(def.Type, parts, &zone); d != nil {
		return inMemory(d, zone), nil
	}
	d, err := plainData(def, parts)
	if err != nil {
		return Column{}, err
	}
	return inMemory(d, zone), nil
}

// plainData builds data with one value per row. Strings are packed.
func plainData(def *catalog.Column, parts []*ChunkColumn) (*Data, error) {
	n := 0
	for _, k := range parts {
		n += k.N
	}
	null, nulls := joinNulls(parts, n)
	if def.Type.Kind() == types.KindStr {
		ends, err := joinEnds(parts, n)
		if err != nil {
			return nil, err
		}
		return NewPlain(def.Type, n, nulls, null, ends, memory.NewBufferBytes(joinData(parts))), nil
	}
	data := joinData(parts)
	if parts[0].form == arrow.BOOL {
		data = packBits(data)
	}
	return NewPlain(def.Type, n, nulls, null, memory.NewBufferBytes(data)), nil
}

// sealStrings builds a string column, with a dictionary if all parts are coded and it pays, and
// with runs if those pay.
func sealStrings(def *catalog.Column, parts []*ChunkColumn, n int) (Column, error) {
	if n >= dictMinRows && !slices.ContainsFunc(parts, func(k *ChunkColumn) bool { return k.encoder == nil }) {
		if view := joinCodes(def, parts, n); view != nil {
			if heads := codeHeads(view.Idx); heads != nil {
				return sealCodeRuns(view, heads)
			}
			return sealDictionary(view)
		}
	}
	for _, k := range parts {
		if k.encoder == nil {
			continue
		}
		if err := k.unpack(); err != nil {
			return Column{}, err
		}
	}
	if heads := textHeads(parts, n); heads != nil {
		return sealRuns(def, parts, n, heads)
	}
	return sealPlain(def, parts)
}

func mergeZones(parts []*ChunkColumn) stats.Zone {
	z := parts[0].sum.Zone()
	for _, k := range parts[1:] {
		o := k.sum.Zone()
		z.Add(&o)
	}
	return z
}

// joinNulls builds the validity bitmap of all rows. It returns nil if there are no NULLs.
func joinNulls(parts []*ChunkColumn, n int) (*memory.Buffer, int) {
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
		for i := range k.N {
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

// joinData concatenates the values of parts. If there is one part whose memory is mostly used, it
// takes over that memory.
func joinData(parts []*ChunkColumn) []byte {
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

// joinEnds builds the offsets of packed strings.
func joinEnds(parts []*ChunkColumn, n int) (*memory.Buffer, error) {
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

// packBits builds a bitmap with a bit set for each nonzero byte.
func packBits(values []byte) []byte {
	bits := make([]byte, bitutil.BytesForBits(int64(len(values))))
	for i, x := range values {
		if x != 0 {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return bits
}

// dictionaryOf builds a dictionary of distinct values. text is the number of bytes of its strings
// and their offsets.
func dictionaryOf(distinct *vec.Vector) (dict *vec.Vector, text int64, err error) {
	values, err := arrowvec.ToArray(distinct, memory.DefaultAllocator)
	if err != nil {
		return nil, 0, err
	}
	return dictionaryOver(distinct.Type, values)
}

// dictionaryOver is dictionaryOf for the distinct values of an array, whose memory it shares.
func dictionaryOver(t types.Type, values arrow.Array) (dict *vec.Vector, text int64, err error) {
	dict = &vec.Vector{}
	err = arrowvec.FromArray(values, t, 0, values.Len(), dict)
	dict.Dict = true
	return dict, int64(ArrayBytes(values)), err
}

// sealDictionary builds a column from a view over distinct values.
func sealDictionary(view *vec.Vector) (Column, error) {
	dict, text, err := dictionaryOf(view.Base)
	if err != nil {
		return Column{}, err
	}
	return inMemory(&Data{Dict: dict, Codes: view.Idx, text: text}, stats.OfCodes(view)), nil
}
