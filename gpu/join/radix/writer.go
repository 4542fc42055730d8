package radix

import (
	"gsql/gpu"
	"gsql/gpu/join"
)

// writer gives room for joined rows and takes them.
type writer interface {
	// room gives the columns for further rows and how many fit, at least 1.
	room() (columns, int64, error)
	// done takes the first n rows of that room.
	done(n int64) error
	// flush hands over what has been taken.
	flush() error
}

// columns are where joined rows go: what build and probe rows carry, and where they are
// wanted, their keys.
type columns struct{ keys, build, buildHigh, probe, probeHigh gpu.Ptr }

// pairWriter fills pieces of an Output with row numbers.
type pairWriter struct {
	out            join.Output
	buildLeft      bool
	left, right    gpu.Ptr
	capacity, used int64 // of the open piece; 0: there is none
}

func (w *pairWriter) room() (columns, int64, error) {
	if w.capacity == 0 {
		var err error
		if w.left, w.right, w.capacity, err = w.out.Piece(); err != nil {
			return columns{}, 0, err
		}
	}
	left, right := span{first: w.used}.at(w.left, 4), span{first: w.used}.at(w.right, 4)
	c := columns{build: right, probe: left}
	if w.buildLeft {
		c = columns{build: left, probe: right}
	}
	return c, w.capacity - w.used, nil
}

// done hands a piece over that is half full, so that the next launch is not a small one.
func (w *pairWriter) done(n int64) error {
	w.used += n
	if 2*w.used < w.capacity {
		return nil
	}
	return w.flush()
}

func (w *pairWriter) flush() error {
	n := w.used
	if n == 0 {
		return nil
	}
	w.used, w.capacity = 0, 0
	return w.out.Emit(n)
}
