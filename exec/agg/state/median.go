package state

import (
	"errors"
	"math"
	"math/bits"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// median is MEDIAN: the value in the middle, or the average of the two there, which has the type
// of AVG. It keeps all values in lists, as 64-bit integers in their order (sort.Codes) or, for
// decimals with more digits, unchanged. At the end it selects (Hoare, Algorithm 65: FIND). Values
// that do not fit in memory spill and are sorted at the end.
type median[T any] struct {
	diskRows
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

// valueKind has the parts of median that depend on how values are kept.
type valueKind[T any] struct {
	onDisk func(t types.Type) types.Type
	// put writes values to a flat vector of the type that they have on disk; get reads one.
	put    func(xs []T, v *vec.Vector, at int)
	get    func(v *vec.Vector, i int) T
	encode func(v *vec.Vector, out []T)
	decode func(x T, v *vec.Vector, i int)
	// middle returns the one or two values in the middle; it reorders xs.
	middle func(xs []T) (lo, hi T)
}

// valueList is the list of values of one group. The next value goes to at in the last block.
type valueList struct {
	at, end int
	last    int32 // block, counted from 1
	away    int   // values on disk
}

// valueBlock is part of a list; the previous block is full.
type valueBlock struct {
	at   int
	size int32
	prev int32 // block, counted from 1
}

const firstValues, mostValues = 4, 256 // in a list's first block, and in any block

func newMedian(a Aggregate, kind types.Kind, seen validity, files *Files) (State, error) {
	sum, err := newSum(a, kind, seen)
	inner := average{sum: sum, count: count{account: seen.account}}
	if kind == types.KindDec && !a.Types[0].FitsInt64() {
		return medianOf(a.Types[0], seen.account, inner, wideValues, files), err
	}
	return medianOf(a.Types[0], seen.account, inner, codedValues(kind), files), err
}

func medianOf[T any](t types.Type, account *mem.Account, inner average, kind valueKind[T], files *Files) State {
	return &median[T]{account: account, t: t, inner: inner, kind: kind, diskRows: diskRows{files: files, types: []types.Type{groupType, kind.onDisk(t)}}}
}

func (m *median[T]) Grow(n int) error {
	m.n = n
	if err := mem.Room(m.account, &m.lists, n); err != nil {
		return err
	}
	return m.inner.Grow(n)
}

func (m *median[T]) Update(gids []int32, n int, args []*vec.Vector) error {
	if m.t.Kind() == types.KindNull {
		return nil
	}
	if cap(m.codes) < n {
		m.codes = make([]T, n)
	}
	if err := m.makeRoom(); err != nil {
		return err
	}
	v, codes := args[0], m.codes[:n]
	m.kind.encode(v, codes)
	done := 0
	return m.addTo(func() error {
		for ; done < n; done++ {
			if v.Null != nil && v.Null[done] {
				continue
			}
			l := &m.lists.S[group(gids, done)]
			if l.at == l.end {
				if err := m.extend(l); err != nil {
					return err
				}
			}
			m.values.S[l.at] = codes[done]
			l.at++
		}
		return nil
	})
}

// extend adds a block to a list.
func (m *median[T]) extend(l *valueList) error {
	size := firstValues
	if l.last > 0 {
		size = min(2*int(m.blocks.S[l.last-1].size), mostValues)
	}
	err := mem.Room(m.account, &m.blocks, m.made+1)
	if err == nil {
		err = mem.Room(m.account, &m.values, m.used+size)
	}
	if err != nil {
		if m.used == 0 { // release what it took
			m.freeBlocks()
		}
		return err
	}
	m.blocks.S[m.made] = valueBlock{m.used, int32(size), l.last}
	m.made++
	l.at, l.end, l.last = m.used, m.used+size, int32(m.made)
	m.used += size
	return nil
}

// runs calls f with the values of group g, some at a time.
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

func (m *median[T]) Merge(src State, from, to []int32) error {
	o := src.(*median[T])
	m.absorb(&o.diskRows, o.n, from, to)
	for i, g := range from {
		l := &m.lists.S[to[i]]
		l.away += o.lists.S[g].away
		if err := o.runs(g, func(xs []T) error { return m.append(l, xs) }); err != nil {
			return err
		}
	}
	return nil
}

// append adds values to a list.
func (m *median[T]) append(l *valueList, xs []T) error {
	if err := m.makeRoom(); err != nil {
		return err
	}
	return m.addTo(func() error {
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
}

// Finish selects, and frees the values.
func (m *median[T]) Finish(ctx *op.Ctx) error {
	all, err := m.largest()
	if err != nil {
		return err
	}
	defer func() { all.Free() }()
	p := &picks[T]{m: m, ctx: ctx, found: vec.NewFlat(m.t, vec.BatchSize)}
	if len(m.sources) > 0 {
		err = m.selectOnDisk(p)
	} else {
		err = m.selectInMemory(p, all)
	}
	if err != nil {
		return err
	}
	m.freeValues()
	return p.flush()
}

// largest allocates space for the values of any one group. It returns nil if there are values on
// disk, or if memory is refused; those in memory then spill, too.
func (m *median[T]) largest() (*mem.Buffer[T], error) {
	if len(m.sources) > 0 {
		return nil, m.Put()
	}
	most := 0
	for g := range int32(m.n) {
		n := 0
		_ = m.runs(g, func(xs []T) error { n += len(xs); return nil })
		most = max(most, n)
	}
	var all *mem.Buffer[T]
	if most == 0 {
		return nil, nil
	}
	err := mem.Room(m.account, &all, most)
	if m.files.Ctx.Spill != nil && errors.Is(err, sqlerr.OutOfMemory) {
		return nil, m.Put()
	}
	return all, err
}

// selectInMemory selects in each group, using all as scratch space.
func (m *median[T]) selectInMemory(p *picks[T], all *mem.Buffer[T]) error {
	for g := range int32(m.n) {
		n := 0
		err := m.runs(g, func(xs []T) error {
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
		if err := p.add(g, lo); err != nil {
			return err
		}
		if n%2 == 0 {
			if err := p.add(g, hi); err != nil {
				return err
			}
		}
	}
	return nil
}

// picks are the values in the middle, to be averaged.
type picks[T any] struct {
	m     *median[T]
	ctx   *op.Ctx
	found *vec.Vector
	gids  []int32
}

func (p *picks[T]) add(g int32, x T) error {
	p.m.kind.decode(x, p.found, len(p.gids))
	if p.gids = append(p.gids, g); len(p.gids) < vec.BatchSize {
		return nil
	}
	if err := p.ctx.Err(); err != nil {
		return err
	}
	return p.flush()
}

func (p *picks[T]) flush() error {
	if len(p.gids) == 0 {
		return nil
	}
	err := p.m.inner.Update(p.gids, len(p.gids), []*vec.Vector{p.found})
	p.gids = p.gids[:0]
	return err
}

func (m *median[T]) Result(lo, hi int, dst *vec.Vector) error { return m.inner.Result(lo, hi, dst) }

func (m *median[T]) freeValues() {
	m.lists.Free()
	m.lists = nil
	m.freeBlocks()
}

func (m *median[T]) freeBlocks() {
	m.blocks.Free()
	m.values.Free()
	m.blocks, m.values = nil, nil
	m.made, m.used = 0, 0
}

func (m *median[T]) Free() {
	m.freeValues()
	m.inner.Free()
}

// wideValues keeps decimals unchanged.
var wideValues = valueKind[decimal128.Num]{
	onDisk: func(t types.Type) types.Type { return t },
	put:    func(xs []decimal128.Num, v *vec.Vector, at int) { copy(v.Dec[at:], xs) },
	get:    func(v *vec.Vector, i int) decimal128.Num { return v.Dec[i] },
	encode: func(v *vec.Vector, out []decimal128.Num) { copy(out, v.Dec) },
	decode: func(x decimal128.Num, v *vec.Vector, i int) { v.Dec[i] = x },
	middle: func(xs []decimal128.Num) (lo, hi decimal128.Num) {
		slices.SortFunc(xs, decimal128.Num.Cmp)
		return xs[(len(xs)-1)/2], xs[len(xs)/2]
	},
}

// codedValues keeps integers, floats and 64-bit decimals as codes.
func codedValues(kind types.Kind) valueKind[uint64] {
	k := valueKind[uint64]{
		onDisk: func(types.Type) types.Type { return types.T(types.Uint64) },
		put: func(xs []uint64, v *vec.Vector, at int) {
			for i, x := range xs {
				v.I64[at+i] = int64(x)
			}
		},
		get:    func(v *vec.Vector, i int) uint64 { return uint64(v.I64[i]) },
		middle: middle,
	}
	k.encode = func(v *vec.Vector, out []uint64) { keyenc.SortKeys(v, false, out) }
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

// floatOf returns the float of a code.
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

// selectNth moves the k-th smallest of xs to position k, smaller values before it and greater
// ones after it. If it divides xs badly too often, it sorts.
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
