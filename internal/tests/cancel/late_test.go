package cancel_test

import (
	"context"
	"testing"
	"time"

	"gsql"
	"gsql/internal/cputime"
)

const (
	// workers is the number of goroutines that each statement uses.
	workers = 2
	// soon is how long each of them may run on after a cancel.
	soon = 100 * time.Millisecond
	// tries is how often a statement that went on too long is run: other programs on the machine
	// take away caches, and the collection of garbage may fall into this time.
	tries = 5
)

// lateLimit returns how much processor time the process may use after a cancel. Unlike the time on the
// clock, it does not grow when the machine is busy. Short runs look for races, with code that is far slower.
func lateLimit() time.Duration {
	if testing.Short() {
		return 20 * soon * workers
	}
	return soon * workers
}

// endsSoonAfter runs a statement for some processor time, or to its end, and reports an error if it goes on for long
// after it was cancelled, each time it is tried. It calls reset after each run. It returns the least
// processor time used after a cancel, 0 if the statement ended before, and the statement's last error.
func endsSoonAfter(t *testing.T, s *gsql.Session, name, sql string, after time.Duration, reset func()) (late time.Duration, err error) {
	t.Helper()
	var wall time.Duration
	for try := range tries {
		var used, passed time.Duration
		used, passed, err = cancelAfter(s, sql, after)
		reset()
		if try == 0 || used < late {
			late, wall = used, passed
		}
		if late <= lateLimit() {
			break
		}
	}
	t.Logf("%s: it went on for %.1f ms (%.1f ms of processor time) and ended with %v", name, ms(wall), ms(late), err)
	if late > lateLimit() {
		t.Errorf("%s: cancelled after %v, it used %v of processor time in %v, more than %v: %.300s", name, after, late, wall, lateLimit(), sql)
	}
	return late, err
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// mostWait is how long a statement that uses hardly any processor time runs before it is cancelled, as a
// multiple of the time that it is given.
const mostWait = 20

// cancelAfter runs a statement until the process has used some processor time, or to its end. It returns
// the processor time used between the cancel and the end, and the time that passed; both are 0 if the
// statement ended before.
func cancelAfter(s *gsql.Session, sql string, after time.Duration) (used, passed time.Duration, err error) {
	type moment struct {
		used time.Duration
		at   time.Time
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	now := func() moment { return moment{cputime.Used(), time.Now()} }
	ended, stopped := make(chan struct{}), make(chan moment, 1)
	start := now()
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond / 2):
			}
			if at := now(); at.used-start.used >= after || at.at.Sub(start.at) >= mostWait*after {
				stopped <- at
				cancel()
				return
			}
		}
	}()
	_, _, err = s.Exec(ctx, sql)
	end := now()
	close(ended)
	if at, ok := <-stopped; ok {
		used, passed = max(end.used-at.used, 1), max(end.at.Sub(at.at), 1)
	}
	return used, passed, err
}
