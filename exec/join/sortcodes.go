package join

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"gsql/exec/op"
	"gsql/internal/mem"
)

// sorted are the codes of a side in ascending order with their rows, skipped rows left
// out. Rows of equal codes ascend.
type sorted struct {
	codes []uint64
	rows  []int32
	held  holdings
}

// sortCodes sorts the codes of a side and frees them, also when it fails. Codes that
// are in order already are not moved.
func sortCodes(ctx *op.Ctx, acct *mem.Account, in *coded) (*sorted, error) {
	defer in.free()
	ordered, err := inOrder(ctx, in)
	if err != nil {
		return nil, err
	}
	if ordered {
		return keepOrder(ctx, acct, in)
	}
	d, err := in.sortDigits(ctx)
	if err != nil {
		return nil, err
	}
	p, err := partition(ctx, acct, in, d)
	if err != nil {
		return nil, err
	}
	in.free()
	s := &sorted{codes: p.codes.S[:p.valid()], rows: p.rows.S[:p.valid()], held: holdings{p.codes, p.rows}}
	if d.shift > 0 || d.clamped {
		err = s.sortWithin(ctx, acct, p.start)
	}
	if err != nil {
		s.held.free()
		return nil, err
	}
	return s, nil
}

// sortWithin sorts each partition.
func (s *sorted) sortWithin(ctx *op.Ctx, acct *mem.Account, start []int) error {
	if ctx.Workers > 1 {
		var err error
		if start, err = s.divide(ctx, acct, start, longRows(len(s.codes), ctx.Workers)); err != nil {
			return err
		}
	}
	return s.sortParts(ctx, acct, start)
}

// inOrder tells whether no code is below the one before it.
func inOrder(ctx *op.Ctx, in *coded) (bool, error) {
	if in.skip != nil || !slices.IsSorted(in.codes.S[:min(block, len(in.codes.S))]) {
		return false, nil
	}
	var falls atomic.Bool
	workers := workersFor(ctx, len(in.codes.S))
	err := op.Parallel(ctx, workers, func(w int) error {
		last := uint64(0)
		if from, _ := share(len(in.codes.S), w, workers); from > 0 {
			last = in.codes.S[from-1]
		}
		return in.eachBlock(ctx, w, workers, func(_ int, codes []uint64, _ []bool) {
			if falls.Load() {
				return
			}
			for _, c := range codes {
				if c < last {
					falls.Store(true)
					return
				}
				last = c
			}
		})
	})
	return !falls.Load(), err
}

// keepOrder takes over the codes of in.
func keepOrder(ctx *op.Ctx, acct *mem.Account, in *coded) (*sorted, error) {
	rows, err := mem.Scratch[int32](acct, len(in.codes.S))
	if err != nil {
		return nil, err
	}
	if err := eachShare(ctx, len(rows.S), func(from, to int) { number(rows.S[from:to], from) }); err != nil {
		rows.Free()
		return nil, err
	}
	s := &sorted{codes: in.codes.S, rows: rows.S, held: holdings{in.codes, rows}}
	in.codes = nil
	return s, nil
}

// sortParts sorts each partition; workers take them one after the other, the longest ones first.
func (s *sorted) sortParts(ctx *op.Ctx, acct *mem.Account, start []int) error {
	order := longestFirst(start)
	var next atomic.Int64
	return op.Parallel(ctx, workersFor(ctx, len(s.codes)), func(int) error {
		var codes *mem.Buffer[uint64]
		var rows *mem.Buffer[int32]
		defer func() { codes.Free(); rows.Free() }()
		for {
			x := int(next.Add(1)) - 1
			if x >= len(order) {
				return nil
			}
			from, to := start[order[x]], start[order[x]+1]
			if codes == nil || len(codes.S) < to-from {
				codes.Free()
				rows.Free()
				var err error
				if codes, err = mem.Alloc[uint64](acct, to-from); err != nil {
					return err
				}
				if rows, err = mem.Alloc[int32](acct, to-from); err != nil {
					return err
				}
			}
			if err := sortRun(ctx, s.codes[from:to], s.rows[from:to], codes.S, rows.S); err != nil {
				return err
			}
		}
	})
}

// longestFirst gives the numbers of partitions that have several rows.
func longestFirst(start []int) []int {
	order := make([]int, 0, len(start))
	for x, from := range start[:len(start)-1] {
		if start[x+1]-from > 1 {
			order = append(order, x)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return start[b+1] - start[b] - (start[a+1] - start[a]) })
	return order
}

// insertionRows is the length up to which insertion sort is faster than a pass.
const insertionRows = 24

// sortRun sorts a run by its most significant differing byte and then each bucket in
// the same way; tmp slices are scratch of at least the run's length. It is stable.
func sortRun(ctx *op.Ctx, codes []uint64, rows []int32, tmpCodes []uint64, tmpRows []int32) error {
	if len(codes) <= insertionRows {
		insertionSort(codes, rows)
		return nil
	}
	if len(codes) > block && ctx.Err() != nil {
		return ctx.Err()
	}
	lo, hi := codes[0], codes[0]
	for _, c := range codes {
		lo, hi = min(lo, c), max(hi, c)
	}
	if lo == hi {
		return nil
	}
	shift := max(0, bits.Len64(hi-lo)-8)
	var end [256]int
	for _, c := range codes {
		end[(c-lo)>>shift&255]++
	}
	at := 0
	for i, n := range end {
		end[i] = at
		at += n
	}
	tmpCodes, tmpRows = tmpCodes[:len(codes)], tmpRows[:len(codes)]
	for i, c := range codes {
		d := (c - lo) >> shift & 255
		k := end[d]
		end[d]++
		tmpCodes[k], tmpRows[k] = c, rows[i]
	}
	copy(codes, tmpCodes)
	copy(rows, tmpRows)
	if shift == 0 {
		return nil
	}
	from := 0
	for _, to := range end {
		if to-from > 1 {
			if err := sortRun(ctx, codes[from:to], rows[from:to], tmpCodes, tmpRows); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

func insertionSort(codes []uint64, rows []int32) {
	for i := 1; i < len(codes); i++ {
		c, r := codes[i], rows[i]
		k := i
		for ; k > 0 && codes[k-1] > c; k-- {
			codes[k], rows[k] = codes[k-1], rows[k-1]
		}
		codes[k], rows[k] = c, r
	}
}
