package engine

import (
	"errors"
	"runtime"
	"sync"

	"gsql/gpu"
	"gsql/internal/mem"
)

// Stream takes rows of columns in host memory to kernels block by block, for columns that are not on the
// device as a whole. While one block is processed, the next is copied, and the host fills others. A block
// is copied once, by one command, so that the link's bandwidth is the limit: 4 MiB at a time reach 53 of
// the 55.5 GB/s of PCIe 5 x16.
//
// Several goroutines may fill blocks. A Stream belongs to a task and holds memory of it until Close.
type Stream struct {
	// Rows is the number of rows of a whole block, a multiple of streamRows.
	Rows int64

	t       *Task
	columns []StreamColumn
	blockForm
	mark gpu.Mark

	mu     sync.Mutex
	slots  []streamSlot
	next   int
	failed error // the first error; later blocks are dropped
}

// StreamColumn is the form of a column of a Stream: that of a column.Narrow.
type StreamColumn struct {
	Width    int
	Nullable bool
}

// streamSlot is the device memory of a block.
type streamSlot struct {
	at   gpu.Ptr
	used bool
	done gpu.Event
}

const (
	// streamRows is a number of rows whose values and validity bits are aligned.
	streamRows = 8 * gpu.Alignment
	// streamSlots is the number of blocks in device memory: one that kernels read, one that is copied, and
	// one that is queued.
	streamSlots = 3
)

// StreamBytes is the device memory that a Stream takes if there is plenty.
const StreamBytes = streamSlots * uploadBytes

// NewStream begins a stream of at most rows rows. It takes as much memory as is free, up to StreamBytes. The
// error is 1037 if that is too little for LeastStream.
func (t *Task) NewStream(columns []StreamColumn, rows int64) (*Stream, error) {
	s := &Stream{t: t, columns: columns, mark: t.Mark()}
	each := rowBits(columns) * streamRows / 8
	most := min(t.e.uploads.Size(), (t.Free()/streamSlots)/gpu.Alignment*gpu.Alignment)
	units := min(most/max(each, 1), (rows+streamRows-1)/streamRows)
	if units == 0 && rows > 0 {
		return nil, gpu.Exhausted("Out of device memory; streaming rows to %s needs %s, of which %s are free",
			t.e.Name(), mem.Size(streamSlots*each), mem.Size(t.Free()))
	}
	s.Rows = units * streamRows
	s.blockForm = formOf(columns, s.Rows)
	err := s.reserve()
	if err == nil {
		err = t.order(t.Compute, t.e.upload) // kernels may still use the memory
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// reserve allocates the slots and their events.
func (s *Stream) reserve() error {
	for range streamSlots {
		var x streamSlot
		var err error
		if x.at, err = s.t.Alloc(s.bytes); err != nil {
			return err
		}
		if x.done, err = s.t.Device.NewEvent(); err != nil {
			return err
		}
		s.slots = append(s.slots, x)
	}
	return nil
}

// Workers returns the number of goroutines that fill blocks of the given number of rows in all.
func (s *Stream) Workers(rows int64) int {
	blocks := (rows + max(s.Rows, 1) - 1) / max(s.Rows, 1)
	return int(max(1, min(int64(runtime.GOMAXPROCS(0)), blocks)))
}

// Block returns a free block with undefined contents. The caller passes it to Run or to Drop.
func (s *Stream) Block() (*Block, error) {
	staging, err := s.t.e.uploads.Get(s.t.Ctx)
	if err != nil {
		return nil, err
	}
	return s.block(staging), nil
}

// Drop returns a block that is not needed.
func (s *Stream) Drop(b *Block) { s.t.e.uploads.Put(b.staging) }

// Run queues copying the first rows of a block to the device, and then the kernels that launch queues on
// Compute. They find the columns at the addresses values and valid. first is the number of the block's
// first row: the addresses are those of row 0, if it were there. The first error is that of all later calls.
func (s *Stream) Run(b *Block, first, rows int64, launch func(values, valid []gpu.Ptr) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = s.run(b, first, rows, launch)
	}
	s.Drop(b)
	return s.failed
}

func (s *Stream) run(b *Block, first, rows int64, launch func(values, valid []gpu.Ptr) error) error {
	t, slot := s.t, &s.slots[s.next%streamSlots]
	s.next++
	if slot.used {
		if err := t.Device.Wait(t.e.upload, slot.done); err != nil {
			return err
		}
	}
	err := s.copy(b, slot.at, rows)
	if err = errors.Join(err, t.e.uploads.Behind(b.staging, t.e.upload)); err != nil {
		return err
	}
	if err = t.Device.Wait(t.Compute, b.staging.Copied()); err != nil {
		return err
	}
	values, valid := make([]gpu.Ptr, len(s.columns)), make([]gpu.Ptr, len(s.columns))
	for i, c := range s.columns {
		values[i] = slot.at + gpu.Ptr(s.values[i]-first*int64(c.Width))
		if c.Nullable {
			valid[i] = slot.at + gpu.Ptr(s.valid[i]-first/8)
		}
	}
	slot.used = true
	return errors.Join(launch(values, valid), t.Device.Record(slot.done, t.Compute))
}

// copy queues copying the first rows of a block: at once, or each part alone if they are few.
func (s *Stream) copy(b *Block, to gpu.Ptr, rows int64) error {
	if rows == s.Rows {
		s.t.streamed += s.bytes
		return s.t.Device.CopyToDevice(to, b.staging.Bytes[:s.bytes], s.t.e.upload)
	}
	part := func(from []byte, at, bytes int64) error {
		bytes = min((bytes+gpu.Alignment-1)/gpu.Alignment*gpu.Alignment, int64(len(from)))
		s.t.streamed += bytes
		return s.t.Device.CopyToDevice(to+gpu.Ptr(at), from[:bytes], s.t.e.upload)
	}
	for i, c := range s.columns {
		err := part(b.Values[i], s.values[i], rows*int64(c.Width))
		if err == nil && c.Nullable {
			err = part(b.Valid[i], s.valid[i], (rows+7)/8)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Close returns the stream's memory to the task. Work queued on Compute may still use it; if the stream has
// failed, Close waits for what is queued.
func (s *Stream) Close() error {
	var errs []error
	if s.failed != nil {
		errs = append(errs, s.t.Device.Sync(s.t.e.upload), s.t.Device.Sync(s.t.Compute))
	}
	s.t.pieces += s.next
	for _, x := range s.slots {
		errs = append(errs, s.t.Device.FreeEvent(x.done))
	}
	s.slots = nil
	return errors.Join(append(errs, s.t.Release(s.mark))...)
}

// Streamed returns how many bytes the task's streams have queued for the device, in how many blocks.
func (t *Task) Streamed() (bytes int64, blocks int) { return t.streamed, t.pieces }
