package segfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"gsql/storage/segfile/pack"
)

// The header is a magic number, the version of the format, the number of the file and a checksum.
// The footer lists the kind and the length of every block; behind it are its length, a checksum of
// both, and a magic number.
const (
	version    = 1
	headMagic  = "gsqlseg\n"
	tailMagic  = "gesqlges"
	headBytes  = 32
	tailBytes  = 16
	checkBytes = 4
	mostBytes  = 1 << 40 // bytes of a file or of data that are plausible
)

// The kinds of blocks.
const (
	columnBlock = 1
	sketchBlock = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fileName returns the name of the file with a number.
func fileName(number uint64) string { return fmt.Sprintf("seg-%016x", number) }

// seed begins the checksum of a block with the place where it belongs.
func seed(number uint64, offset int64) uint32 {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], number)
	binary.LittleEndian.PutUint64(b[8:], uint64(offset))
	return crc32.Checksum(b[:], castagnoli)
}

// appendCheck appends the checksum of a block that belongs at offset.
func appendCheck(block []byte, number uint64, offset int64) []byte {
	return binary.LittleEndian.AppendUint32(block, crc32.Update(seed(number, offset), castagnoli, block))
}

// intact returns a block without its checksum, or false if that is wrong.
func intact(block []byte, number uint64, offset int64) ([]byte, bool) {
	n := len(block) - checkBytes
	if n < 0 {
		return nil, false
	}
	sum := crc32.Update(seed(number, offset), castagnoli, block[:n])
	return block[:n], sum == binary.LittleEndian.Uint32(block[n:])
}

func header(number uint64) []byte {
	b := append(make([]byte, 0, headBytes), headMagic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint64(b, number)
	b = append(b, make([]byte, headBytes-checkBytes-len(b))...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// checkHeader returns what is wrong with a header, or "".
func checkHeader(b []byte, number uint64) string {
	switch {
	case len(b) < headBytes || string(b[:len(headMagic)]) != headMagic:
		return "it does not begin as a segment file"
	case crc32.Checksum(b[:headBytes-checkBytes], castagnoli) != binary.LittleEndian.Uint32(b[headBytes-checkBytes:headBytes]):
		return "the checksum of the header is wrong"
	}
	if n := binary.LittleEndian.Uint64(b[12:]); n != number {
		return "it is a copy of " + fileName(n)
	}
	return ""
}

// section is a block's entry in the footer.
type section struct {
	kind   byte
	length int64
}

func footer(list []section) []byte {
	var b []byte
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = binary.AppendUvarint(append(b, s.kind), uint64(s.length))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return append(b, tailMagic...)
}

// sections returns the entries of a footer without what follows its length.
func sections(b []byte) ([]section, error) {
	r := pack.NewReader(b)
	list := make([]section, r.Count(len(b)))
	for i := range list {
		list[i] = section{kind: r.Byte(), length: int64(r.Count(mostBytes))}
	}
	return list, r.End()
}
