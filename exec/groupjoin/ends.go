package groupjoin

import (
	"math"
	"sync"

	"gsql/exec/join/merge"
	"gsql/exec/keyenc"
	"gsql/exec/keyenc/rank"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// ends are the words at which windows of rows begin, and those before which they end, in order
// and preceded by the numbers of groups if there are keys. An end that is open in all windows is
// omitted, but never both.
type ends struct {
	begin, end bool // which of them exist
	codes      *shortCodes
	order      *merge.Order // rows: row numbers for begins; for ends after begins, plus the number of rows
	from, to   []int32      // by row; not set yet, except for toEnd
	held       mem.Buffers
}

func (e *ends) free() {
	e.order.Free()
	e.held.Free()
}

// groupOf returns the number of the group of an end.
func (e *ends) groupOf(w uint64) uint64 {
	if e.codes == nil {
		return 0
	}
	return w >> e.codes.bits
}

// distinct returns the number of cuts: distinct ends and beginnings of groups.
func (e *ends) distinct() (n int) {
	last := uint64(0)
	for i, w := range e.order.Codes {
		fresh := i == 0 || w != last
		if fresh && e.codes != nil && (i == 0 || e.groupOf(w) != e.groupOf(last)) && w != e.groupOf(w)<<e.codes.bits {
			n++
		}
		if fresh {
			n++
		}
		last = w
	}
	return n
}

// windowing computes the windows of rows by a test on their operands, which are flat.
type windowing struct {
	test     *test
	encoder  *rank.Encoder
	operands []*vec.Vector
	words    [][]uint64
	lo, hi   []uint64
}

// block computes the windows of rows [from, to): window i, of row from+i, is from lo[i] to hi[i],
// and empty if lo[i] is greater. In skip, which has the rows of the block, it marks those without
// a window.
func (w *windowing) block(from, to int, skip []bool) (lo, hi []uint64) {
	if w.lo == nil {
		w.lo, w.hi, w.words = make([]uint64, vec.BatchSize), make([]uint64, vec.BatchSize), make([][]uint64, len(w.operands))
		for i := range w.words {
			w.words[i] = make([]uint64, vec.BatchSize)
		}
	}
	for i, v := range w.operands {
		w.words[i] = w.words[i][:to-from]
		w.encoder.Encode(w.words[i], v.Slice(from, to), skip)
	}
	lo, hi = w.lo[:to-from], w.hi[:to-from]
	w.test.window(lo, hi, w.words)
	for i := range lo {
		skip[i] = skip[i] || lo[i] > hi[i]
	}
	return lo, hi
}

// endsOf collects and sorts the ends of the windows of rows that are not in skip. If groups is
// not nil, numbers has the rows' groups first. It has space for the ends. endsOf frees numbers
// and skip.
func endsOf(ctx *op.Ctx, acct *mem.Account, w *windowing, groups *grouping, numbers *mem.Buffer[uint64], skip *mem.Buffer[bool]) (e *ends, err error) {
	e = &ends{}
	defer func() {
		if err != nil {
			numbers.Free()
			skip.Free()
			e.free()
		}
	}()
	e.begin, e.end = w.test.ends()
	rows := len(skip.S) / w.test.endsPerRow()
	if groups != nil {
		if err = e.shorten(ctx, acct, w, groups.bits, skip.S, rows); err != nil {
			return e, err
		}
	}
	for _, dst := range []*[]int32{&e.from, &e.to} {
		if *dst, err = allocIn[int32](&e.held, acct, rows); err != nil {
			return e, err
		}
	}
	if err = inBlocks(ctx, rows, func() func(from, to int) {
		own := *w
		return func(from, to int) {
			lo, hi := own.block(from, to, skip.S[from:to])
			e.put(numbers.S, skip.S, from, lo, hi)
		}
	}); err != nil {
		return e, err
	}
	e.order, err = merge.Sort(ctx, acct, &keyenc.Codes{Words: numbers, Skip: skip})
	numbers, skip = nil, nil
	return e, err
}

// put writes the ends of the windows of a block of rows that begins at row from.
func (e *ends) put(numbers []uint64, skip []bool, from int, lo, hi []uint64) {
	behind := 0
	if e.begin {
		behind = len(e.from)
	}
	for i := range lo {
		row, group := from+i, uint64(0)
		none := skip[row]
		if e.codes != nil {
			group = numbers[row] << e.codes.bits
		}
		if e.begin {
			numbers[row] = group | e.at(lo[i])
		}
		switch {
		case !e.end:
			continue
		case hi[i] < math.MaxUint64:
			numbers[behind+row] = group | e.at(hi[i]+1)
		case e.codes != nil:
			numbers[behind+row] = group | e.codes.last
		case !none:
			e.to[row], none = toEnd, true
		}
		skip[behind+row] = none
	}
}

func (e *ends) at(w uint64) uint64 {
	if e.codes == nil {
		return w
	}
	return e.codes.of(w)
}

// shorten makes codes for the ends' words.
func (e *ends) shorten(ctx *op.Ctx, acct *mem.Account, w *windowing, groupBits int, skip []bool, rows int) error {
	var mu sync.Mutex
	least, greatest := uint64(math.MaxUint64), uint64(0)
	err := inBlocks(ctx, rows, func() func(from, to int) {
		own := *w
		return func(from, to int) {
			lo, hi := own.block(from, to, skip[from:to])
			a, b := extent(lo, hi, skip[from:to])
			mu.Lock()
			defer mu.Unlock()
			least, greatest = min(least, a), max(greatest, b)
		}
	})
	if err != nil {
		return err
	}
	if e.codes = newShortCodes(least, greatest, 64-groupBits); e.codes == nil {
		if e.codes, err = e.rank(ctx, acct, w, skip, rows); err != nil {
			return err
		}
	}
	e.held.Add(e.codes)
	return nil
}

// extent returns the least and the greatest word at an end that is not open.
func extent(lo, hi []uint64, skip []bool) (least, greatest uint64) {
	least = math.MaxUint64
	for i := range lo {
		if skip[i] {
			continue
		}
		if lo[i] > 0 {
			least, greatest = min(least, lo[i]), max(greatest, lo[i])
		}
		if hi[i] < math.MaxUint64 {
			least, greatest = min(least, hi[i]+1), max(greatest, hi[i]+1)
		}
	}
	return least, greatest
}

// rank makes codes from the order of all words.
func (e *ends) rank(ctx *op.Ctx, acct *mem.Account, w *windowing, skip []bool, rows int) (*shortCodes, error) {
	words, err := mem.Alloc[uint64](acct, len(skip))
	if err != nil {
		return nil, err
	}
	open, err := mem.Alloc[bool](acct, len(skip))
	if err != nil {
		words.Free()
		return nil, err
	}
	behind := len(skip) - rows // position of the first end
	err = inBlocks(ctx, rows, func() func(from, to int) {
		own := *w
		return func(from, to int) {
			lo, hi := own.block(from, to, skip[from:to])
			for i := range lo {
				row, none := from+i, skip[from+i]
				if e.begin {
					words.S[row], open.S[row] = lo[i], none || lo[i] == 0
				}
				if e.end {
					words.S[behind+row], open.S[behind+row] = hi[i]+1, none || hi[i] == math.MaxUint64
				}
			}
		}
	})
	if err != nil {
		words.Free()
		open.Free()
		return nil, err
	}
	return newRankCodes(ctx, acct, words, open)
}
