//go:build sim

package sim

import (
	"time"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// post appends f to a stream.
func (d *Device) post(id gpu.Stream, f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return err
	}
	s, ok := d.streams[id]
	if !ok {
		return sqlerr.Internal("device stream %d does not exist", id)
	}
	s.work = append(s.work, work{run: f})
	return nil
}

// run runs the stream's work until upTo items are done; after an error it skips them.
func (s *stream) run(upTo int) {
	for s.done < upTo {
		next := s.work[0]
		s.work = s.work[1:]
		s.done++
		if s.failed == nil {
			s.failed = next.run()
		} else if next.point != nil {
			next.point.failed = s.failed
		}
	}
}

// end returns the number of work items that the stream has received so far.
func (s *stream) end() int { return s.done + len(s.work) }

func (d *Device) runAll() {
	for _, s := range d.streams {
		s.run(s.end())
	}
}

// NewStream implements gpu.Device.
func (d *Device) NewStream() (gpu.Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return 0, err
	}
	d.next++
	d.streams[gpu.Stream(d.next)] = &stream{}
	return gpu.Stream(d.next), nil
}

// FreeStream implements gpu.Device.
func (d *Device) FreeStream(id gpu.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.streams[id]
	if !ok || id == 0 {
		return sqlerr.Internal("device stream %d cannot be freed", id)
	}
	s.run(s.end())
	delete(d.streams, id)
	return nil
}

// Sync implements gpu.Device.
func (d *Device) Sync(id gpu.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return err
	}
	s, ok := d.streams[id]
	if !ok {
		return sqlerr.Internal("device stream %d does not exist", id)
	}
	s.run(s.end())
	err := s.failed
	s.failed = nil
	return err
}

// NewEvent implements gpu.Device.
func (d *Device) NewEvent() (gpu.Event, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return 0, err
	}
	d.next++
	d.events[gpu.Event(d.next)] = &event{}
	return gpu.Event(d.next), nil
}

// FreeEvent implements gpu.Device.
func (d *Device) FreeEvent(id gpu.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.events[id]; !ok {
		return sqlerr.Internal("device event %d cannot be freed", id)
	}
	delete(d.events, id)
	return nil
}

// Record implements gpu.Device.
func (d *Device) Record(id gpu.Event, on gpu.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return err
	}
	_, known := d.events[id]
	s, ok := d.streams[on]
	if !known || !ok {
		return sqlerr.Internal("device event %d or stream %d does not exist", id, on)
	}
	// The point is created anew, so that waiters for an earlier one keep theirs.
	point := &event{}
	s.work = append(s.work, work{run: func() error { point.time = time.Now(); return nil }, point: point})
	point.stream, point.at = s, s.end()
	d.events[id] = point
	return nil
}

// Wait has no effect if the event was never recorded, as with a driver.
func (d *Device) Wait(id gpu.Stream, on gpu.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.waitFor(id, d.events[on], on)
}

// waitFor makes a stream wait for an event of a device of the machine; nil is none. The caller holds
// the mutex.
func (d *Device) waitFor(id gpu.Stream, e *event, on gpu.Event) error {
	s, ok := d.streams[id]
	if e == nil || !ok {
		return sqlerr.Internal("device event %d or stream %d does not exist", on, id)
	}
	if e.stream != nil {
		s.work = append(s.work, work{run: e.reach})
	}
	return nil
}

// Await runs the work up to the point where the event was recorded.
func (d *Device) Await(on gpu.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return err
	}
	e, known := d.events[on]
	if !known {
		return sqlerr.Internal("device event %d does not exist", on)
	}
	if e.stream == nil {
		return nil
	}
	return e.reach()
}

// reach runs the event's stream to its point and returns the error that prevented reaching it.
func (e *event) reach() error {
	e.stream.run(e.at)
	return e.failed
}

// Elapsed implements gpu.Device.
func (d *Device) Elapsed(start, end gpu.Event) (time.Duration, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return 0, err
	}
	from, known := d.events[start]
	to, too := d.events[end]
	if !known || !too || from.stream == nil || to.stream == nil {
		return 0, sqlerr.Internal("device events %d and %d are not both recorded", start, end)
	}
	from.stream.run(from.at)
	to.stream.run(to.at)
	if from.time.IsZero() || to.time.IsZero() {
		return 0, sqlerr.Internal("device events %d and %d were skipped after an error", start, end)
	}
	return max(to.time.Sub(from.time), time.Nanosecond), nil
}
