package durable_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"gsql/sql/sqlerr"
	"gsql/storage/vfs/crashfs"
)

// TestCancelledLoads cancels loads at every operation of the file system, those of the commit among them: the rows
// are all there or none, no file is left of those that are not, and the same load succeeds afterwards. The session
// says meanwhile how much is written.
func TestCancelledLoads(t *testing.T) {
	for what, load := range map[string]func(ctx context.Context, s session) error{
		"CREATE TABLE ... SELECT": func(ctx context.Context, s session) error {
			return s.execIn(ctx, "CREATE TABLE loaded AS SELECT * FROM source")
		},
		"INSERT ... SELECT": func(ctx context.Context, s session) error {
			return s.execIn(ctx, "INSERT INTO target SELECT * FROM source")
		},
		"an appender": func(ctx context.Context, s session) error {
			a, err := s.NewAppender(ctx, "target")
			if err != nil {
				return err
			}
			for i := range 500 {
				if err := a.Row([]any{i, fmt.Sprint(i)}); err != nil {
					a.Abort()
					return err
				}
			}
			_, err = a.Close(ctx)
			return err
		},
		"COMMIT": func(ctx context.Context, s session) error {
			if err := errors.Join(s.exec("BEGIN"), s.exec("INSERT INTO target SELECT * FROM source")); err != nil {
				return err
			}
			return s.execIn(ctx, "COMMIT")
		},
		"BEGIN": func(ctx context.Context, s session) error { // commits the transaction before
			if err := errors.Join(s.exec("BEGIN"), s.exec("INSERT INTO target SELECT * FROM source")); err != nil {
				return err
			}
			return errors.Join(s.execIn(ctx, "BEGIN"), s.exec("ROLLBACK"))
		},
		"BeginTx with autocommit off": func(ctx context.Context, s session) error { // does the same
			if err := errors.Join(s.exec("SET autocommit = 0"), s.exec("INSERT INTO target SELECT * FROM source")); err != nil {
				return err
			}
			err := s.Session().Hold(ctx, sql.LevelDefault, false)
			if err == nil {
				err = s.EndTx(bg, false)
			}
			return errors.Join(err, s.exec("SET autocommit = 1"))
		},
		"Commit of BeginTx": func(ctx context.Context, s session) error {
			if err := errors.Join(s.Session().Hold(ctx, sql.LevelDefault, false), s.exec("INSERT INTO target SELECT * FROM source")); err != nil {
				return err
			}
			return s.EndTx(ctx, true)
		},
	} {
		t.Run(what, func(t *testing.T) { cancelledLoads(t, load) })
	}
}

// execIn runs a statement for its effect.
func (s session) execIn(ctx context.Context, text string) error {
	res, err := s.Query(ctx, text, nil)
	if err != nil {
		return err
	}
	_, err = res.NextBatch()
	return err
}

func cancelledLoads(t *testing.T, load func(ctx context.Context, s session) error) {
	fs := crashfs.New()
	w, err := open(fs, settings{segmentRows: 60})
	must(t, err)
	s := w.session()
	must(t, s.exec("CREATE TABLE source (a INT, s VARCHAR(20))"))
	must(t, s.exec("CREATE TABLE target (a INT, s VARCHAR(20))"))
	var rows [][]any
	for i := range 500 {
		rows = append(rows, []any{i, fmt.Sprint("text ", i)})
	}
	must(t, s.append("source", rows))
	must(t, s.exec("FLUSH LOGS"))
	state := func() string {
		t.Helper()
		got, err := s.rows("SELECT table_name, table_rows FROM information_schema.tables WHERE table_schema = 'gsql' ORDER BY table_name")
		must(t, err)
		n, err := s.rows("SELECT COUNT(*) FROM target")
		must(t, err)
		names, err := fs.List()
		must(t, err)
		return fmt.Sprint(got, n, segments(names))
	}
	before := state()
	cancelled, inCommit := 0, 0
	for at := 1; ; at++ {
		ctx, cancel := context.WithCancel(bg)
		var writing, ops atomic.Int64
		fs.Watch(func(*crashfs.Point) {
			if ops.Add(1) == int64(at) {
				total := s.Progress().ToWrite
				writing.Store(total)
				cancel()
			}
		})
		err := load(ctx, s)
		fs.Watch(nil)
		cancel()
		if err == nil { // it was logged before it noticed
			if p := s.Progress(); p.ToWrite > 0 && p.Written != p.ToWrite {
				t.Errorf("%d of %d bytes are written at the end", p.Written, p.ToWrite)
			}
			break
		}
		if cancelled++; code(err) != sqlerr.QueryInterrupted {
			t.Fatalf("cancelled at operation %d: %v", at, err)
		}
		if writing.Load() > 0 {
			inCommit++
		}
		runtime.GC() // finds that nothing reads the files
		if after := state(); after != before {
			t.Fatalf("cancelled at operation %d: %s, before %s", at, after, before)
		}
	}
	if cancelled < 3 {
		t.Errorf("%d loads were cancelled, %d of them while committing", cancelled, inCommit)
	}
	t.Logf("%d loads were cancelled, %d of them while committing", cancelled, inCommit)
	after := state()
	must(t, w.db.Close())
	w, err = open(fs, settings{segmentRows: 60})
	must(t, err)
	s = w.session()
	if got := state(); got != after {
		t.Errorf("opened again: %s, before %s", got, after)
	}
	must(t, w.db.Close())
}
