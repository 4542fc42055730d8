package join

import (
	"sync"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/vec"
)

// tail deals out what a join gives for its left rows after all pairs are found, when
// the left side is held whole and all streams share its marks.
type tail struct {
	mu        sync.Mutex
	marks     marks
	held      holdings
	finding   int  // streams that may still find pairs
	abandoned bool // one was closed before it had found all of its pairs
	next      int  // first left row not dealt out
}

// newTail makes marks for the left rows, unless the kind needs none.
func newTail(p *plan, acct *mem.Account, rows int) (*tail, error) {
	t := &tail{marks: marks{shared: true}}
	if p.kind == logical.Inner {
		return t, nil
	}
	hit, err := mem.Alloc[uint32](acct, words(rows))
	if err != nil {
		return nil, err
	}
	t.held.add(hit)
	t.marks.hit = hit.S
	if !p.nullAware {
		return t, nil
	}
	unknown, err := mem.Alloc[uint32](acct, words(rows))
	if err != nil {
		t.held.free()
		return nil, err
	}
	t.held.add(unknown)
	t.marks.unknown = unknown.S
	return t, nil
}

// join counts one more stream that finds pairs.
func (t *tail) join() {
	t.mu.Lock()
	t.finding++
	t.mu.Unlock()
}

// leave says that a stream finds no more pairs; complete is false when it gave up.
func (t *tail) leave(complete bool) {
	t.mu.Lock()
	t.finding--
	t.abandoned = t.abandoned || !complete
	t.mu.Unlock()
}

// claim gives the next rows to finish, up to limit; from = to when there are none for
// this stream. Only what is left when every stream has found its pairs is dealt out:
// a stream that leaves earlier gets nothing, the last one everything.
func (t *tail) claim(rows, limit int) (from, to int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.finding > 0 || t.abandoned {
		return 0, 0
	}
	from = t.next
	t.next = min(from+limit, rows)
	return from, t.next
}

// rest gives the next batch of the second phase of a stream.
func (t *tail) rest(ctx *op.Ctx, f *finisher, left *Side) (*vec.Batch, error) {
	if f.plan.kind == logical.Inner {
		return nil, nil
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from, to := t.claim(left.Rows, ctx.Rows())
		if from == to {
			return nil, nil
		}
		b, err := f.rest(left, from, to)
		if b != nil || err != nil {
			return b, err
		}
	}
}
