package chainlog

import (
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"gsql/internal/mem"
	"gsql/storage/vfs"
)

// Pos is a place between two records: the number of bytes of the log up to the end of a record.
type Pos int64

// Sync says when Commit returns.
type Sync int

// The modes of a log.
const (
	Full   Sync = iota // once the record is on stable storage
	Normal             // once the operating system has the record; it is synced within a second
	Off                // at once; the operating system has the record within a second
)

const (
	delay      = 500 * time.Millisecond // until records that nobody waits for are written
	maxWaiting = 64 << 20               // bytes of records that wait to be written
)

// Log is a log open for appending. It is safe for concurrent use.
type Log struct {
	file    vfs.File
	path    string // for messages
	account *mem.Account

	mu       sync.Mutex
	progress sync.Cond // a write or sync has ended
	waits    []*waiter // callers of reach that another one writes or syncs for
	mode     Sync
	err      error       // why the log takes no more records
	poisoned atomic.Bool // err is set
	closed   bool
	writing  bool
	syncing  bool
	marked   bool // the last record is a mark

	waiting buffer // records that are not written; they end at size
	spare   buffer
	most    int // bytes that may wait

	size      Pos // end of the last record appended
	written   Pos // end of what the operating system has
	durable   Pos // end of what is on stable storage
	allocated Pos // size of the file; only the one who is writing uses it

	header header
	chain  uint32 // checksum of all contents

	dirty   chan struct{} // something was appended since the background took its last turn
	closing chan struct{}
	ended   chan struct{}
}

// SetMode changes when Commit returns, for calls from now on.
func (l *Log) SetMode(mode Sync) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mode = mode
}

// Size returns the end of the last record appended.
func (l *Log) Size() Pos {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}

// Err returns why the log is poisoned, nil if it is not.
func (l *Log) Err() error {
	if !l.poisoned.Load() { // every transaction asks
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Sync returns once everything appended is on stable storage, whatever the mode.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.await(l.size, true)
}

// Commit waits until the record that ends at p is as durable as the mode says. After an error it is
// unknown whether the record will be there when the log is read again.
func (l *Log) Commit(p Pos) error {
	l.mu.Lock()
	switch {
	case p > l.size:
		defer l.mu.Unlock()
		return fmt.Errorf("%s: commit of position %d behind the end %d", l.path, p, l.size)
	case l.mode == Off:
		defer l.mu.Unlock()
		return l.err
	}
	return l.reach(p, l.mode == Full)
}

// Close makes what was appended durable and closes the file. If the log is poisoned, Close returns
// the reason, and the file is left as it is.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	l.mu.Unlock()
	close(l.closing)
	<-l.ended
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.finish()
	for l.writing || l.syncing {
		l.progress.Wait()
	}
	l.waiting.free()
	l.spare.free()
	if closed := l.file.Close(); err == nil {
		err = closed
	}
	return err
}

// usable returns why the log takes no more records.
func (l *Log) usable() error {
	if l.closed {
		return &fs.PathError{Op: "append", Path: l.path, Err: fs.ErrClosed}
	}
	return l.err
}
