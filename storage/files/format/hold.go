package format

import "gsql/internal/mem"

// Hold is a reservation of variable size on a statement's memory account.
type Hold struct {
	Account *mem.Account
	bytes   int64
}

// Set changes the reservation to n bytes, or to 0 if n is negative. The error is 1037; releasing
// never fails.
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

// Unpacked data is charged to the extent that it exceeds usualRatio times the bytes read from the
// file plus freeUnpacked. The buffers of ordinary files are not charged.
const (
	usualRatio   = 8
	freeUnpacked = 4 << 20
)

// SetUnpacked sets the charge for unpacked bytes of data that packed bytes of a file contain.
func (h *Hold) SetUnpacked(unpacked, packed int64) error {
	return h.Set(unpacked - usualRatio*packed - freeUnpacked)
}
