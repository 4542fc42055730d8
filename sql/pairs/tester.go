package pairs

import (
	"math/bits"

	"gsql/internal/simd"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
)

// Tester tests pairs in one goroutine: rows of the outer side, one at a time, against tiles of
// the inner side.
type Tester struct {
	c         *Condition
	ctx       kernel.Ctx
	outer     *Rows
	inner     *Rows
	outerSide Side
	from, n   int // the tile

	mask    []uint64   // result of the last test
	whole   []uint64   // set for all rows of the tile
	scratch [][]uint64 // by nesting depth of tests

	vectorised bool // the program is used for the current rows, not the general way
	narrow     bool // the program uses 32-bit integers
	general    general
	bounds     []bounds // by node
	ints       machine[int32]
	wide       machine[int64]
	floats     machine[float64]
}

// NewTester returns a tester for one goroutine.
func (c *Condition) NewTester(ctx kernel.Ctx) *Tester {
	t := &Tester{c: c, ctx: ctx}
	t.mask, t.whole = make([]uint64, Tile/64), make([]uint64, Tile/64)
	t.general.filter = c.general.NewEvaluator(ctx)
	if c.program != nil {
		n := len(c.program.nodes)
		t.ints, t.wide, t.floats = newMachine[int32](n), newMachine[int64](n), newMachine[float64](n)
	}
	return t
}

// Bind sets the rows to test and selects the outer side.
func (t *Tester) Bind(outer, inner *Rows, outerSide Side) {
	t.outer, t.inner, t.outerSide, t.n = outer, inner, outerSide, -1
	t.vectorised = t.c.program != nil && outer.evaluable && inner.evaluable && t.analyse()
	t.general.consts = nil
}

// Tile selects the inner rows [from, from+Tile), or fewer at the end; from is a multiple of Tile.
// It returns their number.
func (t *Tester) Tile(from int) int {
	n := min(Tile, t.inner.N-from)
	if from == t.from && n == t.n {
		return n
	}
	t.from, t.n = from, n
	words := padded(n) / 64
	t.mask, t.whole = t.mask[:words], t.whole[:words]
	for i := range t.whole {
		t.whole[i] = ^uint64(0)
	}
	if n%64 != 0 {
		t.whole[words-1] = 1<<(n%64) - 1
	}
	if t.vectorised {
		t.load()
	} else {
		t.general.load(t)
	}
	return n
}

// Mask tests an outer row against the tile: bit i%64 of word i/64 is set if the pair with the
// tile's row i passes. some is false if none does; the mask is then undefined. The mask is valid
// until the next call.
func (t *Tester) Mask(row int) (mask []uint64, some bool, err error) {
	if t.vectorised {
		return t.mask, t.run(row), nil
	}
	idx, all, err := t.general.test(t, row)
	if err != nil || all {
		copy(t.mask, t.whole)
		return t.mask, all && t.n > 0, err
	}
	clear(t.mask)
	for _, i := range idx {
		t.mask[i/64] |= 1 << (i % 64)
	}
	return t.mask, len(idx) > 0, nil
}

// Select writes the positions in the tile of the rows that pass with an outer row to dst, which
// must have room for a tile, and returns the part written. all is set if every row passes.
func (t *Tester) Select(dst []int32, row int) (idx []int32, all bool, err error) {
	if !t.vectorised {
		return t.general.test(t, row)
	}
	if !t.run(row) {
		return nil, false, nil
	}
	n := simd.Positions(dst, t.mask, 0)
	return dst[:n], n == t.n, nil
}

// First returns the position in the tile of the first row that passes with an outer row; some is
// false if there is none.
func (t *Tester) First(row int) (at int32, some bool, err error) {
	if !t.vectorised {
		idx, all, err := t.general.test(t, row)
		if len(idx) > 0 {
			return idx[0], true, err
		}
		return 0, all && t.n > 0, err
	}
	if !t.run(row) {
		return 0, false, nil
	}
	w := 0
	for t.mask[w] == 0 {
		w++
	}
	return int32(64*w + bits.TrailingZeros64(t.mask[w])), true, nil
}

// run computes the mask of an outer row and reports whether any bit is set.
func (t *Tester) run(row int) bool {
	copy(t.mask, t.whole)
	for i := range t.c.program.conjuncts {
		k := &t.c.program.conjuncts[i]
		t.compute(k.nodes, row)
		if t.warn(k.divisions, row); !t.restrict(k, row) {
			return false
		}
	}
	return true
}

// restrict clears the bits of the mask for which a conjunct is not TRUE, and reports whether any
// bit remains.
func (t *Tester) restrict(k *conjunct, row int) (some bool) {
	m := t.masks(0)
	if !t.test(&k.test, m, row, 1) {
		return false
	}
	var left uint64
	for i, w := range t.mask {
		w &= m[i]
		t.mask[i] = w
		left |= w
	}
	return left != 0
}

// masks returns the scratch mask for a nesting depth.
func (t *Tester) masks(depth int) []uint64 {
	if depth == len(t.scratch) {
		t.scratch = append(t.scratch, make([]uint64, Tile/64))
	}
	return t.scratch[depth][:len(t.mask)]
}

// test writes the mask of a test, with arbitrary bits after the tile. It returns false if the
// mask is empty; the mask may then not have been written.
func (t *Tester) test(x *test, dst []uint64, row, depth int) bool {
	switch x.form {
	case compared:
		return t.compare(x, dst, row)
	case isNull, isNotNull:
		return t.nullness(x, dst, row)
	}
	for i := range x.kids {
		if i == 0 {
			if t.test(&x.kids[0], dst, row, depth) {
				continue
			}
			if clear(dst); x.form == every {
				return false
			}
			continue
		}
		m := t.masks(depth)
		switch found := t.test(&x.kids[i], m, row, depth+1); {
		case !found && x.form == every:
			return false
		case x.form == every:
			for k, w := range m {
				dst[k] &= w
			}
		case found:
			for k, w := range m {
				dst[k] |= w
			}
		}
	}
	return true
}

// compare compares two nodes. The comparison is not TRUE if a leaf makes one of them NULL.
func (t *Tester) compare(x *test, dst []uint64, row int) bool {
	found := false
	switch {
	case t.c.program.nodes[x.a].float:
		found = t.floats.compare(t, x, dst)
	case t.narrow:
		found = t.ints.compare(t, x, dst)
	default:
		found = t.wide.compare(t, x, dst)
	}
	return found && t.keepValid(t.c.program.leaves[x.a], dst, row) && t.keepValid(t.c.program.leaves[x.b], dst, row)
}

func (t *Tester) nullness(x *test, dst []uint64, row int) bool {
	for i := range dst {
		dst[i] = ^uint64(0)
	}
	found := t.keepValid(t.c.program.leaves[x.a], dst, row)
	if x.form == isNotNull {
		return found
	}
	for i := range dst {
		if dst[i] = ^dst[i]; !found {
			dst[i] = ^uint64(0)
		}
	}
	return true
}

// keepValid clears the bits of pairs in which a leaf makes a number NULL. It returns false if an
// outer value makes the number NULL in all pairs.
func (t *Tester) keepValid(leaves []leaf, dst []uint64, row int) bool {
	for _, l := range leaves {
		if l.side == t.outerSide {
			v := &t.outer.values[l.operand]
			if !v.isValid(row) || l.divides && v.zero[row/64]>>(row%64)&1 == 1 {
				return false
			}
			continue
		}
		v, at := &t.inner.values[l.operand], t.from/64
		switch {
		case l.divides:
			for i, z := range v.zero[at : at+len(dst)] {
				dst[i] &^= z
			}
		case len(v.valid) > 0:
			for i, w := range v.valid[at : at+len(dst)] {
				dst[i] &= w
			}
		}
	}
	return true
}

// warn warns of divisions by zero in the pairs whose mask bits are set.
func (t *Tester) warn(divisions []int, row int) {
	for _, n := range divisions {
		x := &t.c.program.nodes[n]
		d := &t.c.program.nodes[x.b]
		m := t.masks(0)
		copy(m, t.mask)
		if !t.keepValid(t.c.program.leaves[x.a], m, row) {
			continue
		}
		count := 0
		if Side(d.a) == t.outerSide {
			if t.outer.values[d.b].zero[row/64]>>(row%64)&1 == 1 {
				count = ones(m)
			}
		} else {
			at := t.from / 64
			for i, z := range t.inner.values[d.b].zero[at : at+len(m)] {
				count += bits.OnesCount64(m[i] & z)
			}
		}
		t.divisionsByZero(count)
	}
}

func (t *Tester) divisionsByZero(n int) {
	if t.ctx.Env == nil {
		return
	}
	for range n {
		t.ctx.Env.Warn(uint16(sqlerr.DivisionByZero), "Division by 0")
	}
}

func ones(mask []uint64) (n int) {
	for _, w := range mask {
		n += bits.OnesCount64(w)
	}
	return n
}
