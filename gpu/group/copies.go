package group

import "gsql/gpu"

// Record returns the current end of one of the member's streams.
func (m *Member) Record(s gpu.Stream) (Point, error) {
	if m.used == len(m.events) {
		e, err := m.Device.NewEvent()
		if err != nil {
			return Point{}, err
		}
		m.events = append(m.events, e)
	}
	e := m.events[m.used]
	m.used++
	return Point{m.Device, e}, m.Device.Record(e, s)
}

// After makes later work on one of the member's streams wait for a point of any member's.
func (m *Member) After(s gpu.Stream, p Point) error {
	return m.Device.WaitPeer(s, p.device, p.event)
}

// Fetch queues, on Copy, a copy from another member's memory. It must be ordered behind the work that
// writes the source, and the source must stay until Run ends.
func (m *Member) Fetch(dst gpu.Ptr, from gpu.Device, src gpu.Ptr, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	m.Received += bytes
	return m.Device.CopyPeer(dst, from, src, bytes, m.Copy)
}
