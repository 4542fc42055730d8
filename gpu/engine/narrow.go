package engine

import (
	"errors"

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
// the form of device memory; valid is nil if the column has no NULLs. After an error no column is
// left in the cache. The error is 1037 if the device has too little memory.
func (t *Task) LoadNarrow(key Key, keep bool, c column.Narrow, values, valid func(dst []byte, from int64) error) (column.Narrow, error) {
	if valid != nil {
		c.Valid = 1 // put will set it
	}
	bytes, texts := c.Bytes(), c.Texts.Bytes()
	if half := t.limit() / 2; bytes > half {
		return c, sqlerr.New(sqlerr.OutOfMemory, "Out of device memory; column %d of %s takes %s, more than half of gsql_gpu_memory_limit, %s",
			key.Column, key.Table, mem.Size(bytes), mem.Size(2*half))
	}
	var x *entry
	if keep && bytes > 0 {
		t.e.mu.Lock()
		x = t.e.enter(&entry{key: key, narrow: c, bytes: bytes, texts: texts})
		t.e.mu.Unlock()
	}
	if x != nil {
		c = x.narrow
	} else {
		p, err := t.Alloc(bytes)
		if err != nil {
			return c, err
		}
		c = placed(c, p)
	}
	err := t.write(c.Values, c.ValueBytes(), values)
	if err == nil && valid != nil {
		err = t.write(c.Valid, c.ValidBytes(), valid)
	}
	if err = errors.Join(err, t.Device.Sync(t.e.upload)); err != nil && x != nil {
		t.e.forget(x)
	}
	return c, err
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

// write queues the upload of bytes to p, which fill writes to pinned buffers in order. While one
// buffer is copied, the next is filled.
func (t *Task) write(p gpu.Ptr, bytes int64, fill func(dst []byte, from int64) error) error {
	if err := t.order(t.Compute, t.e.upload); err != nil { // kernels may still use the memory
		return err
	}
	for from := int64(0); from < bytes; {
		if err := t.Err(); err != nil {
			return err
		}
		s, err := t.stage()
		if err != nil {
			return err
		}
		dst := s.Bytes[:min(bytes-from, int64(len(s.Bytes)))]
		if err = fill(dst, from); err == nil {
			err = t.Device.CopyToDevice(p+gpu.Ptr(from), dst, t.e.upload)
		}
		if err = errors.Join(err, t.unstage(s)); err != nil {
			return err
		}
		from += int64(len(dst))
	}
	return nil
}
