package join

import (
	"errors"
	"math/bits"

	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
)

// slot is an entry of a table: one distinct code with the list of its rows. An empty
// slot has count 0.
type slot struct {
	code         uint64
	start, count int32
}

// table is a hash table with linear probing. The top bits of the hash choose a region,
// the low ones a slot in it, and probing stays in the region: regions are built
// independently of each other, by several goroutines and inside the cache.
type table struct {
	slots  []slot
	rows   []int32 // lists of rows; nil when no code has two
	shift  uint    // of the hash: what remains is the region
	region uint    // bits of a region's slots
}

// errRegionFull says that a region had fewer slots than distinct codes.
var errRegionFull = errors.New("region of the hash table is full")

const (
	regionRows = 1 << 14 // build rows a region: its slots and codes fit the second-level cache
	maxRegions = 1 << 12 // more open write positions than this defeat the scattering pass
)

// shape chooses the number of regions and their size for n rows.
func shape(n, maxParts int) (partBits, regionBits uint) {
	for partBits = 0; n>>partBits > regionRows && 1<<(partBits+1) <= maxParts; partBits++ {
	}
	perRegion := n>>partBits + 1
	if partBits > 0 { // room for uneven partitions
		perRegion += perRegion/8 + 64
	}
	return partBits, uint(bits.Len(uint(perRegion + perRegion/3)))
}

// place gives the region's first slot and the slot to look at first.
func (t *table) place(code uint64) (first, at uint64) {
	h := rowhash.Mix(code)
	return h >> t.shift << t.region, h & (1<<t.region - 1)
}

// insert finds or makes the slot of code.
func (t *table) insert(code uint64) (*slot, error) {
	first, at := t.place(code)
	mask := uint64(1)<<t.region - 1
	for range mask + 1 {
		s := &t.slots[first|at]
		if s.count == 0 || s.code == code {
			s.code = code
			return s, nil
		}
		at = (at + 1) & mask
	}
	return nil, errRegionFull
}

// count enters the codes of one partition; a slot's start is its first row for now.
// twice tells whether a code came twice.
func (t *table) count(codes []uint64, rows []int32) (twice bool, err error) {
	free := 1<<t.region - 1 // one slot of a region stays empty: it ends every search
	for i, c := range codes {
		s, err := t.insert(c)
		if err != nil {
			return false, err
		}
		if s.count == 0 {
			if free--; free < 0 {
				return false, errRegionFull
			}
			s.start = rows[i]
		} else {
			twice = true
		}
		s.count++
	}
	return twice, nil
}

// list orders the rows of a partition by slot into lists, which take up dst; base is
// dst's position in t.rows. slots is the partition's region.
func (t *table) list(slots []slot, codes []uint64, rows, dst []int32, base int) {
	at := int32(base)
	for i := range slots {
		slots[i].start = at
		at += slots[i].count
	}
	for i, c := range codes {
		s, _ := t.insert(c) // it is there
		dst[int(s.start)-base] = rows[i]
		s.start++
	}
	for i := range slots {
		slots[i].start -= slots[i].count
	}
}

// buildTable makes a table of the partitioned codes. The buffers belong to the caller.
func buildTable(ctx *op.Ctx, acct *mem.Account, p *parts, partBits, regionBits uint) (*table, *mem.Buffer[slot], *mem.Buffer[int32], error) {
	for ; ; regionBits++ {
		slots, err := mem.Alloc[slot](acct, 1<<(partBits+regionBits))
		if err != nil {
			return nil, nil, nil, err
		}
		t := &table{slots: slots.S, shift: 64 - partBits, region: regionBits}
		rows, err := t.fill(ctx, acct, p)
		if err == nil {
			return t, slots, rows, nil
		}
		slots.Free()
		if !errors.Is(err, errRegionFull) {
			return nil, nil, nil, err
		}
	}
}

func (t *table) fill(ctx *op.Ctx, acct *mem.Account, p *parts) (*mem.Buffer[int32], error) {
	n := len(p.start) - 1
	workers := workersFor(ctx, p.valid())
	twice := make([]bool, workers)
	err := op.Parallel(ctx, workers, func(w int) error {
		return p.each(ctx, w, workers, func(_, from, to int) error {
			tw, err := t.count(p.codes.S[from:to], p.rows.S[from:to])
			twice[w] = twice[w] || tw
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	any := false
	for _, tw := range twice {
		any = any || tw
	}
	if !any {
		return nil, nil
	}
	rows, err := mem.Alloc[int32](acct, p.valid())
	if err != nil {
		return nil, err
	}
	perRegion := len(t.slots) / n
	err = op.Parallel(ctx, workers, func(w int) error {
		return p.each(ctx, w, workers, func(x, from, to int) error {
			t.list(t.slots[x*perRegion:(x+1)*perRegion], p.codes.S[from:to], p.rows.S[from:to], rows.S[from:to], from)
			return nil
		})
	})
	if err != nil {
		rows.Free()
		return nil, err
	}
	t.rows = rows.S
	return rows, nil
}

// each calls f for every partition that falls to worker w.
func (p *parts) each(ctx *op.Ctx, w, workers int, f func(part, from, to int) error) error {
	for x := w; x < len(p.start)-1; x += workers {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(x, p.start[x], p.start[x+1]); err != nil {
			return err
		}
	}
	return nil
}

// lookup finds the codes that the table has; hits name them by position. All look at
// their first slot before any looks at a second one, and nothing in these rounds
// depends on a branch that is hard to predict: the cache misses of many codes overlap.
func (t *table) lookup(cs []uint64, h *hits, pending *pending) {
	h.resize(len(cs))
	pending.resize(len(cs))
	row, start, count := h.row, h.start, h.count
	later, at := pending.row, pending.at
	n, waiting := 0, 0
	mask := uint64(1)<<t.region - 1
	slots := t.slots
	for i, code := range cs {
		hash := rowhash.Mix(code)
		k := hash>>t.shift<<t.region | hash&mask
		s := &slots[k]
		taken, same := one(s.count != 0), one(s.code == code)
		row[n], start[n], count[n] = int32(i), s.start, s.count
		n += taken & same
		later[waiting], at[waiting] = int32(i), k
		waiting += taken &^ same
	}
	for waiting > 0 {
		still := 0
		for i, r := range later[:waiting] {
			code := cs[r]
			k := at[i]&^mask | (at[i]+1)&mask
			s := &slots[k]
			taken, same := one(s.count != 0), one(s.code == code)
			row[n], start[n], count[n] = r, s.start, s.count
			n += taken & same
			later[still], at[still] = r, k
			still += taken &^ same
		}
		waiting = still
	}
	h.cut(n)
}

// pending are rows whose slot was taken by another code.
type pending struct {
	row []int32
	at  []uint64
}

func (p *pending) resize(n int) {
	if len(p.row) < n {
		p.row, p.at = make([]int32, n), make([]uint64, n)
	}
}
