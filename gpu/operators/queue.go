package operators

import (
	"context"
	"sync"
	"time"

	"gsql/exec/join/match"
	"gsql/internal/mem"
)

// patience is the time for which pairs stay in the device's staging memory while the consumer is
// slow or busy elsewhere. They are then moved to free the device.
const patience = 5 * time.Millisecond

// giveUp is the time for which a join that may not keep more pairs waits for a consumer to take
// some.
const giveUp = 10 * time.Second

// chunk is row pairs that no worker has taken yet, relative to the first rows of its part of the
// join.
type chunk struct {
	left, right         []int32
	fromLeft, fromRight int32
	held                *mem.Buffer[int32] // the memory of the pairs; nil means the producer's memory
}

// queue passes the pairs that one goroutine produces to the workers of a join. Waiting pairs are
// copied to memory of the query.
type queue struct {
	acct *mem.Account

	mu     sync.Mutex
	change sync.Cond // signals new pairs, or the end
	given  *chunk    // pairs whose producer waits, or nil
	kept   []*chunk
	took   int64 // number of pairs so far
	ended  bool
	err    error

	empty chan struct{} // receives once given has been taken
	begun chan struct{} // closed once the first pairs or the end have arrived
	first sync.Once
}

func newQueue(acct *mem.Account) *queue {
	q := &queue{acct: acct, empty: make(chan struct{}, 1), begun: make(chan struct{})}
	q.change.L = &q.mu
	return q
}

// give passes pairs on. The caller may reuse their memory once give has returned.
func (q *queue) give(ctx context.Context, c *chunk) error {
	q.mu.Lock()
	q.given = c
	q.change.Broadcast()
	q.mu.Unlock()
	q.first.Do(func() { close(q.begun) })
	refused, taken := time.Duration(0), int64(-1)
	for {
		select {
		case <-q.empty:
			return nil
		case <-ctx.Done():
			q.withdraw()
			return ctx.Err()
		case <-time.After(patience):
		}
		if now := q.taken(); now != taken {
			refused, taken = 0, now
			continue
		}
		err := q.keep()
		if err == nil {
			return nil
		}
		if refused += patience; refused >= giveUp {
			q.withdraw()
			return err
		}
	}
}

// taken returns how many pairs have been taken so far.
func (q *queue) taken() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.took
}

// keep copies the pairs that no worker has taken. The error is the account's refusal.
func (q *queue) keep() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.given == nil {
		<-q.empty
		return nil
	}
	c := *q.given
	n := len(c.left)
	b, err := mem.Alloc[int32](q.acct, 2*n)
	if err != nil {
		return err
	}
	copy(b.S[:n], c.left)
	copy(b.S[n:], c.right)
	c.left, c.right, c.held = b.S[:n], b.S[n:], b
	q.kept = append(q.kept, &c)
	q.given = nil
	return nil
}

// withdraw takes back the pairs that no worker has taken.
func (q *queue) withdraw() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.given == nil {
		<-q.empty
	}
	q.given = nil
}

// end marks the end of the pairs; a non-nil err is its cause.
func (q *queue) end(err error) {
	q.mu.Lock()
	q.ended, q.err = true, err
	q.change.Broadcast()
	q.mu.Unlock()
	q.first.Do(func() { close(q.begun) })
}

// failedEarly returns the error of a producer that ended before it produced any pairs.
func (q *queue) failedEarly() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.given == nil && len(q.kept) == 0 && q.took == 0 {
		return q.err
	}
	return nil
}

// take copies pairs to left and right, which are equally long, and waits for some. If it returns
// none, all have been taken, or the producer failed.
func (q *queue) take(left, right []int32) (n int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.given == nil && len(q.kept) == 0 && !q.ended {
		q.change.Wait()
	}
	if q.ended && q.err != nil {
		return 0, q.err
	}
	switch {
	case q.given != nil:
		if n = q.given.move(left, right); len(q.given.left) == 0 {
			q.given = nil
			q.empty <- struct{}{}
		}
	case len(q.kept) > 0:
		c := q.kept[len(q.kept)-1]
		if n = c.move(left, right); len(c.left) == 0 {
			c.held.Free()
			q.kept = q.kept[:len(q.kept)-1]
		}
	}
	q.took += int64(n)
	return n, nil
}

// move copies the first pairs to left and right and removes them.
func (c *chunk) move(left, right []int32) int {
	n := min(len(left), len(c.left))
	for i := range n {
		left[i] = c.left[i] + c.fromLeft
		right[i] = c.right[i] + c.fromRight
	}
	c.left, c.right = c.left[n:], c.right[n:]
	return n
}

// free releases the memory of pairs that no worker took. The producer has ended.
func (q *queue) free() {
	for _, c := range q.kept {
		c.held.Free()
	}
	q.kept = nil
}

// worker is a PairWorker that takes pairs from a queue.
type worker struct {
	q           *queue
	left, right []int32
}

// Next implements join.PairWorker.
func (w *worker) Next(limit int) (match.Pairs, bool, error) {
	if len(w.left) < limit {
		w.left, w.right = make([]int32, limit), make([]int32, limit)
	}
	n, err := w.q.take(w.left[:limit], w.right[:limit])
	return match.Pairs{Probe: w.left[:n], Build: w.right[:n]}, n == 0, err
}
