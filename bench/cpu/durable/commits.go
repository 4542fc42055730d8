package durable

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	commitTable = "CREATE TABLE c (id BIGINT PRIMARY KEY, v VARCHAR(100))"
	commitSQL   = "INSERT INTO c VALUES (?, 'a text of some length, as a row may have')"
	manyWriters = 64
	committing  = time.Second // how long a database commits in a round
)

// committer is a database that commits are made in.
type committer struct {
	settings
	rates map[int][]float64 // commits a second by the number of writers
	p     *process
}

// commits measures one-row commits, and how many times the disk is synced for each.
func commits(o *Options, r *Report) error {
	for _, sync := range []string{"full", "normal", "off"} {
		if err := o.mode(r, sync); err != nil {
			return err
		}
	}
	return o.syncs(r)
}

// mode measures commits that wait for what sync says.
func (o *Options) mode(r *Report, sync string) (err error) {
	var all []*committer
	defer func() {
		for _, c := range all {
			if c.p != nil {
				c.p.kill()
			}
			err = errors.Join(err, remove(c.Path))
		}
	}()
	for _, engine := range []string{ours, duckdb, sqlite} {
		if engine == duckdb && sync != "full" {
			continue // it has no other mode
		}
		c := &committer{settings: settings{Engine: engine, Path: o.database("commits-"+sync, engine), Sync: sync}, rates: map[int][]float64{}}
		all = append(all, c)
		if err := o.committer(c); err != nil {
			return err
		}
	}
	raw, err := o.rounds(all)
	if err != nil {
		return err
	}
	report(r, sync, all, median(raw))
	return nil
}

// committer makes the database of c.
func (o *Options) committer(c *committer) (err error) {
	if err := remove(c.Path); err != nil {
		return err
	}
	if c.p, _, err = o.open(c.settings, ""); err != nil {
		return err
	}
	_, err = c.p.exec(commitTable)
	return err
}

// rounds lets the databases take turns, and measures the disk's own rate of syncs in each round.
func (o *Options) rounds(all []*committer) (raw []float64, err error) {
	for range o.Runs {
		rate, err := syncRate(o.Data, committing/2)
		if err != nil {
			return nil, err
		}
		raw = append(raw, rate)
		for _, writers := range []int{1, manyWriters} {
			for _, c := range all {
				a, err := c.p.ask(request{Op: "commits", SQL: commitSQL, For: committing, Writers: writers})
				if err != nil {
					return nil, fmt.Errorf("%s: %w", c.Path, err)
				}
				c.rates[writers] = append(c.rates[writers], a.Number/(a.MS/1e3))
			}
		}
	}
	return raw, nil
}

// report adds the cells of commits.
func report(r *Report, sync string, all []*committer, raw float64) {
	if sync == "full" {
		ratio := cell{Name: "64 writers / 1 writer, sync = full", AtLeast: 20}
		alone := cell{Name: "1 writer / raw fdatasync, sync = full", Note: fmt.Sprintf("the disk makes %.0f fdatasyncs a second", raw)}
		for _, c := range all {
			ratio.set(c.Engine, median(c.rates[manyWriters])/median(c.rates[1]))
			alone.set(c.Engine, median(c.rates[1])/raw)
		}
		r.add(ratio)
		r.add(alone)
	}
	for _, writers := range []int{1, manyWriters} {
		x := cell{Name: fmt.Sprintf("writers: %d, sync = %s", writers, sync), Unit: "commits/s"}
		for _, c := range all {
			x.set(c.Engine, median(c.rates[writers]))
		}
		r.add(x)
	}
}

// traces is the number of commits whose syncs are counted.
const traces = 300

// syncs counts how often files are synced: gsql counts them itself, those of the others are counted by strace.
func (o *Options) syncs(r *Report) error {
	c := cell{Name: "fdatasyncs of a commit, 1 writer", AtMost: 1.2}
	n, err := o.counts()
	if err != nil {
		return err
	}
	c.set(ours, n)
	strace, err := exec.LookPath("strace")
	if err != nil {
		c.Note = "those of DuckDB and SQLite are not counted: it needs strace"
		r.add(c)
		return nil
	}
	for _, engine := range []string{duckdb, sqlite} {
		n, err := o.traced(strace, engine)
		if err != nil {
			return err
		}
		c.set(engine, n)
	}
	r.add(c)
	return nil
}

// counts returns gsql's syncs of a commit.
func (o *Options) counts() (float64, error) {
	c := &committer{settings: settings{Engine: ours, Path: o.database("counted", ours), Sync: "full"}}
	if err := o.committer(c); err != nil {
		return 0, errors.Join(err, remove(c.Path))
	}
	count := func() (float64, error) {
		a, err := c.p.query("SHOW GLOBAL STATUS LIKE 'Gsql_syncs'")
		return a.Number, err
	}
	before, err := count()
	if err == nil {
		_, err = c.p.ask(request{Op: "commits", SQL: commitSQL, Count: traces, Writers: 1})
	}
	var after float64
	if err == nil {
		after, err = count()
	}
	c.p.kill()
	return (after - before) / traces, errors.Join(err, remove(c.Path))
}

func (o *Options) traced(strace, engine string) (float64, error) {
	log := filepath.Join(o.Data, "strace.log")
	calls := func(commits int) (float64, error) {
		c := &committer{settings: settings{Engine: engine, Path: o.database("traced", engine), Sync: "full"}}
		if err := remove(c.Path); err != nil {
			return 0, err
		}
		p, _, err := o.open(c.settings, "", strace, "-f", "-c", "-e", "trace=fsync,fdatasync", "-o", log)
		if err != nil {
			return 0, err
		}
		_, err = p.exec(commitTable)
		if err == nil {
			_, err = p.ask(request{Op: "commits", SQL: commitSQL, Count: commits, Writers: 1})
		}
		if _, closing := p.close(); err == nil {
			err = closing
		}
		if err != nil {
			return 0, err
		}
		n, err := counted(log)
		return n, errors.Join(err, remove(c.Path))
	}
	few, err := calls(1)
	if err != nil {
		return 0, err
	}
	many, err := calls(1 + traces)
	return (many - few) / traces, errors.Join(err, os.Remove(log))
}

// counted returns the total of strace's table of calls.
func counted(log string) (total float64, err error) {
	text, err := os.ReadFile(log)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 5 || !strings.HasSuffix(fields[len(fields)-1], "sync") {
			continue
		}
		n, err := strconv.ParseFloat(fields[3], 64)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, err
}
