package hash

import (
	"math/bits"
	"slices"
	"sort"

	"gsql/exec/join/match"
	"gsql/exec/join/partition"
	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// BucketTable holds the distinct codes of a build side in the order of the top bits of their
// hashes, and a directory of these bits. The table has no gaps or links, so a range of hashes
// takes little of the cache. Once Reorder has put the build side into the table's order, the rows
// of the table are those of the build side.
type BucketTable struct {
	codes []uint64            // distinct; the word after the last one may be read
	first []uint32            // bucket b has the codes [first[b], first[b+1])
	Start []uint32            // code i has the rows [start[i], start[i+1]); nil: row i
	shift uint                // right shift of a hash to its bucket
	buf   *mem.Buffer[uint64] // of codes
	held  mem.Buffers
}

const (
	// bucketPartitionRows is the greatest number of build rows in a partition, unless there would
	// be too many partitions: the codes, directory and some columns of this many rows stay in the
	// second-level cache beside other data.
	bucketPartitionRows = 1 << 12
	// fewCodes is the greatest number of codes sorted by insertion.
	fewCodes = 16
)

// BucketPartitionBits returns the logarithm of the number of partitions for n rows.
func BucketPartitionBits(n int) (partBits uint) {
	for n>>partBits > bucketPartitionRows && 1<<(partBits+1) <= maxRegions {
		partBits++
	}
	return partBits
}

// NewBucketTable makes the table of partitioned codes. It also returns the order of all rows, in
// which those without a code come last. It frees p, even on error.
func NewBucketTable(ctx *op.Ctx, acct *mem.Account, p *partition.Parts, partBits uint) (c *BucketTable, order *mem.Buffer[int32], err error) {
	n := p.Valid()
	bucketBits := max(partBits, uint(bits.Len(uint(max(n, 1)-1))))
	c = &BucketTable{shift: 64 - bucketBits}
	defer func() {
		p.Free()
		if err != nil {
			c.Free()
			order.Free()
			c, order = nil, nil
		}
	}()
	if order, err = c.alloc(acct, n, len(p.Rows.S), bucketBits); err != nil {
		return c, order, err
	}
	copy(order.S[n:], p.Rows.S[n:])
	c.first[len(c.first)-1] = uint32(n)
	workers := op.WorkersFor(ctx, n)
	twice := make([]bool, workers)
	perPart := 1 << (bucketBits - partBits)
	err = op.Parallel(ctx, workers, func(w int) error {
		return p.Each(ctx, w, workers, func(x, from, to int) error {
			out := parted{c.first[x*perPart : (x+1)*perPart], c.codes, order.S}
			twice[w] = out.fill(p.Codes.S[from:to], p.Rows.S[from:to], from, c.shift) || twice[w]
			return nil
		})
	})
	if err == nil && slices.Contains(twice, true) {
		err = c.distinct(ctx, acct, p)
	}
	return c, order, err
}

// alloc allocates n codes and the order of the rows.
func (c *BucketTable) alloc(acct *mem.Account, n, rows int, bucketBits uint) (*mem.Buffer[int32], error) {
	var err error
	if c.buf, err = mem.Scratch[uint64](acct, n+1); err != nil {
		return nil, err
	}
	first, err := mem.Alloc[uint32](acct, 1<<bucketBits+1)
	if err != nil {
		return nil, err
	}
	c.held.Add(first)
	c.codes, c.first = c.buf.S, first.S
	return mem.Scratch[int32](acct, rows)
}

// parted holds the buckets of one partition, with its codes and rows.
type parted struct {
	first []uint32
	codes []uint64
	rows  []int32
}

// fill sorts the codes of a partition, which begin at from, by bucket, then by code, then by row.
// It reports whether a code occurs twice.
func (p *parted) fill(codes []uint64, rows []int32, from int, shift uint) (twice bool) {
	first, mask := p.first, uint64(len(p.first)-1)
	for _, x := range codes {
		first[rowhash.Mix(x)>>shift&mask]++
	}
	at := uint32(from)
	for b, n := range first {
		first[b], at = at, at+n
	}
	for i, x := range codes {
		b := rowhash.Mix(x) >> shift & mask
		at := first[b]
		p.codes[at], p.rows[at] = x, rows[i]
		first[b] = at + 1
	}
	lo := uint32(from)
	for b, hi := range first { // now the buckets' ends
		first[b] = lo
		if hi-lo > 1 {
			twice = group(p.codes[lo:hi], p.rows[lo:hi]) || twice
		}
		lo = hi
	}
	return twice
}

// group sorts the codes of a bucket, whose rows ascend, and reports whether any are equal.
func group(codes []uint64, rows []int32) (twice bool) {
	switch {
	case slices.IsSorted(codes):
	case len(codes) > fewCodes:
		sort.Stable(&byCode{codes, rows})
	default:
		for i := 1; i < len(codes); i++ {
			for k := i; k > 0 && codes[k] < codes[k-1]; k-- {
				codes[k], codes[k-1] = codes[k-1], codes[k]
				rows[k], rows[k-1] = rows[k-1], rows[k]
			}
		}
	}
	for i := 1; i < len(codes); i++ {
		if codes[i] == codes[i-1] {
			return true
		}
	}
	return false
}

type byCode struct {
	codes []uint64
	rows  []int32
}

func (s *byCode) Len() int           { return len(s.codes) }
func (s *byCode) Less(i, k int) bool { return s.codes[i] < s.codes[k] }
func (s *byCode) Swap(i, k int) {
	s.codes[i], s.codes[k] = s.codes[k], s.codes[i]
	s.rows[i], s.rows[k] = s.rows[k], s.rows[i]
}

// distinct keeps one of equal codes and records where its rows begin. The codes move to p's
// buffer, which is no longer needed: there are fewer of them now.
func (c *BucketTable) distinct(ctx *op.Ctx, acct *mem.Account, p *partition.Parts) error {
	n := p.Valid()
	start, err := mem.Scratch[uint32](acct, n+1)
	if err != nil {
		return err
	}
	c.held.Add(start)
	c.Start = start.S
	count := make([]uint32, len(p.Start)) // of a partition's codes, then of those before it
	workers := op.WorkersFor(ctx, n)
	err = op.Parallel(ctx, workers, func(w int) error {
		return p.Each(ctx, w, workers, func(x, from, to int) error {
			c.eachBucket(p, x, func(_ int, lo, hi uint32) { count[x] += countDistinct(c.codes[lo:hi]) })
			return nil
		})
	})
	if err != nil {
		return err
	}
	d := uint32(0)
	for x, k := range count {
		count[x], d = d, d+k
	}
	err = op.Parallel(ctx, workers, func(w int) error {
		return p.Each(ctx, w, workers, func(x, _, _ int) error {
			c.keepDistinct(p, x, count[x])
			return nil
		})
	})
	c.first[len(c.first)-1], c.Start[d] = d, uint32(n)
	c.buf, p.Codes = p.Codes, c.buf
	c.codes = c.buf.S
	return err
}

// eachBucket calls f for each bucket of partition x with the range of its codes.
func (c *BucketTable) eachBucket(p *partition.Parts, x int, f func(bucket int, lo, hi uint32)) {
	perPart := (len(c.first) - 1) / (len(p.Start) - 1)
	lo := uint32(p.Start[x])
	for b := x * perPart; b < (x+1)*perPart; b++ {
		hi := uint32(p.Start[x+1]) // other workers write the start of the next bucket
		if b+1 < (x+1)*perPart {
			hi = c.first[b+1]
		}
		f(b, lo, hi)
		lo = hi
	}
}

// countDistinct returns the number of distinct codes; equal ones are adjacent.
func countDistinct(codes []uint64) (n uint32) {
	for i, x := range codes {
		n += uint32(vec.One(i == 0 || x != codes[i-1]))
	}
	return n
}

// keepDistinct is distinct for partition x, whose codes move to positions d and following.
func (c *BucketTable) keepDistinct(p *partition.Parts, x int, d uint32) {
	codes := p.Codes.S
	c.eachBucket(p, x, func(b int, lo, hi uint32) {
		c.first[b] = d
		for i := lo; i < hi; i++ {
			if i == lo || c.codes[i] != c.codes[i-1] {
				codes[d], c.Start[d] = c.codes[i], i
				d++
			}
		}
	})
}

// Free releases the memory. It may be called on nil.
func (c *BucketTable) Free() {
	if c != nil {
		c.buf.Free()
		c.held.Free()
	}
}

// Lookup finds the codes that are in the table. The hits identify them by position in cs and list
// their rows.
func (c *BucketTable) Lookup(cs []uint64, h *match.Hits, p *BucketScan) {
	p.c = c
	lookUpAll(p, cs, h)
	if c.Start != nil {
		for i, d := range h.Start {
			from := c.Start[d]
			h.Start[i], h.Count[i] = int32(from), int32(c.Start[d+1]-from)
		}
	}
}

// BucketScan is the state of a prober's lookups: the codes whose bucket begins with another code.
type BucketScan struct {
	c       *BucketTable
	row     []int32
	at, end []uint32 // of the bucket's codes: the next one to compare, and the end
	code    [fetched]uint64
	lo, hi  [fetched]uint32
}

func (p *BucketScan) resize(n int) {
	if len(p.row) < n {
		p.row, p.at, p.end = make([]int32, n), make([]uint32, n), make([]uint32, n)
	}
}

// fetch implements slotScan: it reads the first code of each bucket.
func (p *BucketScan) fetch(cs []uint64) {
	code, lo, hi := p.code[:len(cs)], p.lo[:len(cs)], p.hi[:len(cs)]
	first, codes, shift := p.c.first, p.c.codes, p.c.shift
	for i, x := range cs {
		b := rowhash.Mix(x) >> shift
		from := first[b]
		lo[i], hi[i] = from, first[b+1]
		code[i] = codes[from]
	}
}

// first implements slotScan.
func (p *BucketScan) first(cs []uint64, from int, h *match.Hits, n, waiting int) (hits, still int) {
	code, lo, hi := p.code[:len(cs)], p.lo[:len(cs)], p.hi[:len(cs)]
	row, start, later, at, end := h.Row, h.Start, p.row, p.at, p.end
	for i, x := range cs {
		same := vec.One(code[i] == x) & vec.One(lo[i] < hi[i])
		row[n], start[n] = int32(from+i), int32(lo[i])
		n += same
		later[waiting], at[waiting], end[waiting] = int32(from+i), lo[i]+1, hi[i]
		waiting += vec.One(lo[i]+1 < hi[i]) &^ same
	}
	return n, waiting
}

// again implements slotScan: it compares the next code of each bucket.
func (p *BucketScan) again(cs []uint64, h *match.Hits, n, waiting int) (hits, still int) {
	row, start, later, at, end := h.Row, h.Start, p.row, p.at, p.end
	codes := p.c.codes
	for i, r := range later[:waiting] {
		k, e := at[i], end[i]
		same := vec.One(codes[k] == cs[r])
		row[n], start[n] = r, int32(k)
		n += same
		later[still], at[still], end[still] = r, k+1, e
		still += vec.One(k+1 < e) &^ same
	}
	return n, still
}

// Count returns the number of codes.
func (c *BucketTable) Count() int { return int(c.first[len(c.first)-1]) }

// EachCode calls f with each code.
func (c *BucketTable) EachCode(f func(code uint64)) {
	for _, x := range c.codes[:c.Count()] {
		f(x)
	}
}
