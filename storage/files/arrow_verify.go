package files

import (
	"encoding/binary"
	"errors"
)

// The Arrow library takes memory for as many fields as a schema says it has, and follows it to
// any depth. So the parts of a message's or a footer's metadata, which are flatbuffers, that it
// follows so are verified before: that tables, vectors and texts lie within the metadata, and
// that what is reached of them, some of it perhaps in many ways, is not more than fits there.

// Limits of schemas.
const (
	maxFieldDepth  = 64
	textsPerByte   = 16 // bytes of names, keys and values, some of which may be shared
	leastFieldSize = 8  // bytes of a field: a table and the offset of it in a vector
)

// Places of what a table has in its vtable.
const (
	footerSchema  = 6
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
	fieldChildren = 14
	fieldPairs    = 16
	unionTypeIDs  = 6
	pairKey       = 4
	pairValue     = 6
)

// Kinds of messages and types.
const (
	schemaMessage = 1
	unionType     = 14
)

var errArrowMetadata = errors.New("its metadata is damaged")

// verifyFooter verifies the footer of a file.
func verifyFooter(data []byte) error {
	v := newVerifier(data)
	footer := v.root()
	v.schema(v.follow(v.slot(footer, footerSchema)))
	v.pairs(v.slot(footer, footerPairs))
	return v.err()
}

// verifyMessage verifies the metadata of a message and gives the size of its body.
func verifyMessage(data []byte) (body int64, err error) {
	v := newVerifier(data)
	message := v.root()
	if kind := v.slot(message, messageKind); kind != 0 && data[kind] == schemaMessage {
		v.schema(v.follow(v.slot(message, messageHeader)))
	}
	v.pairs(v.slot(message, messagePairs))
	if at := v.slot(message, messageBody); at != 0 && v.within(at, 8) {
		body = int64(binary.LittleEndian.Uint64(data[at:]))
	}
	if body < 0 {
		v.bad = true
	}
	return body, v.err()
}

// flatVerifier walks through a flatbuffer. Positions are bytes from its start, 0 for what is
// missing; once bad is set all is.
type flatVerifier struct {
	data   []byte
	bad    bool
	fields int // that may still be met
	texts  int // bytes of texts that may still be met
}

func newVerifier(data []byte) *flatVerifier {
	return &flatVerifier{data: data, fields: len(data) / leastFieldSize, texts: textsPerByte * len(data)}
}

func (v *flatVerifier) err() error {
	if v.bad {
		return errArrowMetadata
	}
	return nil
}

// within tells whether size bytes at a position belong to the data, which is bad otherwise.
func (v *flatVerifier) within(at, size int) bool {
	if v.bad || at < 0 || size > len(v.data) || at > len(v.data)-size {
		v.bad = true
	}
	return !v.bad
}

// root gives the outermost table.
func (v *flatVerifier) root() int {
	if !v.within(0, 4) {
		return 0
	}
	at := int(binary.LittleEndian.Uint32(v.data))
	v.bad = at == 0
	return v.table(at)
}

// table verifies the head of a table.
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

// slot gives the place of what a table has by the given name.
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

// target gives the place that the offset at a position leads to.
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

// vector verifies a vector that the offset at a position leads to, and gives where its
// elements, of size bytes each, begin, and their number.
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
	v.fieldsOf(v.slot(at, schemaFields), 0)
	v.pairs(v.slot(at, schemaPairs))
}

func (v *flatVerifier) fieldsOf(at, depth int) {
	from, n := v.vector(at, 4)
	if v.fields -= n; v.fields < 0 || n > 0 && depth == maxFieldDepth {
		v.bad = true
	}
	for i := 0; i < n && !v.bad; i++ {
		f := v.follow(from + 4*i)
		v.text(v.slot(f, fieldName))
		v.pairs(v.slot(f, fieldPairs))
		v.fieldsOf(v.slot(f, fieldChildren), depth+1)
		if kind := v.slot(f, fieldKind); kind != 0 && v.data[kind] == unionType {
			v.vector(v.slot(v.follow(v.slot(f, fieldType)), unionTypeIDs), 4)
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
