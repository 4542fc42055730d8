// Package group runs an algorithm on several devices of a machine at once: one goroutine for each
// device, which meet where they exchange what they know, and copies from one device to another that
// wait for the work that they depend on.
package group

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/sql/sqlerr"
)

// Group is the exclusive use of several engines of one machine.
type Group struct {
	Members []*Member

	mu     sync.Mutex
	round  *round
	failed chan struct{} // closed when a member of the running algorithm has failed
}

// Member is one device of a group, used by one goroutine at a time.
type Member struct {
	*engine.Task
	Number   int   // its index in the group
	Received int64 // bytes that Fetch has copied from other members

	group  *Group
	events []gpu.Event
	used   int // how many events the running algorithm has recorded
}

// Point is a point in the work of a member's stream.
type Point struct {
	device gpu.Device
	event  gpu.Event
}

// Begin waits until no task uses the engines, and begins one on each. It takes them in the order of
// their names, so that groups do not wait for each other in a circle. The caller must end the group.
func Begin(ctx context.Context, engines []*engine.Engine, operator string) (*Group, error) {
	g := &Group{Members: make([]*Member, len(engines))}
	order := make([]int, len(engines))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(engines[a].Name(), engines[b].Name()) })
	for _, i := range order {
		t, err := engines[i].Begin(ctx, operator)
		if err != nil {
			return nil, errors.Join(err, g.End())
		}
		g.Members[i] = &Member{Task: t, Number: i, group: g}
	}
	return g, nil
}

// errOther is the error of members that wait for one that has failed.
var errOther = errors.New("another device failed")

// Run runs f for all members at the same time and waits for their work, so that none reads memory
// that another one releases afterwards. Its error is that of the members that failed by themselves.
func (g *Group) Run(f func(m *Member) error) error {
	g.failed = make(chan struct{})
	g.round = newRound(len(g.Members))
	errs := make([]error, len(g.Members))
	var once sync.Once
	var wg sync.WaitGroup
	for i, m := range g.Members {
		m.used = 0
		wg.Go(func() {
			errs[i] = sqlerr.Guard(func() error { return f(m) })
			if errs[i] != nil {
				once.Do(func() { close(g.failed) })
			}
		})
	}
	wg.Wait()
	for i, m := range g.Members {
		errs = append(errs, m.Device.Sync(m.Copy), m.Device.Sync(m.Compute))
		if errors.Is(errs[i], errOther) {
			errs[i] = nil
		}
	}
	return errors.Join(errs...)
}

// End ends the task of each member.
func (g *Group) End() error {
	var errs []error
	for _, m := range g.Members {
		if m == nil {
			continue
		}
		for _, e := range m.events {
			errs = append(errs, m.Device.FreeEvent(e))
		}
		m.events = nil
		errs = append(errs, m.Task.End())
	}
	return errors.Join(errs...)
}

// round is one meeting.
type round struct {
	values  []any
	missing int
	done    chan struct{}
}

func newRound(n int) *round { return &round{make([]any, n), n, make(chan struct{})} }

// Share waits until all members call it and returns what each has brought. All members run the same
// algorithm and therefore meet in the same order.
func Share[T any](m *Member, mine T) ([]T, error) {
	values, err := m.group.meet(m.Number, mine)
	if err != nil {
		return nil, err
	}
	all := make([]T, len(values))
	for i, v := range values {
		all[i] = v.(T)
	}
	return all, nil
}

func (g *Group) meet(number int, mine any) ([]any, error) {
	g.mu.Lock()
	r := g.round
	r.values[number] = mine
	if r.missing--; r.missing == 0 {
		g.round = newRound(len(g.Members))
		close(r.done)
	}
	g.mu.Unlock()
	select {
	case <-r.done:
		return r.values, nil
	case <-g.failed:
		return nil, errOther
	}
}
