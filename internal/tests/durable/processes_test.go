package durable_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gsql/internal/sqltest"
	"gsql/storage/vfs"
)

// TestReadersOfAnotherProcess opens a folder for reading while another process changes it: each
// reader sees, of each session, all that was reported before it opened the folder and at most a few
// transactions more than what was reported since, and goes on to see the same while tables change, are
// dropped, and checkpoints run. A second writer is refused and told which process is the first.
// GSQL_SEED and GSQL_FOR=10m work as in TestCrashes.
func TestReadersOfAnotherProcess(t *testing.T) {
	v := newVictims(t, sqltest.Seed(t), "full")
	budget := sqltest.NewBudget(t, 6)
	var mu sync.Mutex
	var acked [victimSessions]int
	reported := func() [victimSessions]int {
		mu.Lock()
		defer mu.Unlock()
		return acked
	}
	opened := make(chan *os.Process, 1)
	ended := v.start(func(session, n int) {
		mu.Lock()
		defer mu.Unlock()
		acked[session] = n
	}, func(p *os.Process) { opened <- p })
	p := <-opened
	fs, err := vfs.Dir(v.folder)
	must(t, err)
	readers := 0
	for ; budget.Next() && !t.Failed(); readers++ {
		time.Sleep(time.Duration(v.r.Int64N(int64(30 * time.Millisecond))))
		v.reader(fs, p.Pid, reported)
	}
	must(t, p.Kill())
	ended()
	v.examine(acked)
	must(t, v.memory.db.Close())
	t.Logf("%d readers, %v transactions", readers, acked)
}

// unread bounds the reports of a session that the process has written and the test has not read yet.
const unread = 500

// reader opens the folder for reading, and looks twice.
func (v *victims) reader(fs vfs.FS, pid int, reported func() [victimSessions]int) {
	var locked *vfs.LockedError
	if _, err := open(fs, settings{}); !errors.As(err, &locked) || !strings.Contains(err.Error(), strconv.Itoa(pid)) {
		v.t.Errorf("a second writer beside process %d gets: %v", pid, err)
	}
	least := reported()
	w, err := open(fs, settings{readonly: true})
	must(v.t, err)
	most := reported()
	got, err := w.look()
	must(v.t, err)
	time.Sleep(20 * time.Millisecond)
	again, err := w.look()
	must(v.t, err)
	if again.text != got.text {
		v.t.Errorf("a reader saw\n%s\nand then\n%s", got.text, again.text)
	}
	must(v.t, w.db.Close())
	for i := range victimSessions {
		v.session(i, least[i], most[i]+unread, got)
	}
}
