package group

import (
	"errors"
	"time"

	"gsql/gpu"
)

// rateBytes is how much Rate copies: enough for a link's full speed, and little beside the memory that
// engines leave free.
const rateBytes = 64 << 20

// Rate measures copies from one device to another one of the same machine, in bytes a second.
func Rate(to, from gpu.Device) (rate float64, err error) {
	var errs []error
	defer func() { err = errors.Join(append(errs, err)...) }()
	src, err := from.Alloc(rateBytes)
	if err != nil {
		return 0, err
	}
	defer func() { errs = append(errs, from.Free(src)) }()
	dst, err := to.Alloc(rateBytes)
	if err != nil {
		return 0, err
	}
	defer func() { errs = append(errs, to.Free(dst)) }()
	if err := errors.Join(from.Memset(src, 0, rateBytes, 0), from.Sync(0)); err != nil {
		return 0, err
	}
	for range 4 { // the first one opens the way
		begin := time.Now()
		if err := errors.Join(to.CopyPeer(dst, from, src, rateBytes, 0), to.Sync(0)); err != nil {
			return 0, err
		}
		rate = max(rate, rateBytes/max(time.Since(begin), 1).Seconds())
	}
	return rate, nil
}
