package arrow

import "encoding/binary"

// batchLength is the vtable offset of the number of rows in the metadata of a record batch.
const batchLength = 4

// batchRows returns the number of rows of record batch i in the file format. It reads the batch's
// metadata but not its body, which may be large when unpacked.
func (s *source) batchRows(i int) (int64, error) {
	block := s.footer.batches[i]
	meta := make([]byte, block.head)
	if _, err := s.at.ReadAt(meta, block.at); err != nil {
		return 0, err
	}
	head := 4
	if len(meta) >= 8 && binary.LittleEndian.Uint32(meta) == continuation {
		head = 8
	}
	if len(meta) < head {
		return 0, errMetadata
	}
	m := newVerifier(meta[head:])
	rows := m.number(m.slot(m.follow(m.slot(m.root(), messageHeader)), batchLength))
	return max(0, rows), m.err()
}
