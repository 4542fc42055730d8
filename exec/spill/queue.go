package spill

import "sync"

// Task is a unit of work for one stream.
type Task[T any] struct {
	Work    T
	changes int // of the streams when it was taken
}

// Queue distributes work to the streams of an operator. A task that lacked memory while other
// streams held some is repeated once only one stream remains: see the package comment. No stream
// waits for another one, whose rows may never be read. The zero value is ready to use.
type Queue[T any] struct {
	mu      sync.Mutex
	todo    []Task[T]
	again   []Task[T]
	streams int
	changes int  // times that a stream began or ended
	over    bool // the last stream has left
}

// Add adds tasks; the last one is taken first.
func (q *Queue[T]) Add(more ...T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, work := range more {
		q.todo = append(q.todo, Task[T]{Work: work})
	}
}

// Join registers a stream.
func (q *Queue[T]) Join() { q.count(1) }

// Abandon unregisters a stream that is closed before its end.
func (q *Queue[T]) Abandon() { q.count(-1) }

func (q *Queue[T]) count(n int) {
	q.mu.Lock()
	q.streams += n
	q.changes++
	q.mu.Unlock()
}

// Leave unregisters a stream that found no task; left is false if it is the last one and must do
// the postponed tasks. last is true for exactly one stream: no other stream has a task or will
// get one, so it may free what tasks read, even while further streams begin.
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

// Postpone puts a task back for the last stream. The task's memory must have been freed. Postpone
// returns false if no other stream was active since the task was taken, because then another
// attempt cannot succeed.
func (q *Queue[T]) Postpone(later Task[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.streams == 1 && q.changes == later.changes {
		return false
	}
	q.again = append(q.again, later)
	return true
}
