package segfile

import (
	"sync"
	"sync/atomic"

	"gsql/sql/types"
	"gsql/storage/segfile/pack"
	"gsql/storage/segment"
	"gsql/storage/stats"
)

// Ref locates a block: a column of a segment, or its sketch.
type Ref struct {
	File           uint64
	Offset, Length int64 // of the block with its checksum
}

// column is a column in a file: the segment.Source that loads it.
type column struct {
	file      *file
	ref       Ref
	counted   *file // that has the sketch; nil if there is none
	sketch    Ref
	typ       types.Type
	rows      int
	bytes     int64 // of the data
	footprint int64 // of the data, with what Bytes leaves out
	by        pack.Compression

	loading sync.Mutex // held while the data are read
	data    atomic.Pointer[segment.Data]
	hot     atomic.Bool // read since the clock's hand passed
	size    int64       // bytes counted by the cache; it guards this and the following fields
	slot    int         // in the cache's ring, from 1 on; 0 if the column is not there
	place   int         // in file.cached, likewise
}

// Load implements segment.Source.
func (c *column) Load() (*segment.Data, error) {
	if d := c.data.Load(); d != nil {
		if !c.hot.Load() {
			c.hot.Store(true)
		}
		return d, nil
	}
	c.loading.Lock() // one reads for all who want the data
	defer c.loading.Unlock()
	return c.read()
}

// LoadAhead implements segment.Source.
func (c *column) LoadAhead() (loaded bool, err error) {
	if c.data.Load() != nil || !c.loading.TryLock() {
		return false, nil
	}
	defer c.loading.Unlock()
	_, err = c.read()
	return true, err
}

// read reads the data from the file, unless somebody else just has. The caller holds c.loading.
func (c *column) read() (*segment.Data, error) {
	if d := c.data.Load(); d != nil {
		return d, nil
	}
	files := c.file.files
	files.cache.begin(c.footprint)
	d, err := c.decode()
	files.cache.end(c, d, c.footprint)
	return d, err
}

// keep adds data that are in memory to the cache.
func (c *column) keep(d *segment.Data) {
	cache := &c.file.files.cache
	cache.begin(c.footprint)
	cache.end(c, d, c.footprint)
}

// decode reads the data and charges them to the account.
func (c *column) decode() (d *segment.Data, err error) {
	held, err := c.file.files.hold(c.footprint)
	if err != nil {
		return nil, err
	}
	err = c.file.block(c.ref, func(block []byte) (err error) {
		r := pack.NewReader(block)
		if r.Byte() != columnBlock {
			return pack.ErrMalformed
		}
		d, err = readColumn(r, c.typ, c.rows, c.bytes)
		return err
	})
	if err != nil {
		held.Free()
		return nil, err
	}
	d.Hold(held)
	return d, nil
}

// Sketch implements segment.Source.
func (c *column) Sketch() (s *stats.Sketch, err error) {
	if c.counted == nil {
		return nil, nil
	}
	err = c.counted.block(c.sketch, func(block []byte) error {
		r := pack.NewReader(block)
		if r.Byte() != sketchBlock {
			return pack.ErrMalformed
		}
		registers, err := pack.ReadBytes(r, sketchLimit)
		if err == nil {
			s, err = stats.RestoreSketch(registers)
		}
		return err
	})
	return s, err
}

// sketchLimit is larger than any sketch.
const sketchLimit = 1 << 16

// Retyped implements segment.Source.
func (c *column) Retyped(t types.Type) segment.Source {
	if c.typ == t {
		return c
	}
	out := &column{file: c.file, ref: c.ref, counted: c.counted, sketch: c.sketch, typ: t, rows: c.rows, bytes: c.bytes, footprint: c.footprint, by: c.by}
	if d := c.data.Load(); d != nil {
		out.keep(d.Retyped(t))
	}
	return out
}
