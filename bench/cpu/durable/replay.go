package durable

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// logged is a log to replay.
type logged struct {
	name  string
	setup []string // SQL after the tables were created
	sql   string
	count int // commits
	full  int // commits with Options.Full
}

// logs are the logs to replay. c has a key, t has lineitem's columns.
var logs = []logged{
	{name: "one-row inserts", sql: "INSERT INTO c VALUES (?, 'a text of some length, as a row may have')", count: 20000, full: 400000},
	{name: "one-row updates", setup: []string{"INSERT INTO c SELECT ROW_NUMBER() OVER (), l_comment FROM t"},
		sql: "UPDATE c SET v = CASE WHEN v = 'a text' THEN 'another text' ELSE 'a text' END WHERE id = 1 + ? % 10000", count: 10000, full: 100000},
	{name: "commits of 5000 rows", sql: "INSERT INTO t SELECT * FROM t5000", count: 50, full: 120},
}

// replay measures opening a database whose process was killed, for the size of the log.
func replay(o *Options, r *Report) error {
	dir, err := o.provide(min(o.Scale, replayScale))
	if err != nil {
		return err
	}
	for i := range logs {
		l := &logs[i]
		c := cell{Name: "replay: " + l.name, Unit: "MB/s", AtLeast: 1000}
		for _, engine := range []string{ours, duckdb, sqlite} {
			if engine == sqlite && !strings.Contains(l.sql, "c ") {
				continue
			}
			x, err := o.replayed(engine, dir, l)
			if err != nil {
				return err
			}
			c.set(engine, x.mb/x.seconds)
			c.Note += fmt.Sprintf("%s: %.1f MB, %.0f commits/s, %.0f MB per second of CPU time; ",
				title(engine), x.mb, x.commits/x.seconds, x.mb/x.cpu)
		}
		c.Note = strings.TrimSuffix(c.Note, "; ")
		r.add(c)
	}
	return nil
}

// replayScale is the scale of TPC-H from whose lineitem the tables are made.
const replayScale = 0.1

// replayed is how long it takes to open a database with a log of so many commits.
type replayed struct{ mb, commits, seconds, cpu float64 }

// replayed measures the replay of a log.
func (o *Options) replayed(engine, dir string, l *logged) (x replayed, err error) {
	path := o.database("replay", engine)
	if err := o.writeLog(engine, path, dir, l, &x); err != nil {
		return x, err
	}
	if x.mb, err = logMB(engine, path); err != nil {
		return x, err
	}
	var times, cpu []float64
	for run := range o.Runs {
		profile := ""
		if engine == ours && run == 0 {
			profile = filepath.Join(o.Data, "replay-"+strings.ReplaceAll(l.name, " ", "-")+".prof")
		}
		p, a, err := o.open(settings{Engine: engine, Path: path, KeepLog: true}, profile)
		if err != nil {
			return x, err
		}
		p.kill()
		times, cpu = append(times, a.MS), append(cpu, a.CPUMS)
		if left, err := logMB(engine, path); err != nil || left < x.mb/2 {
			break // opening has made a checkpoint
		}
	}
	x.seconds, x.cpu = median(times)/1e3, median(cpu)/1e3
	return x, remove(path)
}

func (o *Options) count(l *logged) int {
	if o.Full {
		return l.full
	}
	return l.count
}

// logging is how long a log is written at most: some engines sync each commit.
const logging = 8 * time.Second

// writeLog makes a database, commits, and kills its process.
func (o *Options) writeLog(engine, path, dir string, l *logged, x *replayed) error {
	if err := remove(path); err != nil {
		return err
	}
	p, _, err := o.open(settings{Engine: engine, Path: path, Sync: "normal", KeepLog: true}, "")
	if err != nil {
		return err
	}
	defer p.kill()
	setup := []string{commitTable}
	if engine != sqlite {
		from := parquet(engine, filepath.Join(dir, "lineitem.parquet"))
		setup = append(setup, "CREATE TABLE t AS SELECT * FROM "+from+" LIMIT 100000", "CREATE TABLE t5000 AS SELECT * FROM t LIMIT 5000")
		setup = append(setup, l.setup...)
	} else if len(l.setup) > 0 {
		setup = append(setup, "INSERT INTO c WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i, 'a text' FROM n")
	}
	if _, err := p.exec(setup...); err != nil {
		return err
	}
	writers := 1
	if engine == ours {
		writers = 8
	}
	if strings.HasPrefix(l.sql, "UPDATE") {
		writers = 1 // they would conflict
	}
	a, err := p.ask(request{Op: "commits", SQL: l.sql, Count: o.count(l), For: logging, Writers: writers})
	if err != nil {
		return err
	}
	x.commits = a.Number
	time.Sleep(2 * time.Second) // until the log is in the file
	return nil
}

// logMB returns the size of the log in millions of bytes. gsql writes zeros ahead, which do not
// count.
func logMB(engine, path string) (float64, error) {
	pattern := map[string]string{ours: path + "/wal-*", duckdb: path + ".wal", sqlite: path + "-wal"}[engine]
	files, err := filepath.Glob(pattern)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		total += len(bytes.TrimRight(text, "\x00"))
	}
	return float64(total) / 1e6, nil
}
