package sort

import "sync"

// room lets workers that lack memory and have nothing to put away themselves wait for the
// others.
type room struct {
	mu      sync.Mutex
	change  *sync.Cond
	active  int          // workers that collect and do not wait
	ended   []*collector // of workers that have collected all; they still hold their rows
	spilled int          // times that memory became free
}

func newRoom() *room {
	r := &room{}
	r.change = sync.NewCond(&r.mu)
	return r
}

// begin counts a worker that collects.
func (r *room) begin() {
	r.mu.Lock()
	r.active++
	r.mu.Unlock()
}

// made tells that memory became free.
func (r *room) made() {
	r.mu.Lock()
	r.spilled++
	r.mu.Unlock()
	r.change.Broadcast()
}

// end says that the worker of c collects no more. Others may put away what it holds.
func (r *room) end(c *collector) {
	r.mu.Lock()
	r.active--
	if c.store.Rows() > 0 {
		r.ended = append(r.ended, c)
	}
	r.mu.Unlock()
	r.change.Broadcast()
}

// wait puts away the rows of a worker that has ended, or waits until another one did so with
// its own. It is false where nobody is left who could.
func (r *room) wait() (bool, error) {
	r.mu.Lock()
	before := r.spilled
	r.active--
	for r.spilled == before && len(r.ended) == 0 && r.active > 0 {
		r.change.Wait()
	}
	r.active++
	var c *collector
	if n := len(r.ended); r.spilled == before && n > 0 {
		c = r.ended[n-1]
		r.ended = r.ended[:n-1]
	}
	made := r.spilled != before
	r.mu.Unlock()
	if c == nil {
		return made, nil
	}
	return true, c.spill()
}
