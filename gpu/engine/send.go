package engine

import (
	"errors"
	"sync"
	"sync/atomic"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// Parcel is memory of the host that is copied to one place of a device: its pieces, one after another.
type Parcel struct {
	To   gpu.Ptr
	From [][]byte
}

// Send queues copying parcels to the device and records in copied when they are there. Goroutines, as many as
// workers, copy them to pinned buffers first; it returns when they have. It may run beside the task's other work,
// but not beside another Send. The device memory must not be in use.
func (t *Task) Send(parcels []Parcel, workers int, copied gpu.Event) error {
	loads := cutParcels(parcels, t.e.uploads.Size())
	var next atomic.Int64
	errs := make([]error, max(1, min(workers, len(loads))))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			errs[w] = sqlerr.Guard(func() error {
				for {
					at := int(next.Add(1) - 1)
					if at >= len(loads) {
						return nil
					}
					if err := t.sendLoad(&loads[at]); err != nil {
						next.Store(int64(len(loads))) // the others stop
						return err
					}
				}
			})
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return errors.Join(err, t.Device.Sync(t.e.upload))
	}
	return t.Device.Record(copied, t.e.upload)
}

// load is a part of a parcel that fits a pinned buffer.
type load struct {
	to    gpu.Ptr
	from  [][]byte // pieces, of which the first begins at skip
	skip  int
	bytes int
}

// cutParcels returns parcels as loads of at most so many bytes.
func cutParcels(parcels []Parcel, most int64) (loads []load) {
	for _, p := range parcels {
		to, skip := p.To, 0
		for at := 0; at < len(p.From); {
			l := load{to: to, from: p.From[at:], skip: skip}
			for at < len(p.From) && int64(l.bytes) < most {
				n := min(len(p.From[at])-skip, int(most)-l.bytes)
				l.bytes += n
				if skip += n; skip == len(p.From[at]) {
					at, skip = at+1, 0
				}
			}
			to += gpu.Ptr(l.bytes)
			loads = append(loads, l)
		}
	}
	return loads
}

// sendLoad fills a buffer and queues its copy.
func (t *Task) sendLoad(l *load) error {
	if l.bytes == 0 {
		return nil
	}
	s, err := t.e.uploads.Get(t.Ctx)
	if err != nil {
		return err
	}
	n, skip := 0, l.skip
	for _, piece := range l.from {
		if n == l.bytes {
			break
		}
		n += copy(s.Bytes[n:l.bytes], piece[skip:])
		skip = 0
	}
	err = t.Device.CopyToDevice(l.to, s.Bytes[:l.bytes], t.e.upload)
	err = errors.Join(err, t.e.uploads.Behind(s, t.e.upload))
	t.e.uploads.Put(s)
	return err
}
