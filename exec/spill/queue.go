package spill

import "sync"

// Task is work for one stream at a time.
type Task[T any] struct {
	Work    T
	changes int // of the streams when it was taken
}

// Queue deals out work to the streams of an operator. A task that lacked memory while other
// streams held some is done again once a single stream is left: see the package comment. No
// stream waits for another one, whose rows may never be read. The zero value is ready to use.
type Queue[T any] struct {
	mu      sync.Mutex
	todo    []Task[T]
	again   []Task[T]
	streams int
	changes int  // times that a stream began or ended
	over    bool // a stream has left that was the last one
}

// Add makes further tasks, of which the last is taken first.
func (q *Queue[T]) Add(more ...T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, work := range more {
		q.todo = append(q.todo, Task[T]{Work: work})
	}
}

// Join counts a stream.
func (q *Queue[T]) Join() { q.count(1) }

// Abandon counts a stream out that is closed before its end.
func (q *Queue[T]) Abandon() { q.count(-1) }

func (q *Queue[T]) count(n int) {
	q.mu.Lock()
	q.streams += n
	q.changes++
	q.mu.Unlock()
}

// Leave counts out a stream that found no task; left is false if it is the last one and must do the
// postponed tasks. last is true for one stream, once: no other stream has a task or will get one, so
// it may free what tasks read, even while further streams begin.
func (q *Queue[T]) Leave() (left, last bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.streams == 1 && len(q.again) > 0 {
		return false, false
	}
	q.streams--
	q.changes++
	last = q.streams == 0 && !q.over
	q.over = q.over || last
	return true, last
}

// Take returns the next task, or false at the end.
func (q *Queue[T]) Take() (next Task[T], ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	from := &q.todo
	if len(*from) == 0 && q.streams == 1 {
		from = &q.again
	}
	n := len(*from)
	if n == 0 {
		return next, false
	}
	next, *from = (*from)[n-1], (*from)[:n-1]
	next.changes = q.changes
	return next, true
}

// Postpone puts a task, whose memory must have been freed, back for the last stream. It returns false
// if no other stream was active since the task was taken, because then another attempt cannot do
// better.
func (q *Queue[T]) Postpone(later Task[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.streams == 1 && q.changes == later.changes {
		return false
	}
	q.again = append(q.again, later)
	return true
}
