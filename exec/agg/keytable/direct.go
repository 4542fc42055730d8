package keytable

import (
	"math"

	"gsql/internal/simd"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// A direct map of up to minDirect 4-byte entries should stay in the second-level cache. Larger
// maps pay if there are many rows for each entry.
const (
	minDirect    = 1 << 17
	maxDirect    = 1 << 22
	rowsPerEntry = 4
	rowEntries   = 64 // entries per row that a layout may cost
	maxMisfits   = 8
)

// Direct caches the groups of keys that are small numbers (codes of a dictionary, rows of a
// join's build side, integers of a small range, or combinations of such) in an array in front of
// the table. The table remains authoritative: the map may be cleared at any time.
type Direct struct {
	dims    []dim
	limit   uint64  // the greatest number of entries in the map
	rowsIn  uint64  // expected rows of the input
	groups  []int32 // by code: group+1, or 0 if unknown
	misfits int     // batches that did not fit the map
	Off     bool    // keys do not suit a map, and it is not used any more
	cleared int     // number of layouts
	rows    int     // rows mapped since the last layout
	codes   []uint32
	missing []int32
	some    vec.Selector // scratch: the keys of the missing rows
	found   []int32
	scratch []*vec.Vector // flattened keys
	picked  []*vec.Vector // flattened keys of missing rows
	flat    []*vec.Vector
}

// dim is one key's part of the code: code 0 for NULL, otherwise 1 + (value - lo), or 1 + the
// index into a base that does not change. Keys that are views over the same index (for example
// all columns of a join's build side) share the part of the first of them.
type dim struct {
	base *vec.Vector // nil for integers
	lead int         // the key whose part this one shares, or the key itself
	lo   int64
	span uint64 // number of values without NULL; 0 before the first batch and if lead is another key
}

// NewDirect makes a map for keys of types ts, for an input of about rows rows.
func NewDirect(ts []types.Type, rows float64) *Direct {
	d := &Direct{dims: make([]dim, len(ts)), flat: make([]*vec.Vector, len(ts))}
	d.limit = uint64(min(max(rows/rowsPerEntry, minDirect), maxDirect))
	d.rowsIn = uint64(min(rows, maxDirect))
	for _, t := range ts {
		d.scratch = append(d.scratch, &vec.Vector{Type: t})
		d.picked = append(d.picked, &vec.Vector{Type: t})
	}
	return d
}

// Find returns the groups of a batch's keys, which may have any form.
func (d *Direct) Find(t *Table, keys []*vec.Vector, gids []int32) error {
	if d.Off || !d.covers(keys, len(gids)) {
		d.misfit()
		for i, k := range keys {
			d.flat[i] = k.Flatten(d.scratch[i])
		}
		return t.Find(d.flat, gids)
	}
	d.lookup(gids)
	d.rows += len(gids)
	if len(d.missing) == 0 {
		return nil
	}
	return d.learn(t, keys, gids)
}

// Flatten returns key i of a batch flat, valid until the next call.
func (d *Direct) Flatten(i int, k *vec.Vector) *vec.Vector { return k.Flatten(d.scratch[i]) }

// DropTexts drops the references to the texts of the last batch.
func (d *Direct) DropTexts() {
	for i := range d.scratch {
		d.scratch[i].DropTexts()
		d.picked[i].DropTexts()
	}
}

// misfit records a batch that does not fit the map. A few of them, such as the unsealed end of a
// table, do no harm; more turn the map off.
func (d *Direct) misfit() {
	clear(d.dims) // covers may have changed some parts without a layout
	if d.misfits++; d.misfits > maxMisfits {
		d.Off = true
		d.groups, d.codes = nil, nil
	}
}

// learn looks the missing rows up in the table and caches their groups.
func (d *Direct) learn(t *Table, keys []*vec.Vector, gids []int32) error {
	rows := d.some.Select(&vec.Batch{Cols: keys, N: len(gids)}, d.missing)
	for i, k := range rows.Cols {
		d.flat[i] = k.Flatten(d.picked[i])
	}
	if cap(d.found) < len(gids) {
		d.found = make([]int32, len(gids))
	}
	found := d.found[:len(d.missing)]
	if err := t.Find(d.flat, found); err != nil {
		return err
	}
	for i, row := range d.missing {
		gids[row] = found[i]
		d.groups[d.codes[row]] = found[i] + 1
	}
	return nil
}

// covers lays the map out again if the batch has keys outside of it. It returns false if the keys
// do not suit a map.
func (d *Direct) covers(keys []*vec.Vector, n int) bool {
	fits := true
	for i, k := range keys {
		dm := &d.dims[i]
		if want, ok := d.viewed(keys, i); ok {
			if *dm != want {
				*dm, fits = want, false
			}
			d.flat[i] = k
			continue
		}
		if k.Type.Kind() != types.KindI64 && k.Type.Kind() != types.KindU64 {
			return false
		}
		d.flat[i] = k.Flatten(d.scratch[i])
		if dm.base != nil || dm.span == 0 || !dm.contains(d.flat[i]) {
			if !dm.extend(d.flat[i], d.limit) {
				return false
			}
			dm.lead, fits = i, false
		}
	}
	return fits || d.layout(n)
}

// viewed returns the part of key i if the key is a view over a base that does not change.
func (d *Direct) viewed(keys []*vec.Vector, i int) (dim, bool) {
	k := keys[i]
	if k.Form != vec.View || !k.Base.Dict && !k.Base.Fixed {
		return dim{}, false
	}
	for j, other := range keys[:i] {
		if d.dims[j].base != nil && d.dims[j].lead == j && len(k.Idx) > 0 && &other.Idx[0] == &k.Idx[0] {
			return dim{base: k.Base, lead: j}, true
		}
	}
	return dim{base: k.Base, lead: i, span: uint64(max(k.Base.N, 1))}, uint64(k.Base.N) < d.limit
}

// layout sizes the map for the dims and a batch of n rows, and clears it. Maps that cost
// more than the few rows they would serve, or are cleared too often, are abandoned.
func (d *Direct) layout(n int) bool {
	size := uint64(1)
	for _, dm := range d.dims {
		if size *= dm.span + 1; size > d.limit {
			return false
		}
	}
	if size > rowEntries*max(d.rowsIn, uint64(n)) {
		return false
	}
	if d.cleared++; d.cleared > 8 && uint64(d.rows) < size {
		return false
	}
	d.rows = 0
	if uint64(cap(d.groups)) >= size {
		d.groups = d.groups[:size]
		clear(d.groups)
	} else {
		d.groups = make([]int32, size)
	}
	return true
}

func (dm *dim) contains(k *vec.Vector) bool {
	var most uint64
	if k.Null == nil {
		lo, hi, _, done := simd.Extent(k.I64)
		if done > 0 {
			most = max(uint64(lo-dm.lo), uint64(hi-dm.lo))
		}
		for _, x := range k.I64[done:] {
			most = max(most, uint64(x-dm.lo))
		}
		return most < dm.span
	}
	for i, x := range k.I64 {
		if !k.Null[i] {
			most = max(most, uint64(x-dm.lo))
		}
	}
	return most < dm.span
}

// extend widens an integer range to the values of a batch. It adds a margin, so that this does
// not happen often.
func (dm *dim) extend(k *vec.Vector, limit uint64) bool {
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	if dm.base == nil && dm.span > 0 {
		lo, hi = dm.lo, dm.lo+int64(dm.span)-1
	}
	for i, x := range k.I64 {
		if k.Null == nil || !k.Null[i] {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if lo > hi { // only NULLs so far
		lo, hi = 0, 0
	}
	if uint64(hi-lo) >= limit {
		return false
	}
	slack := int64(uint64(hi-lo)/2) + 1
	if uint64(hi-lo)+2*uint64(slack) >= limit || lo-slack > lo || hi+slack < hi {
		slack = 0
	}
	*dm = dim{lo: lo - slack, span: uint64(hi-lo) + 2*uint64(slack) + 1}
	return true
}

// encode computes the codes of the rows from d.flat, as covers left it.
func (d *Direct) encode(n int) {
	if cap(d.codes) < n {
		d.codes = make([]uint32, n)
	}
	codes := d.codes[:n]
	clear(codes)
	for i, k := range d.flat {
		switch dm := d.dims[i]; {
		case dm.base == nil:
			addIntegers(codes, k, dm.lo, uint32(dm.span)+1)
		case dm.lead == i:
			addCodes(codes, k.Idx, uint32(dm.span)+1)
		}
	}
}

// lookup sets gids from the map and records the rows that are not in it. A single part, the most
// common case, needs no array of codes.
func (d *Direct) lookup(gids []int32) {
	d.missing = d.missing[:0]
	k := d.flat[0]
	switch {
	case d.alone() && d.dims[0].base != nil:
		d.lookupIndex(k.Idx, gids)
	case d.alone() && k.Null == nil:
		d.lookupIntegers(k.I64, gids)
	default:
		d.encode(len(gids))
		d.lookupCodes(gids)
		return
	}
	if len(d.missing) > 0 {
		d.encode(len(gids))
	}
}

// alone reports whether the part of the first key is the only one.
func (d *Direct) alone() bool {
	for i, dm := range d.dims {
		if i > 0 && (dm.base == nil || dm.lead != 0) {
			return false
		}
	}
	return true
}

func (d *Direct) lookupIndex(idx, gids []int32) {
	groups := d.groups
	for i, x := range idx[:len(gids)] {
		g := groups[max(x, -1)+1]
		gids[i] = g - 1
		if g == 0 {
			d.missing = append(d.missing, int32(i))
		}
	}
}

func (d *Direct) lookupIntegers(xs []int64, gids []int32) {
	groups, lo := d.groups, d.dims[0].lo-1
	for i, x := range xs[:len(gids)] {
		g := groups[x-lo]
		gids[i] = g - 1
		if g == 0 {
			d.missing = append(d.missing, int32(i))
		}
	}
}

func (d *Direct) lookupCodes(gids []int32) {
	groups := d.groups
	for i, c := range d.codes[:len(gids)] {
		g := groups[c]
		gids[i] = g - 1
		if g == 0 {
			d.missing = append(d.missing, int32(i))
		}
	}
}

func addCodes(codes []uint32, idx []int32, size uint32) {
	idx = idx[:len(codes)]
	for i, c := range codes {
		codes[i] = c*size + uint32(max(idx[i], -1)+1)
	}
}

func addIntegers(codes []uint32, k *vec.Vector, lo int64, size uint32) {
	xs := k.I64[:len(codes)]
	if k.Null == nil {
		for i, c := range codes {
			codes[i] = c*size + uint32(xs[i]-lo) + 1
		}
		return
	}
	for i, c := range codes {
		c *= size
		if !k.Null[i] {
			c += uint32(xs[i]-lo) + 1
		}
		codes[i] = c
	}
}
