package spill

import "sync"

// Turn is work for one stream at a time.
type Turn[T any] struct {
	Work    T
	changes int // of the streams when it was taken
}

// Turns deals out work to the streams of an operator. A turn that lacked memory while other
// streams held some is done again once a single stream is left: see the package comment. No
// stream waits for another one, whose rows may never be read. The zero value is ready to use.
type Turns[T any] struct {
	mu      sync.Mutex
	todo    []Turn[T]
	again   []Turn[T]
	streams int
	changes int  // times that a stream began or ended
	over    bool // a stream has left that was the last one
}

// Add makes further turns, of which the last is taken first.
func (t *Turns[T]) Add(more ...T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, work := range more {
		t.todo = append(t.todo, Turn[T]{Work: work})
	}
}

// Join counts a stream.
func (t *Turns[T]) Join() { t.count(1) }

// Abandon counts a stream out that is closed before its end.
func (t *Turns[T]) Abandon() { t.count(-1) }

func (t *Turns[T]) count(n int) {
	t.mu.Lock()
	t.streams += n
	t.changes++
	t.mu.Unlock()
}

// Leave counts out a stream that found no turn; left is false if it is the last one and must do the
// postponed turns. last is true for one stream, once: no other stream has a turn or will get one, so
// it may free what turns read, even while further streams begin.
func (t *Turns[T]) Leave() (left, last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.streams == 1 && len(t.again) > 0 {
		return false, false
	}
	t.streams--
	t.changes++
	last = t.streams == 0 && !t.over
	t.over = t.over || last
	return true, last
}

// Take returns the next turn, or false at the end.
func (t *Turns[T]) Take() (next Turn[T], ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := &t.todo
	if len(*from) == 0 && t.streams == 1 {
		from = &t.again
	}
	n := len(*from)
	if n == 0 {
		return next, false
	}
	next, *from = (*from)[n-1], (*from)[:n-1]
	next.changes = t.changes
	return next, true
}

// Postpone puts a turn, whose memory must have been freed, back for the last stream. It returns false
// if no other stream was active since the turn was taken, because then another attempt cannot do
// better.
func (t *Turns[T]) Postpone(later Turn[T]) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.streams == 1 && t.changes == later.changes {
		return false
	}
	t.again = append(t.again, later)
	return true
}
