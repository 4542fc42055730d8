package merge

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"gsql/exec/join/partition"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// Sort sorts the codes of a side and frees them, even on error. Codes that are already in order
// are not moved.
func Sort(ctx *op.Ctx, acct *mem.Account, in *keyenc.Codes) (*Order, error) {
	defer in.Free()
	ordered, err := inOrder(ctx, in)
	if err != nil {
		return nil, err
	}
	if ordered {
		return keepOrder(ctx, acct, in)
	}
	d, err := sortDigits(ctx, in)
	if err != nil {
		return nil, err
	}
	p, err := partition.Split(ctx, acct, in, d)
	if err != nil {
		return nil, err
	}
	in.Free()
	s := &Order{Codes: p.Codes.S[:p.Valid()], Rows: p.Rows.S[:p.Valid()], held: mem.Buffers{p.Codes, p.Rows}}
	if d.Shift > 0 || d.Clamped {
		err = s.sortWithin(ctx, acct, p.Start)
	}
	if err != nil {
		s.held.Free()
		return nil, err
	}
	return s, nil
}

// sortWithin sorts each partition.
func (s *Order) sortWithin(ctx *op.Ctx, acct *mem.Account, start []int) error {
	if ctx.Workers > 1 {
		var err error
		if start, err = s.divide(ctx, acct, start, longRows(len(s.Codes), ctx.Workers)); err != nil {
			return err
		}
	}
	return s.sortParts(ctx, acct, start)
}

// inOrder reports whether the codes ascend and no row is skipped.
func inOrder(ctx *op.Ctx, in *keyenc.Codes) (bool, error) {
	if in.Skip != nil || !slices.IsSorted(in.Words.S[:min(op.Block, len(in.Words.S))]) {
		return false, nil
	}
	var falls atomic.Bool
	workers := op.WorkersFor(ctx, len(in.Words.S))
	err := op.Parallel(ctx, workers, func(w int) error {
		last := uint64(0)
		if from, _ := op.Share(len(in.Words.S), w, workers); from > 0 {
			last = in.Words.S[from-1]
		}
		return in.EachBlock(ctx, w, workers, func(_ int, codes []uint64, _ []bool) {
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

// keepOrder takes over the codes of in, which are in order.
func keepOrder(ctx *op.Ctx, acct *mem.Account, in *keyenc.Codes) (*Order, error) {
	rows, err := mem.Scratch[int32](acct, len(in.Words.S))
	if err != nil {
		return nil, err
	}
	if err := op.EachShare(ctx, len(rows.S), func(from, to int) { vec.Ascend(rows.S[from:to], from) }); err != nil {
		rows.Free()
		return nil, err
	}
	s := &Order{Codes: in.Words.S, Rows: rows.S, held: mem.Buffers{in.Words, rows}}
	in.Words = nil
	return s, nil
}

// sortParts sorts each partition; workers take them one after another, the longest first.
func (s *Order) sortParts(ctx *op.Ctx, acct *mem.Account, start []int) error {
	order := longestFirst(start)
	var next atomic.Int64
	return op.Parallel(ctx, op.WorkersFor(ctx, len(s.Codes)), func(int) error {
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
			if err := sortRun(ctx, s.Codes[from:to], s.Rows[from:to], codes.S, rows.S); err != nil {
				return err
			}
		}
	})
}

// longestFirst returns the numbers of the partitions with several rows, the longest first.
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

// insertionRows is the greatest length for which insertion sort is faster than a pass.
const insertionRows = 24

// sortRun sorts a run by its most significant differing byte and then each bucket in the same
// way. It is stable. The tmp slices are scratch space at least as long as the run.
func sortRun(ctx *op.Ctx, codes []uint64, rows []int32, tmpCodes []uint64, tmpRows []int32) error {
	if len(codes) <= insertionRows {
		insertionSort(codes, rows)
		return nil
	}
	if len(codes) > op.Block && ctx.Err() != nil {
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
