package operators

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
)

// giveAll sends n pairs (i, n-i) in chunks from one buffer, which it spoils after each.
func giveAll(ctx context.Context, q *queue, n int) error {
	r := rand.New(rand.NewPCG(1, 2))
	left, right := make([]int32, 100), make([]int32, 100)
	for done := 0; done < n; {
		size := min(n-done, 1+r.IntN(100))
		for i := range size {
			left[i], right[i] = int32(i), int32(n-done-i)
		}
		err := q.give(ctx, &chunk{left: left[:size], right: right[:size], fromLeft: int32(done)})
		if err != nil {
			return err
		}
		for i := range left {
			left[i], right[i] = -1, -1
		}
		done += size
	}
	return nil
}

// takeAll takes pairs until the end, waiting before each take, and counts them by left row.
func takeAll(t *testing.T, q *queue, n int, wait time.Duration, seen []int, mu *sync.Mutex) error {
	w := &worker{q: q}
	for {
		time.Sleep(wait)
		p, done, err := w.Next(37)
		if err != nil || done {
			return err
		}
		mu.Lock()
		for i, l := range p.Probe {
			if p.Build[i] != int32(n)-l {
				t.Errorf("pair (%d, %d), want (%d, %d)", l, p.Build[i], l, int32(n)-l)
			}
			seen[l]++
		}
		mu.Unlock()
	}
}

// TestQueue passes pairs to fast workers, and to workers so slow that pairs move to memory of the
// query: each pair arrives once, and no memory remains allocated.
func TestQueue(t *testing.T) {
	for _, workers := range []int{1, 3} {
		for _, wait := range []time.Duration{0, 3 * patience} {
			synctest.Test(t, func(t *testing.T) {
				const n = 5000
				acct := mem.NewRoot("query", 0)
				q := newQueue(acct)
				var all sync.WaitGroup
				all.Go(func() { q.end(giveAll(t.Context(), q, n)) })
				seen, mu := make([]int, n), sync.Mutex{}
				for range workers {
					all.Go(func() {
						if err := takeAll(t, q, n, wait, seen, &mu); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				q.free()
				for l, times := range seen {
					if times != 1 {
						t.Fatalf("%d workers: row %d came %d times", workers, l, times)
					}
				}
				if kept := acct.Peak() > 0; kept != (wait > 0) || acct.Used() != 0 {
					t.Errorf("%d workers that wait %v: peak %d bytes, %d at the end", workers, wait, acct.Peak(), acct.Used())
				}
			})
		}
	}
}

// TestQueueWithoutMemory: a worker that takes something now and then gets all pairs, one
// that takes nothing gets the account's refusal.
func TestQueueWithoutMemory(t *testing.T) {
	for wait, want := range map[time.Duration]error{giveUp / 2: nil, 2000 * giveUp: sqlerr.OutOfMemory} {
		synctest.Test(t, func(t *testing.T) {
			const n = 500
			q := newQueue(mem.NewRoot("query", 1))
			var all sync.WaitGroup
			all.Go(func() { q.end(giveAll(t.Context(), q, n)) })
			seen, mu := make([]int, n), sync.Mutex{}
			if err := takeAll(t, q, n, wait, seen, &mu); !errors.Is(err, want) {
				t.Errorf("a worker that waits %v: %v, want %v", wait, err, want)
			}
			all.Wait()
		})
	}
}

// TestQueueCancelled checks that a producer whose pairs no one takes ends with the query.
func TestQueueCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		q := newQueue(mem.NewRoot("query", 1))
		var all sync.WaitGroup
		all.Go(func() { q.end(giveAll(ctx, q, 500)) })
		<-q.begun
		time.Sleep(patience / 2)
		cancel()
		all.Wait()
		if n, err := q.take(make([]int32, 9), make([]int32, 9)); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%d pairs, %v after the end", n, err)
		}
	})
}

// TestQueueFailedEarly: only a giver without any pairs lets the CPU take over.
func TestQueueFailedEarly(t *testing.T) {
	broken := errors.New("broken")
	q := newQueue(mem.NewRoot("query", 0))
	q.end(broken)
	if err := q.failedEarly(); !errors.Is(err, broken) {
		t.Errorf("without pairs: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(mem.NewRoot("query", 0))
		if err := giveAll(t.Context(), q, 10); err != nil {
			t.Fatal(err)
		}
		q.end(broken)
		if err := q.failedEarly(); err != nil {
			t.Errorf("with pairs kept: %v", err)
		}
		q.free()
	})
}
