//go:build cuda

package cuda

import (
	"errors"
	"unsafe"

	"gorgonia.org/cu"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// newStream creates a stream and the event that its waits use.
func newStream(c cu.Stream) (*stream, error) {
	end, err := cu.MakeEvent(cu.BlockingSyncEvent | cu.DisableTiming)
	return &stream{cu: c, end: end}, err
}

func (d *device) NewStream() (id gpu.Stream, err error) {
	err = d.do("new stream", func(s *state) error {
		c, err := cu.MakeStream(cu.NonBlocking)
		if err != nil {
			return err
		}
		st, err := newStream(c)
		if err != nil {
			return errors.Join(err, c.Destroy())
		}
		s.next++
		id = gpu.Stream(s.next)
		s.streams[id] = st
		return nil
	})
	return id, err
}

func (d *device) FreeStream(id gpu.Stream) error {
	return d.do("free stream", func(s *state) error {
		st, ok := s.streams[id]
		if !ok || id == 0 {
			return sqlerr.Internal("device stream %d cannot be freed", id)
		}
		delete(s.streams, id)
		return errors.Join(st.cu.Destroy(), cu.DestroyEvent(&st.end))
	})
}

func (d *device) NewEvent() (id gpu.Event, err error) {
	err = d.do("new event", func(s *state) error {
		c, err := cu.MakeEvent(cu.BlockingSyncEvent)
		if err != nil {
			return err
		}
		s.next++
		id = gpu.Event(s.next)
		s.events[id] = &event{cu: c}
		return nil
	})
	return id, err
}

func (d *device) FreeEvent(id gpu.Event) error {
	return d.do("free event", func(s *state) error {
		e, ok := s.events[id]
		if !ok {
			return sqlerr.Internal("device event %d cannot be freed", id)
		}
		delete(s.events, id)
		return cu.DestroyEvent(&e.cu)
	})
}

// event looks an event up.
func (s *state) event(id gpu.Event) (*event, error) {
	e, ok := s.events[id]
	if !ok {
		return nil, sqlerr.Internal("device event %d does not exist", id)
	}
	return e, nil
}

func (d *device) Record(id gpu.Event, on gpu.Stream) error {
	return d.do("record", func(s *state) error {
		e, err := s.event(id)
		if err != nil {
			return err
		}
		st, err := s.stream(on)
		if err != nil {
			return err
		}
		if e.failed = st.failed; e.failed != nil {
			return nil
		}
		if err := e.cu.Record(st.cu); err != nil {
			st.failed = d.fail("record", err)
			e.failed = st.failed
		}
		return nil
	})
}

func (d *device) Wait(on gpu.Stream, id gpu.Event) error {
	return d.do("wait", func(s *state) error {
		e, err := s.event(id)
		if err != nil {
			return err
		}
		return s.wait(d, on, e)
	})
}

// wait makes a stream wait for an event, which may be another device's.
func (s *state) wait(d *device, on gpu.Stream, e *event) error {
	st, err := s.stream(on)
	if err != nil || st.failed != nil {
		return err
	}
	if st.failed = e.failed; st.failed == nil {
		st.failed = d.fail("wait", st.cu.Wait(e.cu, 0))
	}
	return nil
}

func (d *device) Await(id gpu.Event) error {
	var e *event
	err := d.do("await", func(s *state) (err error) {
		if e, err = s.event(id); err == nil {
			err = e.failed
		}
		return err
	})
	if err != nil {
		return err
	}
	return d.fail("work before an event", waitEvent(d.state.context, e))
}

// close waits for all work and frees everything except device memory, which is freed with the
// context.
func (s *state) close() error {
	errs := []error{cu.Synchronize()}
	for id, st := range s.streams {
		errs = append(errs, cu.DestroyEvent(&st.end))
		if id != 0 {
			errs = append(errs, st.cu.Destroy())
		}
	}
	for _, e := range s.events {
		errs = append(errs, cu.DestroyEvent(&e.cu))
	}
	for p := range s.host {
		errs = append(errs, cu.MemFreeHost(unsafe.Pointer(p)))
	}
	for _, m := range s.modules {
		errs = append(errs, m.unload())
	}
	s.closed = true
	return errors.Join(append(errs, s.device.ReleasePrimaryCtx())...)
}
