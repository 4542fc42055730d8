package engine

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
)

// Narrow returns the narrow column of a key from the device's cache. It stays at least until the end
// of the task.
func (t *Task) Narrow(key Key) (c column.Narrow, ok bool) {
	t.e.mu.Lock()
	defer t.e.mu.Unlock()
	if x := t.e.cached.find(key); x != nil {
		return x.narrow, true
	}
	return column.Narrow{}, false
}

// LoadNarrow uploads a column like c to the cache under key. If keep is false, or if the cache has
// too little space in addition to the columns that this task uses, it uploads it to memory of the
// task. values and valid write the column's values and validity bits from an offset in bytes on, in
// the form of device memory, on several goroutines at once; valid is nil if the column has no NULLs. After an error no column is
// left in the cache. The error is 1037 if the device has too little memory.
func (t *Task) LoadNarrow(key Key, keep bool, c column.Narrow, values, valid func(dst []byte, from int64)) (column.Narrow, error) {
	if valid != nil {
		c.Valid = 1 // put will set it
	}
	c, x, err := t.place(key, keep, c)
	if err != nil {
		return c, err
	}
	err = t.write(c.Values, c.ValueBytes(), values)
	if err == nil && valid != nil {
		err = t.write(c.Valid, c.ValidBytes(), valid)
	}
	if err = errors.Join(err, t.Device.Sync(t.e.upload)); err != nil && x != nil {
		t.e.forget(x)
	}
	return c, err
}

// place allocates memory for a column: of the cache, with an entry, if keep is set and there is enough besides the columns
// that this task uses, and otherwise of the task. The addresses of c are set then.
func (t *Task) place(key Key, keep bool, c column.Narrow) (column.Narrow, *entry, error) {
	bytes, texts := c.Bytes(), c.Texts.Bytes()
	if half := t.limit() / 2; bytes > half {
		return c, nil, gpu.Exhausted("Out of device memory; column %d of %s takes %s, more than half of gsql_gpu_memory_limit, %s",
			key.Column, key.Table, mem.Size(bytes), mem.Size(2*half))
	}
	if keep && bytes > 0 {
		t.e.mu.Lock()
		x := t.e.enter(&entry{key: key, narrow: c, bytes: bytes, texts: texts})
		t.e.mu.Unlock()
		if x != nil {
			return x.narrow, x, nil
		}
	}
	p, err := t.Alloc(bytes)
	if err != nil {
		return c, nil, err
	}
	return placed(c, p), nil, nil
}

// placed returns c with its parts at p.
func placed(c column.Narrow, p gpu.Ptr) column.Narrow {
	c.Values = p
	if c.Valid != 0 {
		c.Valid = p + gpu.Ptr(c.ValueBytes())
	}
	return c
}

func (t *Task) limit() int64 {
	t.e.mu.Lock()
	defer t.e.mu.Unlock()
	return t.e.arena.Size()
}

// leastPart is the least number of bytes that another core writes of a column.
const leastPart = 256 << 10

// write queues the upload of bytes to p, which fill writes from an offset on. All cores write, each to a
// pinned buffer of its own, and a buffer that is full crosses the link while others are written.
func (t *Task) write(p gpu.Ptr, bytes int64, fill func(dst []byte, from int64)) error {
	if err := t.order(t.Compute, t.e.upload); err != nil { // kernels may still use the memory
		return err
	}
	cores := int64(runtime.GOMAXPROCS(0))
	part := min(max((bytes/cores+leastPart-1)/leastPart*leastPart, leastPart), t.e.uploads.Size())
	var next atomic.Int64
	var queue sync.Mutex
	errs := make([]error, min(cores, (bytes+part-1)/part))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for errs[w] == nil {
				from := next.Add(part) - part
				if from >= bytes {
					return
				}
				errs[w] = sqlerr.Guard(func() error {
					return t.writePart(p+gpu.Ptr(from), min(part, bytes-from), &queue, func(dst []byte) { fill(dst, from) })
				})
			}
			next.Store(bytes) // the others stop
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// writePart queues the upload of a part.
func (t *Task) writePart(p gpu.Ptr, bytes int64, queue *sync.Mutex, fill func(dst []byte)) error {
	if err := t.Err(); err != nil {
		return err
	}
	s, err := t.e.uploads.Get(t.Ctx)
	if err != nil {
		return err
	}
	defer t.e.uploads.Put(s)
	dst := s.Bytes[:bytes]
	if err := sqlerr.Guard(func() error { fill(dst); return nil }); err != nil {
		return err
	}
	queue.Lock()
	defer queue.Unlock()
	return errors.Join(t.Device.CopyToDevice(p, dst, t.e.upload), t.e.uploads.Behind(s, t.e.upload))
}
