package durable_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
	"gsql/storage/durable"
	"gsql/storage/vfs"
)

// TestMain lets the test's program be the process that TestKills kills.
func TestMain(m *testing.M) {
	if spec := os.Getenv(victimVariable); spec != "" {
		if err := victim(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// victimVariable has the folder, the mode of gsql_sync, the seed and the number of transactions that
// each session has committed, separated by commas.
const victimVariable = "GSQL_TEST_VICTIM"

// victimSessions is the number of sessions of a victim.
const victimSessions = 4

// TestKills kills a process while several of its sessions commit, and opens the folder: it must have
// all transactions that the process has reported, and at most one more of each session. With
// gsql_sync = off some of the last ones may be missing, those of each session from the end.
// GSQL_SEED and GSQL_FOR=10m work as in TestCrashes.
func TestKills(t *testing.T) {
	seed, budget := sqltest.Seed(t), sqltest.NewBudget(t, 3)
	modes := []string{"full", "normal", "off"}
	kills, commits := map[string]int{}, map[string]int{}
	folders := map[string]*victims{}
	for n := 0; budget.Next() && !t.Failed(); n++ {
		mode := modes[n%3]
		if n >= 3 && n%10 > 1 {
			mode = "full"
		}
		if folders[mode] == nil {
			folders[mode] = newVictims(t, seed, mode)
		}
		commits[mode] += folders[mode].kill()
		kills[mode]++
	}
	described := 0
	for _, v := range folders {
		got, err := v.memory.look()
		must(t, err)
		described += len(got.text)
		must(t, v.memory.db.Close())
	}
	t.Logf("kills %v, transactions %v; bytes of the last descriptions %d", kills, commits, described)
}

// victims are the processes that change one folder, one after another, and what they must leave.
type victims struct {
	t      *testing.T
	r      *rand.Rand
	seed   uint64
	mode   string
	folder string
	memory *world // the same transactions in memory
	done   [victimSessions]int
}

func newVictims(t *testing.T, seed uint64, mode string) *victims {
	m, err := open(nil, settings{})
	must(t, err)
	return &victims{t: t, r: rand.New(rand.NewPCG(seed, 7)), seed: seed, mode: mode, folder: filepath.Join(t.TempDir(), "db"), memory: m}
}

// start starts a process that changes the folder. Each transaction that it reports goes to report.
// The function that it returns waits for the end of the process, which has been killed, and of its
// reports.
func (v *victims) start(report func(session, n int), opened func(p *os.Process)) (ended func()) {
	spec := []string{v.folder, v.mode, strconv.FormatUint(v.seed, 10)}
	for _, n := range v.done {
		spec = append(spec, strconv.Itoa(n))
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimVariable+"="+strings.Join(spec, ","))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	must(v.t, err)
	must(v.t, cmd.Start())
	var reports sync.WaitGroup
	reports.Go(func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if lines.Text() == "open" {
				opened(cmd.Process)
				continue
			}
			var session, n int
			if _, err := fmt.Sscan(lines.Text(), &session, &n); err != nil {
				v.t.Errorf("the process reports %q: %v", lines.Text(), err)
			}
			report(session, n)
		}
	})
	return func() {
		reports.Wait()
		_ = cmd.Wait() // it was killed
		if stderr.Len() > 0 {
			v.t.Fatalf("the process failed: %s", stderr.String())
		}
	}
}

// kill runs a process and kills it. It returns how many transactions it has reported.
func (v *victims) kill() int {
	delay := time.Duration(v.r.Int64N(int64(300 * time.Millisecond)))
	acked, reported := v.done, 0
	ended := v.start(func(session, n int) {
		if n != acked[session]+1 {
			v.t.Errorf("transaction %d of session %d follows %d", n, session, acked[session])
		}
		acked[session], reported = n, reported+1
	}, func(p *os.Process) { time.AfterFunc(delay, func() { _ = p.Kill() }) })
	ended()
	v.examine(acked)
	return reported
}

// examine compares the folder with what transactions that were reported have made.
func (v *victims) examine(acked [victimSessions]int) {
	fs, err := vfs.Dir(v.folder)
	if errors.Is(err, os.ErrNotExist) && acked == v.done {
		return // killed before it was made
	}
	must(v.t, err)
	report, err := durable.Check(bg, fs)
	if err != nil && acked != [victimSessions]int{} {
		v.t.Fatal(err)
	}
	if err == nil && len(report.Damage) > 0 {
		names, _ := fs.List()
		v.t.Fatalf("gsql_sync = %s, damage after %v transactions: %+v of %q", v.mode, acked, *report, names)
	}
	readonly := v.r.IntN(2) == 0 && acked != [victimSessions]int{} // the next process recovers then
	w, err := open(fs, settings{readonly: readonly})
	must(v.t, err)
	defer func() { must(v.t, w.db.Close()) }()
	got, err := w.look()
	must(v.t, err)
	for i := range victimSessions {
		least := acked[i]
		if v.mode == "off" {
			least = v.done[i]
		}
		v.session(i, least, acked[i]+1, got)
	}
}

// session steps one session's transactions in memory until they look like what was found, which must
// be after those from least to most.
func (v *victims) session(i, least, most int, got *image) {
	s := v.memory.session()
	defer s.Close()
	db := victimDatabase(i)
	found := got.of(db)
	var wanted []string
	for n := v.done[i]; n <= most; n++ {
		if n > v.done[i] {
			transact(s, v.seed, i, n)
			v.done[i] = n
		}
		if n < least {
			continue
		}
		all, err := v.memory.look()
		must(v.t, err)
		if want := all.of(db); found.matches(want) {
			return
		} else {
			wanted = append(wanted, fmt.Sprintf("with transaction %d %q:\n%s", n, generate(v.seed, i, n).transaction(), want.difference(found)))
		}
	}
	v.t.Fatalf("gsql_sync = %s, session %d, after %d to %d transactions of %d:\n%s\n%s", v.mode, i, least, most, v.done, found.describe(), strings.Join(wanted, "\n"))
}

// of returns the part of an image that belongs to one database.
func (got *image) of(db string) *image {
	part := &image{sections: map[string]string{}, counter: map[string]uint64{}, least: map[string]uint64{}}
	for _, paragraph := range strings.SplitAfter(got.text, "\ndatabase ") {
		if strings.HasPrefix(strings.TrimPrefix(paragraph, "database "), fmt.Sprintf("[%q ", db)) {
			part.text = strings.TrimSuffix(strings.TrimPrefix(paragraph, "database "), "\ndatabase ")
		}
	}
	part.text = strings.TrimSpace(part.text)
	for table, n := range got.counter {
		if strings.HasPrefix(table, "`"+db+"`.") {
			part.counter[table] = n
		}
	}
	return part
}

func victimDatabase(session int) string { return fmt.Sprint("s", session) }

// generate returns the program of a session's n-th transaction.
func generate(seed uint64, i, n int) *program {
	return &program{r: rand.New(rand.NewPCG(seed+uint64(i)<<32, uint64(n))), values: 100 * n, databases: []string{victimDatabase(i)}}
}

// transact runs a session's n-th transaction, again if it loses a conflict.
func transact(s session, seed uint64, i, n int) {
	for again := true; again; {
		again = false
		for _, sql := range generate(seed, i, n).transaction() {
			if err := s.exec(sql); code(err) == sqlerr.WriteConflict {
				_ = s.exec("ROLLBACK")
				again = true
				break
			}
		}
	}
}

// victim opens a folder and runs transactions until it is killed. It reports each one that is
// committed.
func victim(spec string) error {
	fields := strings.Split(spec, ",")
	fs, err := vfs.MakeDir(fields[0])
	if err != nil {
		return err
	}
	seed, err := strconv.ParseUint(fields[2], 10, 64)
	if err != nil {
		return err
	}
	w, err := open(fs, settings{sync: fields[1], segmentRows: 40})
	if err != nil {
		return err
	}
	fmt.Println("open")
	go func() { // those in the background also rewrite tables, after which statements may be repeated and skip counters
		for {
			time.Sleep(10 * time.Millisecond)
			_ = w.session().exec("FLUSH LOGS")
		}
	}()
	var sessions sync.WaitGroup
	for i := range victimSessions {
		n, err := strconv.Atoi(fields[3+i])
		if err != nil {
			return err
		}
		sessions.Go(func() {
			s := w.session()
			for n++; ; n++ {
				transact(s, seed, i, n)
				if _, err := io.WriteString(os.Stdout, fmt.Sprintln(i, n)); err != nil {
					return // the parent has ended
				}
			}
		})
	}
	sessions.Wait()
	return nil
}
