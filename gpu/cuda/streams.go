//go:build cuda

package cuda

import (
	"errors"
	"unsafe"

	"gorgonia.org/cu"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

func (d *device) NewStream() (id gpu.Stream, err error) {
	err = d.do("new stream", func(s *state) error {
		stream, err := cu.MakeStream(cu.NonBlocking)
		if err != nil {
			return err
		}
		s.next++
		id = gpu.Stream(s.next)
		s.streams[id] = stream
		return nil
	})
	return id, err
}

func (d *device) FreeStream(id gpu.Stream) error {
	return d.do("free stream", func(s *state) error {
		stream, ok := s.streams[id]
		if !ok || id == 0 {
			return sqlerr.Internal("device stream %d cannot be freed", id)
		}
		delete(s.streams, id)
		delete(s.failed, id)
		return stream.Destroy()
	})
}

func (d *device) NewEvent() (id gpu.Event, err error) {
	err = d.do("new event", func(s *state) error {
		event, err := cu.MakeEvent(cu.DefaultEvent)
		if err != nil {
			return err
		}
		s.next++
		id = gpu.Event(s.next)
		s.events[id] = event
		return nil
	})
	return id, err
}

func (d *device) FreeEvent(id gpu.Event) error {
	return d.do("free event", func(s *state) error {
		event, ok := s.events[id]
		if !ok {
			return sqlerr.Internal("device event %d cannot be freed", id)
		}
		delete(s.events, id)
		return cu.DestroyEvent(&event)
	})
}

func (d *device) Record(id gpu.Event, s gpu.Stream) error {
	return d.post("record", s, func(st *state, stream cu.Stream) error {
		event, ok := st.events[id]
		if !ok {
			return sqlerr.Internal("device event %d does not exist", id)
		}
		return event.Record(stream)
	})
}

func (d *device) Wait(s gpu.Stream, id gpu.Event) error {
	return d.post("wait", s, func(st *state, stream cu.Stream) error {
		event, ok := st.events[id]
		if !ok {
			return sqlerr.Internal("device event %d does not exist", id)
		}
		return stream.Wait(event, 0)
	})
}

// close waits for all work and frees everything but device memory, which ends with the
// context; the owner's thread stays to refuse further commands.
func (s *state) close() error {
	errs := []error{cu.Synchronize()}
	for id, stream := range s.streams {
		if id != 0 {
			errs = append(errs, stream.Destroy())
		}
	}
	for _, event := range s.events {
		errs = append(errs, cu.DestroyEvent(&event))
	}
	for p := range s.host {
		errs = append(errs, cu.MemFreeHost(unsafe.Pointer(p)))
	}
	for _, m := range s.modules {
		errs = append(errs, m.Unload())
	}
	s.closed = true
	return errors.Join(append(errs, s.device.ReleasePrimaryCtx())...)
}
