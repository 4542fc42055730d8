package run

import (
	"encoding/binary"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/pipeline"
	"gsql/gpu/prim"
)

// prebuilt takes a step by kernels of package prim. These need to know the number of rows: the host waits
// for it once.
func (r *attempt) prebuilt(pl *pipeline.Pipeline) error {
	if s := pl.Sort; s != nil {
		n, err := r.count(s.Count, s.To)
		if err != nil || n == 0 {
			return err
		}
		return r.rowsInOrder(s.Words, n, r.values[s.To])
	}
	s := pl.Sums
	n, err := r.count(s.Count, s.Of)
	if err != nil {
		return err
	}
	add := prim.Scan64
	if r.columns[s.Of].Width == 4 {
		add = prim.Scan32
	}
	return add(r.t, r.values[s.Of], r.values[s.To], n, r.values[s.To]+gpu.Ptr(8*n))
}

// scratch returns the device memory that a prebuilt step takes at most while it runs.
func (j *Job) scratch(pl *pipeline.Pipeline) int64 {
	if s := pl.Sort; s != nil {
		return j.sortScratch(s.Words, j.columns[s.To].Size)
	}
	return prim.ScanBytes(j.columns[pl.Sums.Of].Size)
}

// count returns the number of rows in a column of counts, which must not be above that of the elements of
// another one.
func (r *attempt) count(column, of int) (int64, error) {
	n, ok := r.counted[column]
	if !ok {
		var word [4]byte
		if err := r.t.Download(engine.Piece{To: word[:], From: r.values[column]}); err != nil {
			return 0, err
		}
		n = int64(binary.LittleEndian.Uint32(word[:]))
		if r.counted == nil {
			r.counted = map[int]int64{}
		}
		r.counted[column] = n
	}
	if n > r.columns[of].Size {
		return 0, ErrFull
	}
	return n, nil
}
