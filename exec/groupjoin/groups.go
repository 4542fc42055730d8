package groupjoin

import (
	"slices"

	"gsql/exec/join/merge"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/exec/search"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// directory numbers the distinct key tuples of the indexed side: group g has the hash
// hashes[g], ascending, and the row first[g] to compare with.
type directory struct {
	keys   []*vec.Vector // of the indexed side, flat
	hashes *mem.Buffer[uint64]
	first  *mem.Buffer[int32]
	find   *search.Words
}

// hashBits masks hashes; tests use it to cause collisions.
var hashBits = ^uint64(0)

// newDirectory numbers the rows that are not in skip by their keys: group[row] is a row's
// group, in the order of hashes.
func newDirectory(ctx *op.Ctx, acct *mem.Account, keys []*vec.Vector, rows int, skip []bool) (d *directory, group *mem.Buffer[uint64], err error) {
	d = &directory{keys: keys}
	defer func() {
		if err != nil {
			d.free()
			group.Free()
		}
	}()
	order, err := sortByHash(ctx, acct, keys, rows, skip)
	if err != nil {
		return d, nil, err
	}
	defer order.Free()
	collided, err := splitCollisions(acct, keys, order)
	if err != nil {
		return d, nil, err
	}
	if group, err = mem.Alloc[uint64](acct, rows); err != nil {
		return d, nil, err
	}
	n, err := d.number(acct, order, group.S, collided)
	if err != nil {
		return d, group, err
	}
	d.find, err = newWords(acct, d.hashes.S[:n])
	return d, group, err
}

// newWords makes a table with one bucket per word.
func newWords(acct *mem.Account, words []uint64) (*search.Words, error) {
	return search.New(acct, words, len(words))
}

func sortByHash(ctx *op.Ctx, acct *mem.Account, keys []*vec.Vector, rows int, skip []bool) (*merge.Order, error) {
	hashes, err := mem.Alloc[uint64](acct, rows)
	if err != nil {
		return nil, err
	}
	left, err := mem.Alloc[bool](acct, rows)
	if err != nil {
		hashes.Free()
		return nil, err
	}
	hashRows(keys, hashes.S)
	copy(left.S, skip)
	return merge.Sort(ctx, acct, &keyenc.Codes{Words: hashes, Skip: left})
}

func hashRows(keys []*vec.Vector, dst []uint64) {
	rowhash.Rows(keys, dst)
	for i := range dst {
		dst[i] &= hashBits
	}
}

// splitCollisions brings rows of equal keys together if different keys have the same hash, which
// is very rare, and reports whether there are such keys.
func splitCollisions(acct *mem.Account, keys []*vec.Vector, o *merge.Order) (bool, error) {
	pairs, err := mem.Alloc[int32](acct, 2*len(o.Rows))
	if err != nil {
		return false, err
	}
	defer pairs.Free()
	a, b := pairs.S[:0:len(o.Rows)], pairs.S[len(o.Rows):len(o.Rows)]
	for i := 1; i < len(o.Rows); i++ {
		if o.Codes[i] == o.Codes[i-1] {
			a, b = append(a, o.Rows[i]), append(b, o.Rows[i-1])
		}
	}
	if keyenc.KeepEqual(keys, keys, a, b) == len(a) {
		return false, nil
	}
	for from := 0; from < len(o.Rows); {
		to := from + 1
		for to < len(o.Rows) && o.Codes[to] == o.Codes[from] {
			to++
		}
		gatherEqual(keys, o.Rows[from:to])
		from = to
	}
	return true, nil
}

// gatherEqual reorders rows so that rows with equal keys are adjacent.
func gatherEqual(keys []*vec.Vector, rows []int32) {
	for len(rows) > 1 {
		n := 1
		for i := 1; i < len(rows); i++ {
			if sameKeys(keys, rows[i], keys, rows[0]) {
				rows[n], rows[i] = rows[i], rows[n]
				n++
			}
		}
		rows = rows[n:]
	}
}

func sameKeys(a []*vec.Vector, i int32, b []*vec.Vector, j int32) bool {
	return keyenc.KeepEqual(a, b, []int32{i}, []int32{j}) == 1
}

// number fills the directory and group, and returns the number of groups. Rows with equal hashes
// have equal keys unless there are collisions.
func (d *directory) number(acct *mem.Account, o *merge.Order, group []uint64, collided bool) (n int, err error) {
	if d.hashes, err = mem.Alloc[uint64](acct, len(o.Rows)); err != nil {
		return 0, err
	}
	if d.first, err = mem.Alloc[int32](acct, len(o.Rows)); err != nil {
		return 0, err
	}
	for i, row := range o.Rows {
		if i == 0 || o.Codes[i] != o.Codes[i-1] || collided && !sameKeys(d.keys, row, d.keys, o.Rows[i-1]) {
			d.hashes.S[n], d.first.S[n] = o.Codes[i], row
			n++
		}
		group[row] = uint64(n - 1)
	}
	return n, nil
}

func (d *directory) free() {
	if d != nil {
		d.hashes.Free()
		d.first.Free()
		d.find.Free()
	}
}

// finder looks up the groups of a batch of keys, for one goroutine.
type finder struct {
	*directory
	hashes       []uint64
	row, against []int32
	at           []int32
}

// groups writes the groups of n rows to dst, and -1 for rows without a group.
func (f *finder) groups(keys []*vec.Vector, dst []int32) {
	n := len(dst)
	f.hashes = slices.Grow(f.hashes[:0], n)[:n]
	hashRows(keys, f.hashes)
	f.row, f.against, f.at = f.row[:0], f.against[:0], f.at[:0]
	words := f.find.S
	for i, h := range f.hashes {
		dst[i] = -1
		if g := f.find.Below(h); int(g) < len(words) && words[g] == h {
			f.row, f.against, f.at = append(f.row, int32(i)), append(f.against, f.first.S[g]), append(f.at, g)
		}
	}
	found := keyenc.KeepEqual(keys, f.keys, f.row, f.against, f.at)
	for k, i := range f.row[:found] {
		dst[i] = f.at[k]
	}
	if found < len(f.row) {
		f.collided(keys, dst)
	}
}

// collided searches further groups of the same hash for rows without a group.
func (f *finder) collided(keys []*vec.Vector, dst []int32) {
	words := f.find.S
	for i, h := range f.hashes {
		if dst[i] >= 0 {
			continue
		}
		for g := f.find.Below(h); int(g) < len(words) && words[g] == h; g++ {
			if sameKeys(keys, int32(i), f.keys, f.first.S[g]) {
				dst[i] = g
				break
			}
		}
	}
}

// skipUnequal marks the rows that equal nothing: those with NULLs in keys that are not null-safe,
// and with NaNs.
func skipUnequal(keys []*vec.Vector, nullSafe []bool, skip []bool) {
	for k, v := range keys {
		if v.Type.ID == types.Null && !nullSafe[k] {
			for i := range skip {
				skip[i] = true
			}
		}
		if v.Null != nil && !nullSafe[k] {
			for i, null := range v.Null {
				skip[i] = skip[i] || null
			}
		}
		for i, x := range v.F64 {
			skip[i] = skip[i] || x != x && (v.Null == nil || !v.Null[i])
		}
	}
}
