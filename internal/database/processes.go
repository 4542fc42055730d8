package database

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
	"weak"

	"gsql/sql/infoschema"
)

// Processes holds the processes of a DB by their ids. References are weak, because sessions need
// not be closed. The zero value is empty. Safe for concurrent use.
type Processes struct {
	mu     sync.Mutex
	byID   map[uint64]weak.Pointer[Process]
	lastID uint64
}

// Start returns a new idle process, with the next id from 1, whose current database is db.
func (l *Processes) Start(db string) *Process {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[uint64]weak.Pointer[Process]{}
	}
	l.lastID++
	p := &Process{ID: l.lastID}
	p.Ended(db)
	l.byID[p.ID] = weak.Make(p)
	runtime.AddCleanup(p, l.Remove, p.ID)
	return p
}

// Started returns the number of processes started so far.
func (l *Processes) Started() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastID
}

// Remove forgets a process.
func (l *Processes) Remove(id uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.byID, id)
}

// Find returns the process of an id, or nil.
func (l *Processes) Find(id uint64) *Process {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[id].Value()
}

// All returns the processes in the order in which they were started.
func (l *Processes) All() []*Process {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*Process
	for _, p := range l.byID {
		if s := p.Value(); s != nil {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *Process) int { return int(int64(a.ID) - int64(b.ID)) })
	return out
}

// Process is the part of a session that other sessions see, and through which they end its
// statements. Safe for concurrent use.
type Process struct {
	ID uint64

	mu       sync.Mutex
	text     string             // of the statement that runs
	cancel   context.CancelFunc // nil between statements
	since    time.Time
	database string
	stopped  error // why the session runs no more statements, or nil
}

// Began records that a statement runs, which cancel ends. The error is the reason passed to Stop.
func (p *Process) Began(text, database string, cancel context.CancelFunc) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped != nil {
		return p.stopped
	}
	p.text, p.cancel, p.database, p.since = text, cancel, database, time.Now()
	return nil
}

// Ended records that no statement runs.
func (p *Process) Ended(database string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.cancel, p.database, p.since = "", nil, database, time.Now()
}

// Interrupt cancels the statement that runs, if any.
func (p *Process) Interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cancel != nil {
		p.cancel()
	}
}

// Stop cancels the running statement and makes all later ones fail with why. The first reason wins.
// It reports whether a statement is still running.
func (p *Process) Stop(why error) (running bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped == nil {
		p.stopped = why
	}
	if p.cancel != nil {
		p.cancel()
	}
	return p.cancel != nil
}

// Stopped returns why the session runs no more statements, or nil.
func (p *Process) Stopped() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stopped
}

// Describe returns the process in the form that PROCESSLIST shows.
func (p *Process) Describe() infoschema.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := infoschema.Process{
		ID: p.ID, User: "gsql", Host: "localhost", DB: p.database, Command: "Sleep", Seconds: int64(time.Since(p.since).Seconds()), Info: p.text,
	}
	if p.cancel != nil {
		out.Command, out.State = "Query", "executing"
	}
	return out
}
