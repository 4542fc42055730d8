package join

import (
	"sync"

	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// tail distributes among the streams the output that a join adds, after all pairs are found, for
// the rows of sides that it holds whole. All streams share the marks of these rows.
type tail struct {
	mu        sync.Mutex
	sides     [2]remainder
	held      mem.Buffers
	finding   int  // streams that may still find pairs
	abandoned bool // a stream was closed before it had found all its pairs
}

// remainder is a side whose rows have not all been distributed.
type remainder struct {
	side  *match.Side
	marks *marks // nil if the kind of join needs none
	next  int    // first row not distributed
}

// newTail makes marks for the rows of the sides that are not nil, as far as the kind of join
// needs them.
func newTail(p *plan, acct *mem.Account, sides [2]*match.Side) (*tail, error) {
	t := &tail{}
	for which, side := range sides {
		if side == nil || !p.marks(which) {
			continue
		}
		m := &marks{shared: true}
		t.sides[which] = remainder{side: side, marks: m}
		bits := []*[]uint32{&m.hit}
		if p.nullAware {
			bits = append(bits, &m.unknown)
		}
		for _, b := range bits {
			buf, err := mem.Alloc[uint32](acct, words(side.Rows))
			if err != nil {
				t.held.Free()
				return nil, err
			}
			t.held.Add(buf)
			*b = buf.S
		}
	}
	return t, nil
}

// join registers a further stream that finds pairs.
func (t *tail) join() {
	t.mu.Lock()
	t.finding++
	t.mu.Unlock()
}

// leave records that a stream finds no more pairs; complete is false if it was closed early.
func (t *tail) leave(complete bool) {
	t.mu.Lock()
	t.finding--
	t.abandoned = t.abandoned || !complete
	t.mu.Unlock()
}

// claim returns the next rows to finish, at most limit; side is nil if there are none for this
// stream. Nothing is distributed before every stream has found its pairs: streams that leave
// earlier get nothing, the last one gets everything.
func (t *tail) claim(limit int) (which int, side *match.Side, from, to int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.finding > 0 || t.abandoned {
		return 0, nil, 0, 0
	}
	for which := range t.sides {
		if s := &t.sides[which]; s.side != nil && s.next < s.side.Rows {
			from = s.next
			s.next = min(from+limit, s.side.Rows)
			return which, s.side, from, s.next
		}
	}
	return 0, nil, 0, 0
}

// rest returns the next batch of the second phase of a stream.
func (t *tail) rest(ctx *op.Ctx, f *finisher) (*vec.Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		which, side, from, to := t.claim(ctx.Rows())
		if side == nil {
			return nil, nil
		}
		b, err := f.rest(which, side, from, to)
		if b != nil || err != nil {
			return b, err
		}
	}
}
