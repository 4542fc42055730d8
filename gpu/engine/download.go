package engine

import (
	"errors"

	"gsql/gpu"
)

// Downloads go through pinned buffers, one of which is emptied while others are filled.
const (
	downloadBytes   = 16 << 20
	downloadBuffers = 4
)

// Piece is a part of device memory that is copied to the host.
type Piece struct {
	To   []byte
	From gpu.Ptr
}

// Download waits for Compute and copies pieces to the host through pinned buffers: while one is
// emptied, the next is filled.
func (t *Task) Download(pieces ...Piece) error {
	d := download{t: t}
	err := d.pieces(pieces)
	for len(d.full) > 0 {
		err = errors.Join(err, d.empty(err == nil))
	}
	if d.now.buffer != nil {
		t.e.downloads.Put(d.now.buffer)
	}
	if err != nil { // buffers of failed copies are in the pool again
		return errors.Join(err, t.Device.Sync(t.Compute))
	}
	return t.Sync()
}

// download is a Download in progress.
type download struct {
	t    *Task
	now  filled
	full []filled // whose copies have been queued, in order
}

// filled is a pinned buffer and the destination of its first used bytes.
type filled struct {
	buffer *gpu.Staging
	used   int
	to     [][]byte
}

func (d *download) pieces(pieces []Piece) error {
	for _, p := range pieces {
		for at := 0; at < len(p.To); {
			n, err := d.piece(p.To[at:], p.From+gpu.Ptr(at))
			if err != nil {
				return err
			}
			at += n
		}
	}
	if d.now.buffer == nil {
		return nil
	}
	return d.flush()
}

// piece queues copying the first bytes of a piece and returns how many.
func (d *download) piece(to []byte, from gpu.Ptr) (n int, err error) {
	if d.now.buffer == nil {
		if len(d.full) == downloadBuffers {
			if err := d.empty(true); err != nil {
				return 0, err
			}
		}
		if d.now.buffer, err = d.t.e.downloads.Get(d.t.Ctx); err != nil {
			return 0, err
		}
	}
	n = min(len(to), len(d.now.buffer.Bytes)-d.now.used)
	if err := d.t.Device.CopyToHost(d.now.buffer.Bytes[d.now.used:d.now.used+n], from, d.t.Compute); err != nil {
		return 0, err
	}
	d.now.used += n
	d.now.to = append(d.now.to, to[:n])
	if d.now.used == len(d.now.buffer.Bytes) {
		return n, d.flush()
	}
	return n, nil
}

// flush records the copies to the current buffer.
func (d *download) flush() error {
	err := d.t.e.downloads.Behind(d.now.buffer, d.t.Compute)
	d.full = append(d.full, d.now)
	d.now = filled{}
	return err
}

// empty waits for the copies to the oldest buffer, copies its contents to their destination, unless
// they are no longer needed, and returns the buffer to the pool.
func (d *download) empty(wanted bool) error {
	b := d.full[0]
	d.full = d.full[1:]
	err := d.t.e.downloads.Await(b.buffer)
	if err == nil && wanted {
		at := 0
		for _, to := range b.to {
			at += copy(to, b.buffer.Bytes[at:])
		}
	}
	d.t.e.downloads.Put(b.buffer)
	return err
}
