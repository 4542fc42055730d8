package join

import (
	"math/bits"
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
	if inOrder(in) {
		return keepOrder(acct, in)
	}
	lo, hi, err := in.codeRange(ctx, 0)
	if err != nil {
		return nil, err
	}
	hi = max(lo, hi) // all rows are skipped: the range is empty
	shift := max(0, bits.Len64(hi-lo)-sortBits(len(in.codes.S)))
	d := digits{min: lo, shift: uint(shift), count: int((hi-lo)>>shift) + 1}
	p, err := partition(ctx, acct, in, d)
	if err != nil {
		return nil, err
	}
	s := &sorted{codes: p.codes.S[:p.valid()], rows: p.rows.S[:p.valid()], held: holdings{p.codes, p.rows}}
	if shift > 0 {
		err = s.sortParts(ctx, acct, p.start)
	}
	if err != nil {
		s.held.free()
		return nil, err
	}
	return s, nil
}

// sortBits gives the bits of the first pass: enough for partitions that the cache holds.
func sortBits(n int) int { return min(11, max(1, bits.Len(uint(n/1024)))) }

func inOrder(in *coded) bool {
	if in.skip != nil {
		return false
	}
	last := uint64(0)
	for _, c := range in.codes.S {
		if c < last {
			return false
		}
		last = c
	}
	return true
}

// keepOrder takes over the codes of in.
func keepOrder(acct *mem.Account, in *coded) (*sorted, error) {
	rows, err := mem.Alloc[int32](acct, len(in.codes.S))
	if err != nil {
		return nil, err
	}
	for i := range rows.S {
		rows.S[i] = int32(i)
	}
	s := &sorted{codes: in.codes.S, rows: rows.S, held: holdings{in.codes, rows}}
	in.codes = nil
	return s, nil
}

// sortParts sorts each partition; workers take them one after the other.
func (s *sorted) sortParts(ctx *op.Ctx, acct *mem.Account, start []int) error {
	var next atomic.Int64
	return op.Parallel(ctx, workersFor(ctx, len(s.codes)), func(int) error {
		var codes *mem.Buffer[uint64]
		var rows *mem.Buffer[int32]
		defer func() { codes.Free(); rows.Free() }()
		for {
			x := int(next.Add(1)) - 1
			if x >= len(start)-1 {
				return nil
			}
			from, to := start[x], start[x+1]
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
