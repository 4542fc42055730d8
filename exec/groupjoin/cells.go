package groupjoin

import (
	"cmp"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/accum"
	"gsql/exec/keyenc"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// aggCells is one worker's aggregate of one argument for each cell. The last cell takes values
// that belong to no cell.
type aggCells interface {
	// add adds the values of v, flat or Narrow, to the cells at. For NULLs at has the last cell.
	add(at []int32, v *vec.Vector)
	// merge adds the cells of another worker.
	merge(aggCells)
	free()
}

// exactCells is SUM of integers and decimals. Integers are summed in 64 bits as long as their
// magnitudes cannot exceed them. The memory for 128 bits is reserved, but not used before.
type exactCells struct {
	wide  *mem.Buffer[accum.Exact]
	small *mem.Buffer[int64]
	room  uint64 // magnitude that small may still take before it moves to wide
	used  bool   // wide has been used
	ok    bool   // 128 bits sufficed
}

const smallRoom = 1<<63 - 1

func newExactCells(acct *mem.Account, cells int) (aggCells, error) {
	wide, err := mem.Alloc[accum.Exact](acct, cells)
	if err != nil {
		return nil, err
	}
	small, err := mem.Alloc[int64](acct, cells)
	if err != nil {
		wide.Free()
		return nil, err
	}
	return &exactCells{wide: wide, small: small, room: smallRoom, ok: true}, nil
}

func (c *exactCells) add(at []int32, v *vec.Vector) {
	switch {
	case v.Type.Kind() == types.KindI64 || v.Narrow:
		c.addInts(at, v.I64)
	case v.Type.Kind() == types.KindU64:
		c.used = true
		for i, k := range at {
			c.wide.S[k].Add(uint64(v.I64[i]), 0)
		}
	case v.Type.Kind() == types.KindDec:
		c.used = true
		last := int32(len(c.wide.S) - 1)
		for i, k := range at {
			if k != last { // the slots of NULLs may hold anything
				c.ok = c.wide.S[k].AddChecked(v.Dec[i].LowBits(), v.Dec[i].HighBits()) && c.ok
			}
		}
	}
}

func (c *exactCells) addInts(at []int32, xs []int64) {
	all := uint64(0)
	for _, x := range xs {
		all |= uint64(x ^ x>>63)
	}
	hi, need := bits.Mul64(all+1, uint64(len(xs)))
	if hi != 0 || need > smallRoom {
		c.used = true
		for i, k := range at {
			c.wide.S[k].Add(uint64(xs[i]), xs[i]>>63)
		}
		return
	}
	if need > c.room {
		c.flush()
	}
	c.room -= need
	small := c.small.S
	for i, k := range at {
		small[k] += xs[i]
	}
}

// flush adds the 64-bit sums to the 128-bit sums.
func (c *exactCells) flush() {
	for k, x := range c.small.S {
		c.wide.S[k].Add(uint64(x), x>>63)
	}
	clear(c.small.S)
	c.room, c.used = smallRoom, true
}

func (c *exactCells) merge(other aggCells) {
	o := other.(*exactCells)
	if most := smallRoom - o.room; !o.used && most <= c.room {
		c.room -= most
		for k, x := range o.small.S {
			c.small.S[k] += x
		}
		return
	}
	o.flush()
	c.used, c.ok = true, c.ok && o.ok
	for k, x := range o.wide.S {
		c.ok = c.wide.S[k].AddChecked(x.Lo, x.Hi) && c.ok
	}
}

func (c *exactCells) free() {
	c.wide.Free()
	c.small.Free()
}

// floatCells is SUM of floats.
type floatCells struct{ *mem.Buffer[accum.Float] }

func newFloatCells(acct *mem.Account, cells int) (aggCells, error) {
	b, err := mem.Alloc[accum.Float](acct, cells)
	return floatCells{b}, err
}

func (c floatCells) add(at []int32, v *vec.Vector) {
	for i, k := range at {
		c.S[k].Add(v.F64[i])
	}
}

func (c floatCells) merge(other aggCells) {
	for k, x := range other.(floatCells).S {
		c.S[k].Merge(x)
	}
}

func (c floatCells) free() { c.Free() }

// wordCells is MIN or MAX of values that have words: the least of the words, which are
// complemented for MAX.
type wordCells struct {
	*mem.Buffer[uint64]
	flip  uint64
	words []uint64
	skip  []bool
}

func newWordCells(acct *mem.Account, cells int, flip uint64) (aggCells, error) {
	b, err := mem.Alloc[uint64](acct, cells)
	if err != nil {
		return nil, err
	}
	for i := range b.S {
		b.S[i] = noWord
	}
	return &wordCells{Buffer: b, flip: flip}, nil
}

func (c *wordCells) add(at []int32, v *vec.Vector) {
	if len(c.words) < len(at) {
		c.words, c.skip = make([]uint64, len(at)), make([]bool, len(at))
	}
	words := c.words[:len(at)]
	keyenc.OrderKeys(words, v, c.skip)
	for i, k := range at {
		if w := words[i] ^ c.flip; w < c.S[k] {
			c.S[k] = w
		}
	}
}

func (c *wordCells) merge(other aggCells) {
	for k, w := range other.(*wordCells).S {
		c.S[k] = min(c.S[k], w)
	}
}

func (c *wordCells) free() { c.Free() }

// valueCells is MIN or MAX of other values.
type valueCells[T any] struct {
	best    []T
	met     []bool
	worse   func(old, new T) bool
	payload func(*vec.Vector) []T
	keep    func(T) T // makes a value outlive its batch
}

func newValueCells(acct *mem.Account, t types.Type, isMax bool, cells int) (aggCells, error) {
	if err := acct.Reserve(int64(cells) * int64(1+unsafe.Sizeof(decimal128.Num{}))); err != nil {
		return nil, err
	}
	sign := 1
	if isMax {
		sign = -1
	}
	if t.Kind() == types.KindStr {
		return &valueCells[string]{make([]string, cells), make([]bool, cells),
			func(a, b string) bool { return sign*cmp.Compare(a, b) > 0 }, func(v *vec.Vector) []string { return v.Str }, strings.Clone}, nil
	}
	return &valueCells[decimal128.Num]{make([]decimal128.Num, cells), make([]bool, cells),
		func(a, b decimal128.Num) bool { return sign*a.Cmp(b) > 0 }, func(v *vec.Vector) []decimal128.Num { return v.Dec },
		func(x decimal128.Num) decimal128.Num { return x }}, nil
}

func (c *valueCells[T]) add(at []int32, v *vec.Vector) {
	last := int32(len(c.best) - 1)
	xs := c.payload(v)
	for i, k := range at {
		if k != last && (!c.met[k] || c.worse(c.best[k], xs[i])) {
			c.best[k], c.met[k] = c.keep(xs[i]), true
		}
	}
}

func (c *valueCells[T]) merge(other aggCells) {
	o := other.(*valueCells[T])
	for k, x := range o.best {
		if o.met[k] && (!c.met[k] || c.worse(c.best[k], x)) {
			c.best[k], c.met[k] = x, true
		}
	}
}

func (c *valueCells[T]) free() {}
