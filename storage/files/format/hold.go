package format

import "gsql/internal/mem"

// Hold is a reservation on a statement's memory account that changes in size.
type Hold struct {
	Account *mem.Account
	bytes   int64
}

// Set changes the reservation to n bytes, at least 0. The error is 1037; releasing does not fail.
func (h *Hold) Set(n int64) error {
	n = max(n, 0)
	if n > h.bytes {
		if err := h.Account.Reserve(n - h.bytes); err != nil {
			return err
		}
	} else {
		h.Account.Release(h.bytes - n)
	}
	h.bytes = n
	return nil
}

// Unpacked data is charged as far as it exceeds usualRatio times the bytes read of the file
// plus freeUnpacked. The buffers of ordinary files are not charged.
const (
	usualRatio   = 8
	freeUnpacked = 4 << 20
)

// SetUnpacked charges what unpacked bytes of data exceed the usual for packed bytes of a file.
func (h *Hold) SetUnpacked(unpacked, packed int64) error {
	return h.Set(unpacked - usualRatio*packed - freeUnpacked)
}
