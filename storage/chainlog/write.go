package chainlog

import (
	"fmt"
	"runtime"
	"time"
)

// Space is allocated ahead of records, so that a sync of a few records has no metadata to write:
// an eighth of the file's size, between these bounds.
const (
	minAhead = 1 << 14
	maxAhead = 1 << 20
)

// await is like reach, but l.mu is held again when it returns.
func (l *Log) await(p Pos, durable bool) error {
	err := l.reach(p, durable)
	l.mu.Lock()
	return err
}

// reach returns once the log up to p is written or, if durable, synced. It does what is needed
// itself unless another caller is at it; callers that wait meanwhile share the next turn. l.mu is
// held, and released when reach returns.
func (l *Log) reach(p Pos, durable bool) error {
	yielded := false
	for {
		switch {
		case l.durable >= p, l.err != nil, !durable && l.written >= p:
			var err error
			if l.durable < p {
				err = l.err
			}
			l.pass()
			l.mu.Unlock()
			return err
		case l.writing || durable && l.syncing:
			if l.wait(p, durable) {
				return nil
			}
			l.mu.Lock()
		case l.written < p && durable && !yielded:
			// Callers whose commit has just ended are about to append their next record.
			yielded = true
			l.mu.Unlock()
			runtime.Gosched()
			l.mu.Lock()
		case l.written < p:
			l.write()
		default:
			l.sync()
		}
	}
}

// write writes the records that wait.
func (l *Log) write() {
	l.writing = true
	batch, end := l.waiting, l.size
	l.waiting, l.spare = l.spare, buffer{}
	l.mu.Unlock()
	err := l.writeBatch(&batch, end)
	l.mu.Lock()
	l.writing = false
	batch.reset()
	l.spare = batch
	if err != nil {
		l.poison(err)
	} else {
		l.written = end
	}
	l.wake()
}

// writeBatch writes records that end at end.
func (l *Log) writeBatch(batch *buffer, end Pos) error {
	from := end - Pos(batch.n)
	if end > l.allocated {
		l.allocated = end
		if ahead := min(max(end/8, minAhead), maxAhead); batch.n <= int(ahead) {
			l.allocated = (end + ahead) &^ (minAhead - 1)
			zeros, err := batch.extend(l.account, int(l.allocated-end))
			if err != nil {
				return err
			}
			clear(zeros)
		}
	}
	_, err := l.file.WriteAt(batch.bytes(), int64(from))
	return err
}

// sync makes durable what is written.
func (l *Log) sync() {
	l.syncing = true
	end := l.written
	l.mu.Unlock()
	err := l.file.Sync()
	l.mu.Lock()
	l.syncing = false
	if err != nil {
		l.poison(err)
	} else {
		l.durable = max(l.durable, end)
	}
	l.wake()
}

// poison keeps the first error. Nothing is written or synced from then on.
func (l *Log) poison(err error) {
	if l.err == nil {
		l.err = fmt.Errorf("the log %s takes no more records: %w", l.path, err)
		l.poisoned.Store(true)
	}
}

// background writes and syncs records for which no Commit waits, as the mode says.
func (l *Log) background() error {
	for {
		select {
		case <-l.dirty:
		case <-l.closing:
			return nil
		}
		select {
		case <-time.After(delay):
		case <-l.closing:
			return nil
		}
		l.mu.Lock()
		_ = l.await(l.size, l.mode != Off) // an error has poisoned the log
		l.mu.Unlock()
	}
}

// finish makes all records durable, says so in a mark, and removes the space allocated ahead.
func (l *Log) finish() error {
	if err := l.await(l.size, true); err != nil {
		return err
	}
	if !l.marked {
		if err := l.add(typeMark, 0, nil); err != nil {
			return err
		}
		if err := l.await(l.size, false); err != nil {
			return err
		}
	}
	for l.writing || l.syncing {
		l.progress.Wait()
	}
	if l.durable == l.size && l.allocated == l.size {
		return nil
	}
	if err := l.file.Truncate(int64(l.size)); err != nil {
		l.poison(err)
		return l.err
	}
	l.sync()
	return l.err
}
