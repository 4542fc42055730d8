package format

import "gsql/internal/mem"

// FreeChunk is the size up to which chunks of a text file, and what is left of them, are not charged.
const FreeChunk = 2 * ChunkSize

// Tail is the end of a chunk of a text file, which belongs to the next chunk.
type Tail struct {
	Bytes []byte
	held  Hold // charge for what exceeds FreeChunk
}

// NewTail returns an empty tail, for which account is charged.
func NewTail(account *mem.Account) Tail { return Tail{held: Hold{Account: account}} }

// Keep replaces the tail by a copy of rest. The error is 1037.
func (t *Tail) Keep(rest []byte) error {
	if err := t.held.Set(int64(len(rest)) - FreeChunk); err != nil {
		return err
	}
	if cap(t.Bytes) > FreeChunk {
		t.Bytes = nil
	}
	t.Bytes = append(t.Bytes[:0], rest...)
	return nil
}

// Free forgets the tail and its charge.
func (t *Tail) Free() {
	t.Bytes = nil
	_ = t.held.Set(0) // releasing never fails
}
