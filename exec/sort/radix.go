package sort

import (
	"cmp"
	"math/bits"
	"slices"

	"gsql/exec/op"
	"gsql/internal/mem"
)

const (
	smallSort    = 32      // greatest number of entries sorted by insertion
	parallelSort = 1 << 16 // least number of entries for which workers share the first pass
	firstDigit   = 10      // most bits of the first pass
	laterDigit   = 9       // most bits of the other passes
	checkEvery   = 1 << 16 // comparisons between checks for cancellation
)

// order returns the rows 0..rows-1 in the order of keys, which are flat vectors. Equal rows keep
// their order. The caller frees the buffer.
func order(ctx *op.Ctx, account *mem.Account, keys []column, rows int) (*mem.Buffer[int32], error) {
	out, err := mem.Alloc[int32](account, rows)
	if err != nil {
		return nil, err
	}
	entries, err := mem.Alloc[entry](account, 2*rows)
	if err != nil {
		out.Free()
		return nil, err
	}
	defer entries.Free()
	s := &sorter{ctx: ctx, out: out.S[:rows]}
	defer func() { account.Release(s.reserved) }()
	if s.plan, err = s.newPlan(account, keys); err == nil {
		err = s.sort(entries.S[:rows], entries.S[rows:2*rows])
	}
	if err != nil {
		out.Free()
		return nil, err
	}
	return out, nil
}

// sorter is a single execution of the sort. It is a radix sort from the most significant digit
// down that moves entries back and forth between two arrays; small buckets are sorted by
// insertion. Buckets of the first pass are independent.
type sorter struct {
	ctx  *op.Ctx
	plan plan
	out  []int32

	reserved int64 // bytes for ranks
}

// workers returns the number of workers for some rows.
func (s *sorter) workers(rows int) int {
	if rows < parallelSort {
		return 1
	}
	return s.ctx.Workers
}

func (s *sorter) sort(a, b []entry) error {
	workers := s.workers(len(a))
	err := s.ranges(len(a), workers, func(_, lo, hi int) { s.plan.encode(a[lo:hi], lo) })
	if err != nil {
		return err
	}
	if workers == 1 {
		return op.Guard(func() error { return s.bucket(a, b, 0, s.plan.bits) })
	}
	return s.parallel(a, b, workers)
}

// ranges calls f for equal ranges of n rows, one per worker, in steps, and checks for
// cancellation between steps.
func (s *sorter) ranges(n, workers int, f func(w, lo, hi int)) error {
	const step = 1 << 16
	return op.Parallel(s.ctx, workers, func(w int) error {
		for lo, end := n*w/workers, n*(w+1)/workers; lo < end; lo += step {
			if err := s.ctx.Err(); err != nil {
				return err
			}
			f(w, lo, min(lo+step, end))
		}
		return nil
	})
}

// parallel does the first pass with all workers, each on its own range, and then lets them take
// the buckets one by one.
func (s *sorter) parallel(a, b []entry, workers int) error {
	digit := min(firstDigit, s.plan.bits)
	shift := s.plan.bits - digit
	size := 1 << digit
	counts := make([][]int, workers)
	for w := range counts {
		counts[w] = make([]int, size)
	}
	err := s.ranges(len(a), workers, func(w, lo, hi int) {
		c := counts[w]
		for i := range a[lo:hi] {
			c[a[lo+i].code>>shift]++
		}
	})
	if err != nil {
		return err
	}
	starts := make([]int, size+1)
	at := 0
	for d := range size {
		starts[d] = at
		for w := range counts {
			counts[w][d], at = at, at+counts[w][d]
		}
	}
	starts[size] = at
	err = s.ranges(len(a), workers, func(w, lo, hi int) {
		c := counts[w]
		for _, e := range a[lo:hi] {
			d := e.code >> shift
			b[c[d]] = e
			c[d]++
		}
	})
	if err != nil {
		return err
	}
	return op.EachTask(s.ctx, workers, size, func(d int) error {
		lo, hi := starts[d], starts[d+1]
		return s.bucket(b[lo:hi], a[lo:hi], lo, shift)
	})
}

// bucket sorts entries that differ only in their lowest low bits and writes their rows to s.out
// from at on. tmp is as long as a.
func (s *sorter) bucket(a, tmp []entry, at, low int) error {
	if low == 0 || len(a) <= smallSort {
		if low > 0 {
			insertion(a)
		}
		return s.emit(a, at)
	}
	if len(a) >= 1<<14 {
		if err := s.ctx.Err(); err != nil {
			return err
		}
	}
	digit := min(low, laterDigit, max(bits.Len(uint(len(a)))-4, 2))
	shift := low - digit
	mask := uint64(1)<<digit - 1
	var counts [1 << laterDigit]int32
	for i := range a {
		counts[a[i].code>>shift&mask]++
	}
	if int(counts[a[0].code>>shift&mask]) == len(a) {
		return s.bucket(a, tmp, at, shift)
	}
	sum := int32(0)
	for d := range counts[:mask+1] {
		counts[d], sum = sum, sum+counts[d]
	}
	for _, e := range a {
		d := e.code >> shift & mask
		tmp[counts[d]] = e
		counts[d]++
	}
	lo := 0
	for _, end := range counts[:mask+1] {
		if hi := int(end); hi > lo {
			if err := s.bucket(tmp[lo:hi], a[lo:hi], at+lo, shift); err != nil {
				return err
			}
			lo = hi
		}
	}
	return nil
}

// insertion sorts a few entries by code. It is stable.
func insertion(a []entry) {
	for i := 1; i < len(a); i++ {
		e := a[i]
		j := i
		for ; j > 0 && a[j-1].code > e.code; j-- {
			a[j] = a[j-1]
		}
		a[j] = e
	}
}

// emit writes the rows of sorted entries. It first sorts those with equal codes by key if codes
// are not exact.
func (s *sorter) emit(a []entry, at int) error {
	if len(s.plan.rest) > 0 {
		for lo := 0; lo < len(a); {
			hi := lo + 1
			for hi < len(a) && a[hi].code == a[lo].code {
				hi++
			}
			if hi-lo > 1 {
				if err := s.compareAll(a[lo:hi]); err != nil {
					return err
				}
			}
			lo = hi
		}
	}
	out := s.out[at : at+len(a)]
	for i := range out {
		out[i] = a[i].row
	}
	return nil
}

// compareAll sorts entries with equal codes. After cancellation, all rows compare as equal, so
// that the sort ends soon.
func (s *sorter) compareAll(a []entry) error {
	var err error
	left := checkEvery
	slices.SortFunc(a, func(x, y entry) int {
		if left--; left < 0 {
			err, left = s.ctx.Err(), checkEvery
		}
		if err != nil {
			return 0
		}
		if d := compareRows(s.plan.rest, x.row, y.row); d != 0 {
			return d
		}
		return cmp.Compare(x.row, y.row)
	})
	return err
}
