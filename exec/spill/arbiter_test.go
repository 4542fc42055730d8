package spill

import (
	"context"
	"errors"
	"sync"
	"testing"

	"gsql/sql/sqlerr"
)

// errFull is the error of an account without free memory.
var errFull = sqlerr.New(sqlerr.OutOfMemory, "full")

// holder holds rows until they are spilled.
type holder struct{ rows int }

func (h *holder) Rows() int { return h.rows }

func (h *holder) Put() error {
	h.rows = 0
	return nil
}

// untilWaiting waits until n workers of r are waiting.
func untilWaiting(r *Arbiter, n int) {
	for waiting := false; !waiting; {
		r.mu.Lock()
		waiting = r.waiting == n
		r.mu.Unlock()
	}
}

// TestArbiter checks that a waiting worker gets the memory of one that has ended or has spilled
// rows, and that waiting fails if no other worker remains.
func TestArbiter(t *testing.T) {
	r := NewArbiter(context.Background())
	r.Begin()
	if made, err := r.Wait(); made || err != nil {
		t.Errorf("alone: %v, %v", made, err)
	}
	ended := &holder{rows: 5}
	r.Begin()
	r.End(ended)
	if made, err := r.Wait(); !made || err != nil || ended.rows != 0 {
		t.Errorf("beside one that ended: %v, %v, it holds %d rows", made, err, ended.rows)
	}
	r.Begin()
	made := make(chan bool)
	wait := func() {
		ok, err := r.Wait()
		made <- ok && err == nil
	}
	go wait()
	untilWaiting(r, 1)
	if err := r.Put(&holder{}); err != nil || !<-made {
		t.Errorf("beside one that put rows away: in vain, %v", err)
	}
	go wait()
	untilWaiting(r, 1)
	r.End(nil)
	if !<-made {
		t.Error("when the last one ended: in vain")
	}
	if made, err := r.Wait(); made || err != nil {
		t.Errorf("after the last one ended: %v, %v", made, err)
	}
}

// TestLastOneIsAlone checks that, if all workers lack memory, the last one tries again while the
// others wait, and that these continue once it has succeeded.
func TestLastOneIsAlone(t *testing.T) {
	r := NewArbiter(context.Background())
	r.Begin()
	r.Begin()
	first := make(chan error)
	go func() {
		defer r.End(nil)
		n := 0
		first <- r.Add(&holder{}, func() error {
			if n++; n == 1 {
				return errFull
			}
			return nil
		})
	}()
	untilWaiting(r, 1)
	tries := 0
	err := r.Add(&holder{}, func() error {
		if tries++; tries == 1 {
			return errFull
		}
		if r.waiting != 1 {
			t.Error("the other one does not wait")
		}
		return nil
	})
	if err != nil || tries != 2 {
		t.Errorf("%v after %d tries", err, tries)
	}
	r.End(nil)
	if err := <-first; err != nil {
		t.Errorf("who waited: %v", err)
	}
}

// TestWaitIsCancelled checks that a worker stops waiting when its query is cancelled.
func TestWaitIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := NewArbiter(ctx)
	r.Begin()
	r.Begin()
	done := make(chan error)
	go func() { done <- r.Add(&holder{}, func() error { return errFull }) }()
	untilWaiting(r, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || r.waiting != 0 || r.active != 2 {
		t.Errorf("%v; %d active, %d waiting", err, r.active, r.waiting)
	}
}

// TestScarceMemory runs workers that hold a row while they request the next. To add a row, a worker
// must find memory for two, which is all there is.
func TestScarceMemory(t *testing.T) {
	const workers, rows, limit = 8, 200, 2
	r := NewArbiter(context.Background())
	var mu sync.Mutex
	used, put := 0, 0
	var all sync.WaitGroup
	for range workers {
		h := &counted{mu: &mu, used: &used, put: &put}
		r.Begin()
		all.Go(func() {
			defer r.End(h)
			for range rows {
				if err := r.Add(h, h.add(limit)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if used+put != workers*rows || used > limit {
		t.Errorf("%d rows in memory, %d put away", used, put)
	}
}

// counted holds a worker's rows in a small memory that all workers share and mu guards.
type counted struct {
	mu        *sync.Mutex
	used, put *int
	rows      int
}

func (c *counted) Rows() int { return c.rows }

func (c *counted) Put() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.used, *c.put, c.rows = *c.used-c.rows, *c.put+c.rows, 0
	return nil
}

// add returns a function that adds a row. There must be space for another row as well.
func (c *counted) add(limit int) func() error {
	return func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if *c.used+2 > limit {
			return errFull
		}
		*c.used++
		c.rows++
		return nil
	}
}

// TestQueue checks that a task that lacks memory while another stream has a task is postponed until
// only one stream remains.
func TestQueue(t *testing.T) {
	var queue Queue[string]
	queue.Add("b", "a")
	queue.Join()
	queue.Join()
	a, _ := queue.Take()
	b, ok := queue.Take()
	if a.Work != "a" || b.Work != "b" || !ok {
		t.Fatalf("%v, then %v", a, b)
	}
	if !queue.Postpone(b) {
		t.Error("not postponed beside another stream")
	}
	if _, ok := queue.Take(); ok {
		t.Error("taken beside another stream")
	}
	if left, last := queue.Leave(); !left || last {
		t.Error("the other stream is to do the rest")
	}
	if left, last := queue.Leave(); left || last {
		t.Error("the last stream leaves work")
	}
	if b, ok = queue.Take(); !ok || b.Work != "b" {
		t.Errorf("the last stream gets %v", b)
	}
	if queue.Postpone(b) {
		t.Error("postponed alone")
	}
	if left, last := queue.Leave(); !left || !last {
		t.Error("nothing is left")
	}
	queue.Join()
	if left, last := queue.Leave(); !left || last {
		t.Error("a stream that began late is the last one once more")
	}
}
