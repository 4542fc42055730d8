package agg

import (
	"math"
	"math/bits"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/exec/sort"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// median is MEDIAN: the value in the middle, or the average of the two there, which has the
// type of AVG. It keeps all values in lists, as integers of 64 bits in their order (sort.Codes)
// or, of decimals of more digits, as they are; at the end it selects (Hoare, Algorithm 65: FIND).
type median[T any] struct {
	account *mem.Account
	t       types.Type // of the values
	lists   *mem.Buffer[valueList]
	blocks  *mem.Buffer[valueBlock]
	values  *mem.Buffer[T]
	made    int // blocks
	used    int // values in blocks
	n       int // groups
	inner   average
	codes   []T // scratch
	kind    valueKind[T]
}

// valueKind is what depends on how values are kept.
type valueKind[T any] struct {
	encode func(v *vec.Vector, out []T)
	decode func(x T, v *vec.Vector, i int)
	// middle gives the one or two values in the middle; it reorders xs.
	middle func(xs []T) (lo, hi T)
}

// valueList is the values of one group: at is the place of the next one in the last block.
type valueList struct {
	at, end int
	last    int32 // block, counted from 1
}

// valueBlock is part of a list; the one before it is full.
type valueBlock struct {
	at   int
	size int32
	prev int32 // block, counted from 1
}

const firstValues, mostValues = 4, 256 // of a list's blocks

func newMedian(a aggregate, kind types.Kind, seen validity) (state, error) {
	sum, err := newSum(a, kind, seen)
	inner := average{sum: sum, count: count{account: seen.account}}
	t := a.types[0]
	if kind == types.KindDec && !t.FitsInt64() {
		return &median[decimal128.Num]{account: seen.account, t: t, inner: inner, kind: wideValues}, err
	}
	return &median[uint64]{account: seen.account, t: t, inner: inner, kind: codedValues(kind)}, err
}

func (m *median[T]) grow(n int) error {
	m.n = n
	if err := mem.Room(m.account, &m.lists, n); err != nil {
		return err
	}
	return m.inner.grow(n)
}

func (m *median[T]) update(gids []int32, n int, args []*vec.Vector) error {
	if m.t.Kind() == types.KindNull {
		return nil
	}
	if cap(m.codes) < n {
		m.codes = make([]T, n)
	}
	v, codes := args[0], m.codes[:n]
	m.kind.encode(v, codes)
	for i, x := range codes {
		if v.Null != nil && v.Null[i] {
			continue
		}
		l := &m.lists.S[group(gids, i)]
		if l.at == l.end {
			if err := m.extend(l); err != nil {
				return err
			}
		}
		m.values.S[l.at] = x
		l.at++
	}
	return nil
}

// extend gives a list another block.
func (m *median[T]) extend(l *valueList) error {
	size := firstValues
	if l.last > 0 {
		size = min(2*int(m.blocks.S[l.last-1].size), mostValues)
	}
	if err := mem.Room(m.account, &m.blocks, m.made+1); err != nil {
		return err
	}
	if err := mem.Room(m.account, &m.values, m.used+size); err != nil {
		return err
	}
	m.blocks.S[m.made] = valueBlock{m.used, int32(size), l.last}
	m.made++
	l.at, l.end, l.last = m.used, m.used+size, int32(m.made)
	m.used += size
	return nil
}

// runs calls f for the values of group g, some at a time.
func (m *median[T]) runs(g int32, f func(xs []T) error) error {
	l := m.lists.S[g]
	end := l.at
	for k := l.last; k > 0; {
		b := m.blocks.S[k-1]
		if err := f(m.values.S[b.at:end]); err != nil {
			return err
		}
		if k = b.prev; k > 0 {
			end = m.blocks.S[k-1].at + int(m.blocks.S[k-1].size)
		}
	}
	return nil
}

func (m *median[T]) merge(src state, from, to []int32) error {
	o := src.(*median[T])
	for i, g := range from {
		l := &m.lists.S[to[i]]
		err := o.runs(g, func(xs []T) error {
			for len(xs) > 0 {
				if l.at == l.end {
					if err := m.extend(l); err != nil {
						return err
					}
				}
				n := copy(m.values.S[l.at:l.end], xs)
				l.at, xs = l.at+n, xs[n:]
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// finish selects, and frees the values.
func (m *median[T]) finish(ctx *op.Ctx) error {
	var all *mem.Buffer[T]
	defer func() { all.Free() }()
	found := vec.NewFlat(m.t, vec.BatchSize)
	gids := make([]int32, 0, vec.BatchSize)
	flush := func() error {
		if len(gids) == 0 {
			return nil
		}
		err := m.inner.update(gids, len(gids), []*vec.Vector{found})
		gids = gids[:0]
		return err
	}
	for g := range int32(m.n) {
		n := 0
		err := m.runs(g, func(xs []T) error {
			if err := mem.Room(m.account, &all, n+len(xs)); err != nil {
				return err
			}
			n += copy(all.S[n:], xs)
			return nil
		})
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		lo, hi := m.kind.middle(all.S[:n])
		m.kind.decode(lo, found, len(gids))
		gids = append(gids, g)
		if n%2 == 0 {
			m.kind.decode(hi, found, len(gids))
			gids = append(gids, g)
		}
		if len(gids) >= vec.BatchSize-1 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := flush(); err != nil {
				return err
			}
		}
	}
	m.freeValues()
	return flush()
}

func (m *median[T]) result(lo, hi int, dst *vec.Vector) error { return m.inner.result(lo, hi, dst) }

func (m *median[T]) freeValues() {
	m.lists.Free()
	m.blocks.Free()
	m.values.Free()
	m.lists, m.blocks, m.values = nil, nil, nil
}

func (m *median[T]) free() {
	m.freeValues()
	m.inner.free()
}

// wideValues keeps decimals as they are.
var wideValues = valueKind[decimal128.Num]{
	encode: func(v *vec.Vector, out []decimal128.Num) { copy(out, v.Dec) },
	decode: func(x decimal128.Num, v *vec.Vector, i int) { v.Dec[i] = x },
	middle: func(xs []decimal128.Num) (lo, hi decimal128.Num) {
		slices.SortFunc(xs, decimal128.Num.Cmp)
		return xs[(len(xs)-1)/2], xs[len(xs)/2]
	},
}

// codedValues keeps integers, floats and decimals of 64 bits as codes.
func codedValues(kind types.Kind) valueKind[uint64] {
	k := valueKind[uint64]{middle: middle}
	k.encode = func(v *vec.Vector, out []uint64) { sort.Codes(v, false, out) }
	switch kind {
	case types.KindF64:
		k.decode = func(x uint64, v *vec.Vector, i int) { v.F64[i] = floatOf(x) }
	case types.KindDec:
		k.decode = func(x uint64, v *vec.Vector, i int) { v.Dec[i] = decimal128.FromI64(int64(x ^ 1<<63)) }
	case types.KindI64:
		k.decode = func(x uint64, v *vec.Vector, i int) { v.I64[i] = int64(x ^ 1<<63) }
	default:
		k.decode = func(x uint64, v *vec.Vector, i int) { v.I64[i] = int64(x) }
	}
	return k
}

// floatOf gives the float of a code.
func floatOf(code uint64) float64 {
	if code>>63 != 0 {
		return math.Float64frombits(code &^ (1 << 63))
	}
	return math.Float64frombits(^code)
}

func middle(xs []uint64) (lo, hi uint64) {
	k := len(xs) / 2
	selectNth(xs, k)
	if len(xs)%2 == 1 {
		return xs[k], xs[k]
	}
	return slices.Max(xs[:k]), xs[k]
}

// selectNth puts the k-th of xs, in order, to its place, smaller ones before it and larger
// ones behind. Where halves turn out badly divided too often it sorts.
func selectNth(xs []uint64, k int) {
	for left := 2 * bits.Len(uint(len(xs))); len(xs) > 16; left-- {
		if left == 0 {
			break
		}
		pivot := medianOfThree(xs[0], xs[len(xs)/2], xs[len(xs)-1])
		i, j := 0, len(xs)-1
		for i <= j {
			for xs[i] < pivot {
				i++
			}
			for xs[j] > pivot {
				j--
			}
			if i <= j {
				xs[i], xs[j] = xs[j], xs[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			xs = xs[:j+1]
		case k >= i:
			xs, k = xs[i:], k-i
		default:
			return
		}
	}
	slices.Sort(xs)
}

func medianOfThree(a, b, c uint64) uint64 { return max(min(a, b), min(max(a, b), c)) }
