package hash

import (
	"errors"
	"math/bits"

	"gsql/exec/join/match"
	"gsql/exec/join/partition"
	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// slot holds one distinct code with the list of its rows. The list's length and its start share
// one word, the length in the upper half, so that two loads read a slot. An empty slot has length
// 0 and an arbitrary start.
type slot struct{ code, list uint64 }

func startOf(list uint64) int32 { return int32(list) }
func countOf(list uint64) int32 { return int32(list >> 32) }

// oneRow is the list of length one at start 0; smaller words are lists of empty slots.
const oneRow = 1 << 32

// table is a hash table with linear probing. The top bits of a hash choose a region, the low bits
// a slot in it. Probing stays in the region, so workers build regions independently, each inside
// the cache.
type table struct {
	slots  []slot
	rows   []int32 // lists of rows; nil if no code has several
	shift  uint    // right shift of a hash to its region
	region uint    // logarithm of a region's number of slots
}

// errRegionFull is returned if a region has fewer slots than distinct codes.
var errRegionFull = errors.New("region of the hash table is full")

const (
	regionRows = 1 << 14 // build rows per region: its slots and codes fit in the second-level cache
	maxRegions = 1 << 12 // the most write positions that the scattering pass keeps open
)

// shape returns the logarithms of the number of regions and of their size for n rows.
func shape(n, maxParts int) (partBits, regionBits uint) {
	for partBits = 0; n>>partBits > regionRows && 1<<(partBits+1) <= maxParts; partBits++ {
	}
	perRegion := n>>partBits + 1
	if partBits > 0 { // partitions differ in size
		perRegion += perRegion/8 + 64
	}
	return partBits, uint(bits.Len(uint(perRegion + perRegion/3)))
}

// place returns the first slot of the code's region and the slot at which to start.
func (t *table) place(code uint64) (first, at uint64) {
	h := rowhash.Mix(code)
	return h >> t.shift << t.region, h & (1<<t.region - 1)
}

// insert returns the slot of code, adding it if necessary.
func (t *table) insert(code uint64) (*slot, error) {
	first, at := t.place(code)
	mask := uint64(1)<<t.region - 1
	for range mask + 1 {
		s := &t.slots[first|at]
		if s.list < oneRow || s.code == code {
			s.code = code
			return s, nil
		}
		at = (at + 1) & mask
	}
	return nil, errRegionFull
}

// count enters the codes of one partition. The start of a slot is its first row for now. twice
// reports whether a code occurs twice.
func (t *table) count(codes []uint64, rows []int32) (twice bool, err error) {
	free := 1<<t.region - 1 // one empty slot in a region ends every search
	for i, c := range codes {
		s, err := t.insert(c)
		if err != nil {
			return false, err
		}
		if s.list < oneRow {
			if free--; free < 0 {
				return false, errRegionFull
			}
			s.list = uint64(uint32(rows[i]))
		} else {
			twice = true
		}
		s.list += oneRow
	}
	return twice, nil
}

// list groups the rows of a partition by slot into lists in dst, which begins at position base of
// t.rows. slots is the partition's region.
func (t *table) list(slots []slot, codes []uint64, rows, dst []int32, base int) {
	at := uint64(base)
	for i := range slots {
		count := slots[i].list >> 32
		slots[i].list = count<<32 | at
		at += count
	}
	for i, c := range codes {
		s, _ := t.insert(c) // the code is there
		dst[int(startOf(s.list))-base] = rows[i]
		s.list++
	}
	for i := range slots {
		slots[i].list -= slots[i].list >> 32
	}
}

// buildTable makes a table of partitioned codes. The caller owns the buffers.
func buildTable(ctx *op.Ctx, acct *mem.Account, p *partition.Parts, partBits, regionBits uint) (*table, *mem.Buffer[slot], *mem.Buffer[int32], error) {
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

func (t *table) fill(ctx *op.Ctx, acct *mem.Account, p *partition.Parts) (*mem.Buffer[int32], error) {
	n := len(p.Start) - 1
	workers := op.WorkersFor(ctx, p.Valid())
	twice := make([]bool, workers)
	err := op.Parallel(ctx, workers, func(w int) error {
		return p.Each(ctx, w, workers, func(_, from, to int) error {
			tw, err := t.count(p.Codes.S[from:to], p.Rows.S[from:to])
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
	rows, err := mem.Alloc[int32](acct, p.Valid())
	if err != nil {
		return nil, err
	}
	perRegion := len(t.slots) / n
	err = op.Parallel(ctx, workers, func(w int) error {
		return p.Each(ctx, w, workers, func(x, from, to int) error {
			t.list(t.slots[x*perRegion:(x+1)*perRegion], p.Codes.S[from:to], p.Rows.S[from:to], rows.S[from:to], from)
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

// lookup finds the codes that are in the table. The hits identify them by position in cs.
func (t *table) lookup(cs []uint64, h *match.Hits, p *pending) {
	p.t = t
	lookUpAll(p, cs, h)
}

// pending holds the rows whose slot has another code, and the slots that were read but not yet
// compared.
type pending struct {
	t    *table
	row  []int32
	at   []uint64
	code [fetched]uint64
	list [fetched]uint64
	slot [fetched]uint64
}

func (p *pending) resize(n int) {
	if len(p.row) < n {
		p.row, p.at = make([]int32, n), make([]uint64, n)
	}
}

// fetch implements slotScan: it reads the first slot of each code.
func (p *pending) fetch(cs []uint64) {
	t := p.t
	code, list, at := p.code[:len(cs)], p.list[:len(cs)], p.slot[:len(cs)]
	slots, shift, region, mask := t.slots, t.shift, t.region, uint64(1)<<t.region-1
	for i, c := range cs {
		hash := rowhash.Mix(c)
		k := hash>>shift<<region | hash&mask
		s := &slots[k]
		code[i], list[i], at[i] = s.code, s.list, k
	}
}

// first implements slotScan.
func (p *pending) first(cs []uint64, from int, h *match.Hits, n, waiting int) (hits, still int) {
	code, list, slot := p.code[:len(cs)], p.list[:len(cs)], p.slot[:len(cs)]
	row, start, count, later, at := h.Row, h.Start, h.Count, p.row, p.at
	for i, c := range cs {
		taken, same := vec.One(list[i] >= oneRow), vec.One(code[i] == c)
		row[n], start[n], count[n] = int32(from+i), startOf(list[i]), countOf(list[i])
		n += taken & same
		later[waiting], at[waiting] = int32(from+i), slot[i]
		waiting += taken &^ same
	}
	return n, waiting
}

// again implements slotScan: it compares the next slots.
func (p *pending) again(cs []uint64, h *match.Hits, n, waiting int) (hits, still int) {
	row, start, count, later, at := h.Row, h.Start, h.Count, p.row, p.at
	t, mask := p.t, uint64(1)<<p.t.region-1
	for i, r := range later[:waiting] {
		c := cs[r]
		k := at[i]&^mask | (at[i]+1)&mask
		s := &t.slots[k]
		taken, same := vec.One(s.list >= oneRow), vec.One(s.code == c)
		row[n], start[n], count[n] = r, startOf(s.list), countOf(s.list)
		n += taken & same
		later[still], at[still] = r, k
		still += taken &^ same
	}
	return n, still
}

// distinct returns the number of codes.
func (t *table) distinct() (n int) {
	for i := range t.slots {
		n += vec.One(t.slots[i].list >= oneRow)
	}
	return n
}

// eachCode calls f with each code.
func (t *table) eachCode(f func(code uint64)) {
	for i := range t.slots {
		if x := &t.slots[i]; x.list >= oneRow {
			f(x.code)
		}
	}
}
