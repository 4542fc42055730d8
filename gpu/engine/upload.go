package engine

import (
	"errors"
	"runtime"
	"sync"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// uploadBytes is the size of the pinned buffers through which uploads go: large enough for 53 of the
// 55.5 GB/s of PCIe 5 x16, which 16 MiB at a time reach, and small enough for every core to have two.
const uploadBytes = 4 << 20

// uploadBuffers returns how many of them there are: each core fills one while another of its is copied.
func uploadBuffers() int { return min(max(2*runtime.GOMAXPROCS(0)+2, 6), 40) }

// Loader fills one column in device memory with host vectors, in the order of Append. All cores
// convert the next part while one part is copied. A Loader belongs to its task's goroutine.
//
// Each value crosses the link once, as 4 or 8 bytes; NULL flags cross only for the parts that
// have any.
type Loader struct {
	t      *Task
	column column.Column
	most   int64 // rows
	chunk  chunk
	chunks int // rows of a whole chunk
	found  column.Bounds
}

// chunk holds the rows in a staging buffer.
type chunk struct {
	buffer        *gpu.Staging
	values, valid []byte
	rows          int
	nulls         bool // valid has been written
}

// NewLoader begins a column of at most rows rows in memory of the task.
func (t *Task) NewLoader(f column.Format, rows int64) (*Loader, error) {
	l := &Loader{t: t, most: rows, found: column.None}
	l.column = column.Column{Kind: f.Kind, Flipped: f.Flipped}
	l.chunks = int(t.e.uploads.Size()/(f.Kind.Width()+1)) &^ 63
	var err error
	l.column.Values, err = l.alloc(rows * f.Kind.Width())
	if err == nil {
		t.loading++
	}
	return l, err
}

// alloc returns memory that the upload stream may write once the kernels queued so far, which may
// use an earlier allocation at the same place, are done.
func (l *Loader) alloc(bytes int64) (gpu.Ptr, error) {
	p, err := l.t.Alloc(bytes)
	if err == nil {
		err = l.t.order(l.t.Compute, l.t.e.upload)
	}
	return p, err
}

// Append adds the rows of v, which it has read when it returns. If a value does not fit the format,
// the error is column.ErrRange; after an error the loader is unusable.
func (l *Loader) Append(v *vec.Vector) error {
	err := l.append(v)
	if err != nil && l.chunk.buffer != nil {
		err = errors.Join(err, l.t.unstage(l.chunk.buffer))
		l.chunk = chunk{}
	}
	return err
}

func (l *Loader) append(v *vec.Vector) error {
	if l.column.Rows+int64(v.N) > l.most {
		return sqlerr.Internal("more than %d rows loaded", l.most)
	}
	for from := 0; from < v.N; {
		if err := l.t.Err(); err != nil {
			return err
		}
		n := min(l.chunks-l.chunk.rows, v.N-from)
		if err := l.write(v.Slice(from, from+n)); err != nil {
			return err
		}
		from += n
		if l.chunk.rows == l.chunks {
			if err := l.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// write converts the rows of v and appends them to the chunk, which has enough space for them.
func (l *Loader) write(v *vec.Vector) error {
	c := &l.chunk
	width := int(l.column.Kind.Width())
	if c.buffer == nil {
		b, err := l.t.stage()
		if err != nil {
			return err
		}
		*c = chunk{buffer: b, values: b.Bytes[:l.chunks*width], valid: b.Bytes[l.chunks*width:][:l.chunks]}
	}
	found, err := convert(l.column.Format(), c.values[c.rows*width:], c.valid[c.rows:], v)
	if err != nil {
		return err
	}
	if found.Nulls > 0 && !c.nulls {
		ones(c.valid[:c.rows])
		c.nulls = true
	} else if found.Nulls == 0 && c.nulls {
		ones(c.valid[c.rows : c.rows+v.N])
	}
	l.found = l.found.With(found.Bounds)
	c.rows += v.N
	l.column.Rows += int64(v.N)
	return nil
}

// flush queues the copies of the chunk.
func (l *Loader) flush() error {
	c := &l.chunk
	if c.rows == 0 {
		return nil
	}
	width := l.column.Kind.Width()
	from := l.column.Rows - int64(c.rows)
	dev, on := l.t.Device, l.t.e.upload
	err := dev.CopyToDevice(l.column.Values+gpu.Ptr(from*width), c.values[:int64(c.rows)*width], on)
	if err == nil && c.nulls {
		if err = l.flags(); err == nil {
			err = dev.CopyToDevice(l.column.Valid+gpu.Ptr(from), c.valid[:c.rows], on)
		}
	}
	if err != nil {
		return err
	}
	b := c.buffer
	*c = chunk{}
	return l.t.unstage(b)
}

// flags creates the column's missing NULL flags: all rows so far are non-NULL.
func (l *Loader) flags() (err error) {
	if l.column.Valid != 0 {
		return nil
	}
	if l.column.Valid, err = l.alloc(l.most); err != nil {
		return err
	}
	return l.t.Device.Memset(l.column.Valid, 1, l.most, l.t.e.upload)
}

// Finish returns the column. Its last parts may still be in transit: the task's Compute stream
// waits for them, the caller does not.
func (l *Loader) Finish() (column.Column, error) {
	if err := l.flush(); err != nil {
		return column.Column{}, err
	}
	if err := l.t.order(l.t.e.upload, l.t.Compute); err != nil {
		return column.Column{}, err
	}
	l.t.loading--
	if l.column.Kind != column.F64 {
		l.column.Bounded = true
		if !l.found.Empty() {
			l.column.Min, l.column.Max = l.found.Min, l.found.Max
		}
	}
	return l.column, nil
}

// Upload concatenates host vectors in a column in memory of the task. See Loader for when each step
// happens.
func (t *Task) Upload(f column.Format, parts ...*vec.Vector) (column.Column, error) {
	var rows int64
	for _, v := range parts {
		rows += int64(v.N)
	}
	l, err := t.NewLoader(f, rows)
	for i := 0; i < len(parts) && err == nil; i++ {
		err = l.Append(parts[i])
	}
	if err != nil {
		return column.Column{}, err
	}
	return l.Finish()
}

// convertRows is the number of rows that justifies another goroutine.
const convertRows = 64 << 10

// convert is column.Format.Write with several goroutines, each converting a span of rows.
func convert(f column.Format, values, valid []byte, v *vec.Vector) (column.Found, error) {
	workers := min(runtime.GOMAXPROCS(0), (v.N+convertRows-1)/convertRows)
	if workers <= 1 {
		return f.Write(values, valid, v)
	}
	span := func(w int) (from, to int) { return w * v.N / workers, (w + 1) * v.N / workers }
	founds, errs := make([]column.Found, workers), make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		from, to := span(w)
		wg.Go(func() {
			errs[w] = sqlerr.Guard(func() (err error) {
				founds[w], err = f.Write(values[int64(from)*f.Kind.Width():], valid[from:], v.Slice(from, to))
				return err
			})
		})
	}
	wg.Wait()
	all := column.Found{Bounds: column.None}
	for _, found := range founds {
		all.Nulls += found.Nulls
		all.Bounds = all.Bounds.With(found.Bounds)
	}
	for w := range workers {
		if from, to := span(w); all.Nulls > 0 && founds[w].Nulls == 0 {
			ones(valid[from:to])
		}
	}
	return all, errors.Join(errs...)
}

func ones(b []byte) {
	for i := range b {
		b[i] = 1
	}
}
