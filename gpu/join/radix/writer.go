package radix

import (
	"gsql/gpu"
	"gsql/gpu/join"
)

// columns are the destinations of joined rows: what build and probe rows carry and, if requested,
// their keys.
type columns struct{ keys, build, buildHigh, probe, probeHigh gpu.Ptr }

// pairs adapts an Output to Rows of row numbers.
type pairs struct{ out join.Output }

func (p pairs) Piece() (Joined, int64, error) {
	left, right, capacity, err := p.out.Piece()
	return Joined{Left: []gpu.Ptr{left}, Right: []gpu.Ptr{right}}, capacity, err
}

func (p pairs) Emit(n int64) error { return p.out.Emit(n) }

// writer fills pieces of Rows.
type writer struct {
	out            Rows
	buildLeft      bool
	key, width     int64 // of a key and of a column's value
	to             Joined
	capacity, used int64 // of the open piece; 0 if there is none
}

// room returns the columns for further rows and how many fit, at least 1.
func (w *writer) room() (columns, int64, error) {
	if w.capacity == 0 {
		var err error
		if w.to, w.capacity, err = w.out.Piece(); err != nil {
			return columns{}, 0, err
		}
	}
	used := span{first: w.used}
	build, probe := w.to.Right, w.to.Left
	if w.buildLeft {
		build, probe = probe, build
	}
	c := columns{build: used.at(build[0], w.width), probe: used.at(probe[0], w.width)}
	if len(build) > 1 {
		c.buildHigh = used.at(build[1], w.width)
	}
	if len(probe) > 1 {
		c.probeHigh = used.at(probe[1], w.width)
	}
	if w.to.Key != 0 {
		c.keys = used.at(w.to.Key, w.key)
	}
	return c, w.capacity - w.used, nil
}

// done records that the first n rows of that space are written. It emits a piece that is half full,
// so that the next launch is not small.
func (w *writer) done(n int64) error {
	w.used += n
	if 2*w.used < w.capacity {
		return nil
	}
	return w.flush()
}

// flush emits the rows written so far.
func (w *writer) flush() error {
	n := w.used
	if n == 0 {
		return nil
	}
	w.used, w.capacity = 0, 0
	return w.out.Emit(n)
}
