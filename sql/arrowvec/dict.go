package arrowvec

import (
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// maxDicts limits a DictCache, so that a stream that replaces its dictionary in every batch does
// not keep them all.
const maxDicts = 64

// DictCache caches the vectors of dictionaries, so that each dictionary is converted once and all
// views of it share one Base. The zero value is ready to use. It is safe for concurrent use.
type DictCache struct {
	Mem *mem.Account // charged for the vectors until Close; nil counts nothing

	mu    sync.Mutex
	dicts map[arrow.ArrayData]*vec.Vector
	held  int64 // bytes charged
}

// Close drops the vectors and releases what was charged for them.
func (c *DictCache) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop()
}

func (c *DictCache) drop() {
	if c.Mem != nil {
		c.Mem.Release(c.held)
	}
	c.dicts, c.held = nil, 0
}

// valueBytes is the number of bytes that a vector takes for a value of any type, without the texts,
// which belong to the dictionary.
const valueBytes = 17

// FromArray is like the function FromArray, but takes dictionaries from the cache.
func (c *DictCache) FromArray(arr arrow.Array, t types.Type, from, to int, dst *vec.Vector) error {
	return fromArray(arr, t, from, to, dst, c)
}

func (c *DictCache) base(d *array.Dictionary, t types.Type) (*vec.Vector, error) {
	if c == nil {
		base := &vec.Vector{}
		return base, FromArray(d.Dictionary(), t, 0, d.Dictionary().Len(), base)
	}
	key := d.Data().Dictionary()
	c.mu.Lock()
	defer c.mu.Unlock()
	if base := c.dicts[key]; base != nil && base.Type == t {
		return base, nil
	}
	if len(c.dicts) >= maxDicts {
		c.drop()
	}
	n := d.Dictionary().Len()
	if c.Mem != nil {
		bytes := valueBytes * int64(n)
		if err := c.Mem.ReserveFor("a dictionary", bytes); err != nil {
			return nil, err
		}
		c.held += bytes
	}
	base := &vec.Vector{}
	if err := FromArray(d.Dictionary(), t, 0, n, base); err != nil {
		return nil, err
	}
	if c.dicts == nil {
		c.dicts = make(map[arrow.ArrayData]*vec.Vector)
	}
	base.Dict = true
	c.dicts[key] = base
	return base, nil
}

// fromDictionary makes dst a view: the codes index the dictionary's vector.
func fromDictionary(d *array.Dictionary, t types.Type, from, to int, dst *vec.Vector, dicts *DictCache) error {
	base, err := dicts.base(d, t)
	if err != nil {
		return err
	}
	null := nullFlags(d, from, to, dst.Null)
	idx := dst.Idx
	dst.Type, dst.Form, dst.N, dst.Null, dst.Base, dst.Narrow = t, vec.View, to-from, nil, base, false
	switch codes := d.Indices().(type) {
	case *array.Int32:
		if null == nil {
			dst.Idx = shared(codes.Int32Values()[from:to])
			return nil
		}
		dst.Idx = indexes(idx, codes.Int32Values()[from:to])
	case *array.Int8:
		dst.Idx = indexes(idx, codes.Int8Values()[from:to])
	case *array.Int16:
		dst.Idx = indexes(idx, codes.Int16Values()[from:to])
	case *array.Int64:
		dst.Idx = indexes(idx, codes.Int64Values()[from:to])
	case *array.Uint8:
		dst.Idx = indexes(idx, codes.Uint8Values()[from:to])
	case *array.Uint16:
		dst.Idx = indexes(idx, codes.Uint16Values()[from:to])
	case *array.Uint32:
		dst.Idx = indexes(idx, codes.Uint32Values()[from:to])
	case *array.Uint64:
		dst.Idx = indexes(idx, codes.Uint64Values()[from:to])
	default:
		return mismatch(d, t)
	}
	for i, x := range null {
		if x {
			dst.Idx[i] = -1
		}
	}
	return nil
}

func indexes[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](buf []int32, src []T) []int32 {
	dst := own(buf, len(src))
	for i, x := range src {
		dst[i] = int32(x)
	}
	return dst
}
