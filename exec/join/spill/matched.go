package spill

import (
	"sync/atomic"

	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// MatchedRows has a bit for each right row on disk, which is set once the row has had a partner.
// The rows have their numbers as a last column.
type MatchedRows struct {
	hit   *mem.Buffer[uint32]
	first map[int64]int64 // number of a block's first row, by the block's place
}

func newMatchedRows(acct *mem.Account, blocks []spill.Block) (*MatchedRows, error) {
	m := &MatchedRows{first: make(map[int64]int64, len(blocks))}
	rows := int64(0)
	for _, b := range blocks {
		m.first[b.Place()] = rows
		rows += int64(b.Rows)
	}
	var err error
	m.hit, err = mem.Alloc[uint32](acct, int((rows+31)/32))
	return m, err
}

// number returns the number of a block's first row.
func (m *MatchedRows) number(b spill.Block) int64 { return m.first[b.Place()] }

// Note records which of some right rows have had a partner; hit has a bit for each of them.
func (m *MatchedRows) Note(side *match.Side, hit []uint32) {
	numbers := numbersOf(side)
	for i := range side.Rows {
		if hit[i>>5]>>(i&31)&1 == 0 {
			continue
		}
		base, slot := numbers.Slot(i)
		n := base.I64[slot]
		if bit := uint32(1) << (n & 31); atomic.LoadUint32(&m.hit.S[n>>5])&bit == 0 {
			atomic.OrUint32(&m.hit.S[n>>5], bit)
		}
	}
}

// has reports whether the row with number n has had a partner.
func (m *MatchedRows) has(n int64) bool { return atomic.LoadUint32(&m.hit.S[n>>5])>>(n&31)&1 != 0 }

func numbersOf(side *match.Side) *vec.Vector { return side.Cols[len(side.Cols)-1] }

func (m *MatchedRows) free() {
	if m != nil {
		m.hit.Free()
	}
}

// unmatchedRows reads the right rows that have had no partner, after the last task.
type unmatchedRows struct {
	ctx     *op.Ctx
	matched *MatchedRows
	from    *partSource
	reader  *input.Reader
	rows    []int32
	output  func(right *match.Side, rows []int32) *vec.Batch
}

func (g *Grace) newUnmatchedRows(ctx *op.Ctx, right *input.Spec) *unmatchedRows {
	r := g.sides[match.RightSide]
	from := r.source(r.all())
	_ = from.Open(ctx) // never returns an error
	return &unmatchedRows{ctx: ctx, matched: g.matched, from: from, reader: right.NewReader(ctx), output: g.join.Unmatched()}
}

// next returns further rows, or nil at the end.
func (u *unmatchedRows) next() (*vec.Batch, error) {
	for {
		b, err := u.from.Next()
		if err != nil || b == nil {
			return nil, err
		}
		side, err := u.reader.Read(b)
		if err != nil {
			return nil, err
		}
		rows := u.rows[:0]
		for i, n := range numbersOf(side).I64[:side.Rows] {
			if !u.matched.has(n) {
				rows = append(rows, int32(i))
			}
		}
		if u.rows = rows; len(rows) > 0 {
			return u.output(side, rows), nil
		}
	}
}
