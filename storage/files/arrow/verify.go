package arrow

import (
	"encoding/binary"
	"io"

	"gsql/storage/files/format"
)

// Limits of schemas.
const (
	maxFieldDepth  = 64
	textsPerByte   = 16 // bytes of names, keys and values, some of which may be shared
	leastFieldSize = 8  // bytes of a field: a table and its offset in a vector
)

// Vtable offsets of the fields of tables.
const (
	footerSchema  = 6
	footerDicts   = 8
	footerBatches = 10
	footerPairs   = 12
	messageKind   = 6
	messageHeader = 8
	messageBody   = 10
	messagePairs  = 12
	schemaFields  = 6
	schemaPairs   = 8
	fieldName     = 4
	fieldKind     = 8
	fieldType     = 10
	fieldDict     = 12
	fieldChildren = 14
	fieldPairs    = 16
	unionTypeIDs  = 6
	encodingID    = 4
	pairKey       = 4
	pairValue     = 6

	dictionaryID   = 4
	dictionaryData = 6
	batchNodes     = 6
	batchBuffers   = 8
	batchVariadic  = 12
)

// Kinds of messages and types.
const (
	schemaMessage     = 1
	dictionaryMessage = 2
	batchMessage      = 3
	bytesView         = 23
	textView          = 24
	unionType         = 14
)

var errMetadata = format.Fault("its metadata is damaged")

// block locates a message in a file: its offset and the lengths of its metadata and its body, in
// bytes.
type block struct{ at, head, body int64 }

// footer is the verified contents of a file's footer.
type footer struct {
	at             int64 // its offset in the file
	dicts, batches []block
	views          viewCounts
}

// viewCounts are the numbers of view fields that a schema has: batches state the number of buffers
// of each.
type viewCounts struct {
	batch int           // in a record batch
	dicts map[int64]int // in a dictionary, by its id
}

// add counts a view field of a record batch or, if encoded is set, of a dictionary.
func (c *viewCounts) add(dict int64, encoded bool) {
	switch {
	case !encoded:
		c.batch++
	case c.dicts == nil:
		c.dicts = map[int64]int{dict: 1}
	default:
		c.dicts[dict]++
	}
}

// verifyFooter verifies the footer of a file of size bytes.
func verifyFooter(data []byte, size int64) (*footer, error) {
	v := newVerifier(data)
	root := v.root()
	v.schema(v.follow(v.slot(root, footerSchema)))
	v.pairs(v.slot(root, footerPairs))
	f := &footer{dicts: v.blocks(v.slot(root, footerDicts), size), batches: v.blocks(v.slot(root, footerBatches), size)}
	f.views = v.views
	return f, v.err()
}

// blocks verifies that blocks are within a file of size bytes. A block consists of an offset, the
// length of the metadata padded to eight bytes, and the length of the body.
func (v *flatVerifier) blocks(at int, size int64) (blocks []block) {
	const width = 24
	from, n := v.vector(at, width)
	for i := 0; i < n && !v.bad; i++ {
		b := v.data[from+width*i:]
		offset, body := int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[16:]))
		head := int64(int32(binary.LittleEndian.Uint32(b[8:])))
		v.bad = offset < 0 || head < 0 || body < 0 || offset > size || body > size || offset+head+body > size
		blocks = append(blocks, block{offset, head, body})
	}
	return blocks
}

// verifyBlock verifies the metadata of a message in a file whose schema has the given view fields.
func verifyBlock(h io.ReaderAt, b block, views viewCounts) error {
	const prefix = 4 // the length, preceded by a continuation except in old files
	data := make([]byte, b.head)
	if _, err := h.ReadAt(data, b.at); err != nil {
		return err
	}
	if len(data) >= prefix && binary.LittleEndian.Uint32(data) == continuation {
		data = data[prefix:]
	}
	if len(data) < prefix {
		return errMetadata
	}
	_, _, err := verifyMessage(data[prefix:], &views)
	return err
}

// verifyMessage verifies the metadata of a message and returns its kind and the size of its body. A
// schema message sets the view fields that the following batches must have.
func verifyMessage(data []byte, views *viewCounts) (kind byte, body int64, err error) {
	v := newVerifier(data)
	message := v.root()
	if at := v.slot(message, messageKind); at != 0 {
		header := v.follow(v.slot(message, messageHeader))
		switch kind = data[at]; kind {
		case schemaMessage:
			v.schema(header)
			*views = v.views
		case dictionaryMessage:
			v.batch(v.follow(v.slot(header, dictionaryData)), views.dicts[v.number(v.slot(header, dictionaryID))])
		case batchMessage:
			v.batch(header, views.batch)
		}
	}
	v.pairs(v.slot(message, messagePairs))
	if body = v.number(v.slot(message, messageBody)); body < 0 {
		v.bad = true
	}
	return kind, body, v.err()
}

// flatVerifier walks a flatbuffer. Positions are byte offsets from its start; 0 means missing.
// Once bad is set, all verification fails.
type flatVerifier struct {
	data   []byte
	bad    bool
	fields int // number of fields that may still occur
	texts  int // bytes of strings that may still occur

	views viewCounts
}

func newVerifier(data []byte) *flatVerifier {
	return &flatVerifier{data: data, fields: len(data) / leastFieldSize, texts: textsPerByte * len(data)}
}

func (v *flatVerifier) err() error {
	if v.bad {
		return errMetadata
	}
	return nil
}

// within reports whether size bytes at a position are within the data. If not, it sets bad.
func (v *flatVerifier) within(at, size int) bool {
	if v.bad || at < 0 || size > len(v.data) || at > len(v.data)-size {
		v.bad = true
	}
	return !v.bad
}

// root returns the outermost table.
func (v *flatVerifier) root() int {
	if !v.within(0, 4) {
		return 0
	}
	at := int(binary.LittleEndian.Uint32(v.data))
	v.bad = at == 0
	return v.table(at)
}

// table verifies the header of a table.
func (v *flatVerifier) table(at int) int {
	if at == 0 || !v.within(at, 4) {
		return 0
	}
	names := at - int(int32(binary.LittleEndian.Uint32(v.data[at:])))
	if !v.within(names, 4) || !v.within(names, max(4, int(binary.LittleEndian.Uint16(v.data[names:])))) {
		return 0
	}
	return at
}

// slot returns the position of a table's field, given its vtable offset.
func (v *flatVerifier) slot(table, name int) int {
	if table == 0 || v.bad {
		return 0
	}
	names := table - int(int32(binary.LittleEndian.Uint32(v.data[table:])))
	if name+2 > int(binary.LittleEndian.Uint16(v.data[names:])) {
		return 0
	}
	off := int(binary.LittleEndian.Uint16(v.data[names+name:]))
	if off == 0 || !v.within(table+off, 1) {
		return 0
	}
	return table + off
}

// number returns the 64-bit integer at a position, or 0 if it is missing.
func (v *flatVerifier) number(at int) int64 {
	if at == 0 || !v.within(at, 8) {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(v.data[at:]))
}

// target returns the position that the offset at a position refers to.
func (v *flatVerifier) target(at int) int {
	if at == 0 || !v.within(at, 4) {
		return 0
	}
	to := at + int(binary.LittleEndian.Uint32(v.data[at:]))
	if !v.within(to, 4) {
		return 0
	}
	return to
}

func (v *flatVerifier) follow(at int) int { return v.table(v.target(at)) }

// vector verifies the vector that the offset at a position refers to. It returns the position of
// its elements, of size bytes each, and their number.
func (v *flatVerifier) vector(at, size int) (from, n int) {
	to := v.target(at)
	if to == 0 {
		return 0, 0
	}
	if n = int(binary.LittleEndian.Uint32(v.data[to:])); !v.within(to+4, n*size) {
		return 0, 0
	}
	return to + 4, n
}

func (v *flatVerifier) text(at int) {
	_, n := v.vector(at, 1)
	if v.texts -= n; v.texts < 0 {
		v.bad = true
	}
}

func (v *flatVerifier) schema(at int) {
	if at == 0 {
		return
	}
	v.fieldsOf(v.slot(at, schemaFields), 0, 0, false)
	v.pairs(v.slot(at, schemaPairs))
}

// fieldsOf verifies the fields in the vector that the offset at a position refers to. If encoded
// is set, they belong to the dictionary with the id dict.
func (v *flatVerifier) fieldsOf(at, depth int, dict int64, encoded bool) {
	from, n := v.vector(at, 4)
	if v.fields -= n; v.fields < 0 || n > 0 && depth == maxFieldDepth {
		v.bad = true
	}
	for i := 0; i < n && !v.bad; i++ {
		f := v.follow(from + 4*i)
		v.text(v.slot(f, fieldName))
		v.pairs(v.slot(f, fieldPairs))
		dict, encoded := dict, encoded
		if at := v.slot(f, fieldDict); at != 0 {
			dict, encoded = v.number(v.slot(v.follow(at), encodingID)), true
		}
		v.fieldsOf(v.slot(f, fieldChildren), depth+1, dict, encoded)
		kind := v.slot(f, fieldKind)
		if kind == 0 {
			continue
		}
		switch v.data[kind] {
		case unionType:
			v.vector(v.slot(v.follow(v.slot(f, fieldType)), unionTypeIDs), 4)
		case bytesView, textView:
			v.views.add(dict, encoded)
		}
	}
}

// batch verifies a record batch: it must state the number of buffers for each view column, and
// there must be that many.
func (v *flatVerifier) batch(at, views int) {
	v.vector(v.slot(at, batchNodes), 16)
	_, buffers := v.vector(v.slot(at, batchBuffers), 16)
	from, n := v.vector(v.slot(at, batchVariadic), 8)
	v.bad = v.bad || n < views
	left := uint64(buffers)
	for i := 0; i < n && !v.bad; i++ {
		some := binary.LittleEndian.Uint64(v.data[from+8*i:])
		if v.bad = some > left; !v.bad {
			left -= some
		}
	}
}

// pairs verifies keys and values.
func (v *flatVerifier) pairs(at int) {
	from, n := v.vector(at, 4)
	if v.fields -= n; v.fields < 0 {
		v.bad = true
	}
	for i := 0; i < n && !v.bad; i++ {
		p := v.follow(from + 4*i)
		v.text(v.slot(p, pairKey))
		v.text(v.slot(p, pairValue))
	}
}
