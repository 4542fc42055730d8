package hash

import (
	"errors"
	"unsafe"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
)

// HostColumn is a column in pinned host memory, laid out as one in device memory.
type HostColumn struct {
	column.Column        // addresses are unset
	Values, Valid []byte // no Valid if no row is NULL
}

// HostChunks is a join whose probe side is in pinned host memory. While kernels work on one chunk
// in device memory, the copy stream fetches the next: there are two buffers.
type HostChunks struct {
	t         *engine.Task
	in        join.Input
	aggs      []join.Agg
	buildLeft bool
	host      []HostColumn // distinct columns of the probe side
	operands  []int        // for each condition, the index of its probe operand in host
	values    []int        // for each aggregate, the index of its column; -1 for the build side's, or none
	rows      int64        // of a chunk
	buffers   [2]hostBuffer
	next      int64 // row
	turn      int
}

// hostBuffer is a chunk in device memory.
type hostBuffer struct {
	columns      []column.Column
	rows         int64
	copied, used gpu.Event
}

// NewHostChunks returns chunks of up to rows rows of the join in, which has all of its build side.
// operands are the probe side's columns of the conditions, values those of the aggregates; entries
// for build-side columns and for COUNT(*) are ignored. The device memory of two chunks belongs to
// the task until the caller releases it. Close ends the chunks.
func NewHostChunks(t *engine.Task, in join.Input, aggs []join.Agg, opt Options, operands, values []HostColumn, rows int64) (*HostChunks, error) {
	h := &HostChunks{t: t, in: in, aggs: aggs, buildLeft: opt.BuildLeft, rows: rows}
	for _, c := range operands {
		h.operands = append(h.operands, h.place(c))
	}
	for i, a := range aggs {
		at := -1
		if sourceOf(a, opt) == probeValues {
			at = h.place(values[i])
		}
		h.values = append(h.values, at)
	}
	err := h.buffers[0].alloc(t, h.host, rows)
	if err == nil {
		err = h.buffers[1].alloc(t, h.host, rows)
	}
	if err == nil {
		err = h.fetch(0)
	}
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// place finds or adds a column.
func (h *HostChunks) place(c HostColumn) int {
	for i, o := range h.host {
		if unsafe.SliceData(o.Values) == unsafe.SliceData(c.Values) && len(o.Values) == len(c.Values) && o.Kind == c.Kind {
			return i
		}
	}
	h.host = append(h.host, c)
	return len(h.host) - 1
}

func (b *hostBuffer) alloc(t *engine.Task, host []HostColumn, rows int64) (err error) {
	b.columns = make([]column.Column, len(host))
	for i, c := range host {
		b.columns[i] = c.Column
		if b.columns[i].Values, err = t.Alloc(rows * c.Kind.Width()); err != nil {
			return err
		}
		if c.Valid != nil {
			if b.columns[i].Valid, err = t.Alloc(rows); err != nil {
				return err
			}
		}
	}
	if b.copied, err = t.Device.NewEvent(); err != nil {
		return err
	}
	b.used, err = t.Device.NewEvent()
	return err
}

// fetch queues copying the next rows to a buffer, after the work that reads its contents.
func (h *HostChunks) fetch(turn int) error {
	b := &h.buffers[turn]
	b.rows = min(h.rows, h.total()-h.next)
	if b.rows == 0 {
		return nil
	}
	if err := errors.Join(h.t.Device.Record(b.used, h.t.Compute), h.t.Device.Wait(h.t.Copy, b.used)); err != nil {
		return err
	}
	for i, c := range h.host {
		b.columns[i].Rows = b.rows
		width := c.Kind.Width()
		if err := h.t.Device.CopyToDevice(b.columns[i].Values, c.Values[h.next*width:(h.next+b.rows)*width], h.t.Copy); err != nil {
			return err
		}
		if c.Valid != nil {
			if err := h.t.Device.CopyToDevice(b.columns[i].Valid, c.Valid[h.next:h.next+b.rows], h.t.Copy); err != nil {
				return err
			}
		}
	}
	h.next += b.rows
	return h.t.Device.Record(b.copied, h.t.Copy)
}

// total returns the number of rows of the probe side.
func (h *HostChunks) total() int64 {
	if h.buildLeft {
		return h.in.Right
	}
	return h.in.Left
}

// Next implements Chunks.
func (h *HostChunks) Next() (join.Input, []join.Agg, error) {
	b := &h.buffers[h.turn]
	h.turn = 1 - h.turn
	in := h.in
	if h.buildLeft {
		in.Right = b.rows
	} else {
		in.Left = b.rows
	}
	in.Conditions = make([]join.Condition, len(h.in.Conditions))
	for i, c := range h.in.Conditions {
		if h.buildLeft {
			c.Right = b.columns[h.operands[i]]
		} else {
			c.Left = b.columns[h.operands[i]]
		}
		in.Conditions[i] = c
	}
	aggs := make([]join.Agg, len(h.aggs))
	for i, a := range h.aggs {
		if at := h.values[i]; at >= 0 {
			a.Column = b.columns[at]
		}
		aggs[i] = a
	}
	if b.rows == 0 {
		return in, aggs, nil
	}
	if err := h.fetch(h.turn); err != nil {
		return in, aggs, err
	}
	return in, aggs, h.t.Device.Wait(h.t.Compute, b.copied)
}

// Close waits for copies in progress and frees the events.
func (h *HostChunks) Close() error {
	errs := []error{h.t.Device.Sync(h.t.Copy)}
	for _, b := range h.buffers {
		for _, e := range []gpu.Event{b.copied, b.used} {
			if e != 0 {
				errs = append(errs, h.t.Device.FreeEvent(e))
			}
		}
	}
	return errors.Join(errs...)
}
