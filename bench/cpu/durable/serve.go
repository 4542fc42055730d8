package durable

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"gsql/bench/record"
)

// request is a line that a process reads. The fields after Op are those that the operation needs.
type request struct {
	Op      string // open, exec, query, commits, peak, close
	Open    *settings
	SQL     string
	Count   int           // commits in all at most, or 0
	For     time.Duration // time of the commits at most, or 0
	Writers int
	Profile string // file for a CPU profile of the operation, or ""
}

// reply is the line that answers it.
type reply struct {
	MS     float64 // time of the operation
	CPUMS  float64 // processor time of the process during it
	Rows   int64   // of a query
	Number float64 // last value of a query's first row, or the number of commits
	PeakMB float64 // largest resident memory of the process
	Error  string
}

// Serve opens a database and runs statements as the requests of the parent process say.
func Serve(in io.Reader, out io.Writer) error {
	s := &server{}
	requests, replies := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	for {
		var q request
		if err := requests.Decode(&q); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var a reply
		stop, err := record.Profile(q.Profile)
		if err == nil {
			start, used := time.Now(), processorMS()
			err = s.run(&q, &a)
			a.CPUMS = processorMS() - used
			a.MS = float64(time.Since(start).Nanoseconds()) / 1e6
			err = errors.Join(err, stop())
		}
		if err != nil {
			a.Error = err.Error()
		}
		if err := replies.Encode(&a); err != nil {
			return err
		}
	}
}

// server is a process with an open database.
type server struct {
	settings
	db   *sql.DB
	conn *sql.Conn
}

func (s *server) run(q *request, a *reply) (err error) {
	ctx := context.Background()
	switch q.Op {
	case "open":
		return s.open(ctx, q.Open)
	case "exec":
		_, err = s.conn.ExecContext(ctx, q.SQL)
	case "query":
		a.Rows, a.Number, err = s.query(ctx, q.SQL)
	case "commits":
		a.Number, err = s.commits(ctx, q)
	case "peak":
		a.PeakMB, err = PeakMB()
	case "collect":
		debug.FreeOSMemory()
	case "close":
		return s.close()
	default:
		err = fmt.Errorf("no operation %q", q.Op)
	}
	return err
}

// open opens the database and runs a first query.
func (s *server) open(ctx context.Context, o *settings) (err error) {
	if o.Memory > 0 && o.Engine == ours { // as the shell does under small limits
		debug.SetGCPercent(50)
		debug.SetMemoryLimit(o.Memory)
	}
	s.settings = *o
	if s.db, err = sql.Open(o.Engine, o.dsn()); err != nil {
		return err
	}
	if s.conn, err = s.connect(ctx); err != nil {
		return err
	}
	_, _, err = s.query(ctx, "SELECT 1")
	return err
}

// connect returns a connection of its own.
func (s *server) connect(ctx context.Context) (*sql.Conn, error) {
	conn, err := s.db.Conn(ctx)
	if err == nil && s.Engine == sqlite && s.KeepLog {
		_, err = conn.ExecContext(ctx, "PRAGMA wal_autocheckpoint = 0")
	}
	return conn, err
}

func (s *server) close() error {
	if err := s.conn.Close(); err != nil {
		return err
	}
	return s.db.Close()
}

// query reads all rows of a query. number is the last column of the first row, if that is a number.
func (s *server) query(ctx context.Context, text string) (n int64, number float64, err error) {
	rows, err := s.conn.QueryContext(ctx, text)
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return 0, 0, err
	}
	row, at := make([]any, len(names)), make([]any, len(names))
	for i := range row {
		at[i] = &row[i]
	}
	for ; rows.Next(); n++ {
		if err := rows.Scan(at...); err != nil {
			return n, 0, err
		}
		if n == 0 {
			if number, err = strconv.ParseFloat(fmt.Sprint(row[len(row)-1]), 64); err != nil {
				number = 0 // it is no number
			}
		}
	}
	return n, number, rows.Err()
}

// commits runs a statement, each time as a transaction of its own, on as many connections as there
// are writers. The statement's parameter is a number that is used once.
func (s *server) commits(ctx context.Context, q *request) (float64, error) {
	_, next, err := s.query(ctx, "SELECT COALESCE(MAX(id), 0) FROM c")
	if err != nil {
		return 0, err
	}
	var done, last atomic.Int64
	last.Store(int64(next))
	until := time.Now().Add(q.For)
	errs := make([]error, q.Writers)
	var group sync.WaitGroup
	for w := range q.Writers {
		group.Go(func() {
			errs[w] = s.writer(ctx, q.SQL, func(st *sql.Stmt) (bool, error) {
				if q.For > 0 && time.Now().After(until) || q.Count > 0 && done.Load() >= int64(q.Count) {
					return false, nil
				}
				var err error
				if strings.Contains(q.SQL, "?") {
					_, err = st.ExecContext(ctx, last.Add(1))
				} else {
					_, err = st.ExecContext(ctx)
				}
				done.Add(1)
				return true, err
			})
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return 0, err
		}
	}
	return float64(done.Load()), nil
}

// writer runs a prepared statement on a connection of its own until step returns false.
func (s *server) writer(ctx context.Context, text string, step func(*sql.Stmt) (bool, error)) error {
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	st, err := conn.PrepareContext(ctx, text)
	if err != nil {
		return err
	}
	defer st.Close()
	for more := true; more && err == nil; {
		more, err = step(st)
	}
	return err
}

// processorMS returns the processor time that the process has used so far.
func processorMS() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}

// PeakMB returns the largest resident memory of this process so far, in MiB. Unlike getrusage, it leaves out the
// memory of the process that started this one.
func PeakMB() (float64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kb), "kB")), 64)
			return n / 1024, err
		}
	}
	return 0, fmt.Errorf("the system does not report the peak memory of processes")
}
