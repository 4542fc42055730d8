package chainlog

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// Kind is the magic of a kind of log, the first eight bytes of its files.
type Kind string

// Version is the version of the format that this package writes, and the only one it reads.
const Version = 1

// Sizes of the parts of a file. Records begin at multiples of align.
const (
	headerSize = 32
	recordSize = 24 // header of a record
	kindSize   = 8
	align      = 8
	maxRecord  = math.MaxUint32
)

// Types of records.
const (
	typeRecord = 1 + iota
	typeMark   // a record of the log itself: everything before it is durable
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is the beginning of a file.
type header struct {
	salt uint64
	crc  uint32 // of the header itself; it differs from log to log because the salt does
}

// encodeHeader returns the header of a new file.
func encodeHeader(kind Kind, salt uint64) []byte {
	b := make([]byte, headerSize)
	copy(b, kind)
	binary.LittleEndian.PutUint32(b[8:], Version)
	binary.LittleEndian.PutUint64(b[16:], salt)
	seal(b)
	return b
}

// seal puts the checksum into a file's header.
func seal(b []byte) { binary.LittleEndian.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli)) }

// decodeHeader returns the parts of a header. Its checksum is that of every version; ok is false
// if it is wrong.
func decodeHeader(b []byte) (h header, kind Kind, version uint32, ok bool) {
	h.crc = crc32.Checksum(b[:28], castagnoli)
	if h.crc != binary.LittleEndian.Uint32(b[28:]) {
		return header{}, "", 0, false
	}
	h.salt = binary.LittleEndian.Uint64(b[16:])
	return h, Kind(b[:kindSize]), binary.LittleEndian.Uint32(b[8:]), true
}

// record is the header of a record.
type record struct {
	length uint32 // of its contents, without padding
	typ    uint32
	synced Pos    // how much of the log was durable when the record was appended
	chain  uint32 // checksum of all contents up to the end of this record's
}

// put writes the header of a record that begins at pos.
func (r record) put(b []byte, h header, pos Pos) {
	binary.LittleEndian.PutUint32(b, r.length)
	binary.LittleEndian.PutUint32(b[4:], r.typ)
	binary.LittleEndian.PutUint64(b[8:], uint64(r.synced))
	binary.LittleEndian.PutUint32(b[16:], r.chain)
	binary.LittleEndian.PutUint32(b[20:], h.checkRecord(b, pos))
}

// record returns the header of a record that begins at pos; ok is false if there is none.
func (h header) record(b []byte, pos Pos) (r record, ok bool) {
	r = record{
		length: binary.LittleEndian.Uint32(b),
		typ:    binary.LittleEndian.Uint32(b[4:]),
		synced: Pos(binary.LittleEndian.Uint64(b[8:])),
		chain:  binary.LittleEndian.Uint32(b[16:]),
	}
	ok = (r.typ == typeRecord || r.typ == typeMark) && r.synced >= 0 && r.synced <= pos &&
		binary.LittleEndian.Uint32(b[20:]) == h.checkRecord(b, pos)
	return r, ok
}

// checkRecord returns the checksum of a record's header. It depends on the log and on the place, so
// that remains of another log, or contents that resemble records, are not mistaken for records.
func (h header) checkRecord(b []byte, pos Pos) uint32 {
	return crc32.Update(h.crc^uint32(pos/align), castagnoli, b[:20])
}

// padded returns the size of a record's contents in the file.
func padded(n int64) int64 { return (n + align - 1) &^ (align - 1) }

// check reports a kind that is none.
func (k Kind) check() error {
	if len(k) != kindSize {
		return fmt.Errorf("chainlog: the kind %q does not have %d bytes", string(k), kindSize)
	}
	return nil
}
