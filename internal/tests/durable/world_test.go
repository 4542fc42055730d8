package durable_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gsql/internal/database"
	"gsql/internal/plancache"
	"gsql/internal/statement"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/storage/vfs"
)

var bg = context.Background()

// world is an open database.
type world struct {
	db    *database.DB
	plans plancache.Plans
}

// settings are those of a database that a test opens.
type settings struct {
	segmentRows int
	logLimit    int64
	sync        string // gsql_sync; "" is full
	readonly    bool
}

// open opens the database in a folder; nil is one in memory.
func open(fs vfs.FS, o settings) (*world, error) {
	globals := map[string]string{}
	if o.sync != "" {
		globals["gsql_sync"] = o.sync
	}
	db, err := database.Open(database.Options{
		FS: fs, LogLimit: o.logLimit, ReadOnly: o.readonly, Rules: statement.RecoveredRules, Workers: 1, MemoryLimit: 1 << 30, Globals: globals,
	})
	if err != nil {
		return nil, err
	}
	if o.segmentRows > 0 {
		db.Store.SetSegmentRows(o.segmentRows)
	}
	return &world{db: db}, nil
}

// session is a connection to a world.
type session struct{ *statement.Connection }

func (w *world) session() session {
	return session{statement.Connect(w.db, &w.plans, &plancache.Texts{})}
}

// rows returns the rows of a statement.
func (s session) rows(sql string, args ...any) (out [][]string, err error) {
	res, err := s.Query(bg, sql, args)
	if err != nil {
		return nil, err
	}
	for {
		b, err := res.NextBatch()
		if err != nil || b == nil {
			return out, err
		}
		for i := range b.N {
			row := make([]string, len(b.Cols))
			for c, col := range b.Cols {
				if row[c] = "NULL"; !col.IsNull(i) {
					row[c] = strconv.Quote(catalog.DatumAt(col, i).Text())
				}
			}
			out = append(out, row)
		}
	}
}

// exec runs a statement for its effect.
func (s session) exec(sql string) error {
	_, err := s.rows(sql)
	return err
}

// append adds rows to a table as a load does.
func (s session) append(table string, rows [][]any) error {
	a, err := s.NewAppender(bg, table)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := a.Row(row); err != nil {
			a.Abort()
			return err
		}
	}
	_, err = a.Close(bg)
	return err
}

// image is all that can be seen of a database. AUTO_INCREMENT counters are kept apart from the
// definitions, because a statement that fails advances them without a commit.
type image struct {
	text     string
	sections map[string]string // of text, by table
	counter  map[string]uint64 // next AUTO_INCREMENT value, by table
	least    map[string]uint64 // what the last commit of the table has made durable
}

// matches reports whether a database that looks like got may have been recovered from one that
// looked like want. A checkpoint beside a statement may have kept the values that the statement
// has used up, so counters may be as high as in any of the images.
func (got *image) matches(want *image, others ...*image) bool {
	if got.text != want.text {
		return false
	}
	for table, n := range got.counter {
		most := want.counter[table]
		for _, x := range others {
			most = max(most, x.counter[table])
		}
		if n < want.least[table] || n > most {
			return false
		}
	}
	return true
}

// since completes an image with what is known of the one before. exact names a table whose counter
// the statement between them has set.
func (got *image) since(was *image, exact string) *image {
	for table, n := range got.counter {
		least, known := was.least[table]
		if !known || exact == table || n < was.counter[table] || got.sections[table] != was.sections[table] {
			least = n
		}
		got.least[table] = least
	}
	return got
}

// describe returns the image as a text for messages.
func (got *image) describe() string {
	return fmt.Sprintf("%s%v, at least %v", got.text, got.counter, got.least)
}

// difference describes where got differs from another image.
func (got *image) difference(other *image) string {
	a, b := strings.Split(got.text, "\n"), strings.Split(other.text, "\n")
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	return fmt.Sprintf("%v, not %v\n%s\nnot\n%s", got.counter, other.counter, strings.Join(a[at:], "\n"), strings.Join(b[at:], "\n"))
}

var counterPattern = regexp.MustCompile(` AUTO_INCREMENT=(\d+)`)

// look returns the image of what is committed.
func (w *world) look() (*image, error) {
	s := w.session()
	defer s.Close()
	got := &image{sections: map[string]string{}, counter: map[string]uint64{}, least: map[string]uint64{}}
	var text strings.Builder
	dbs, err := s.rows("SELECT schema_name, default_collation_name FROM information_schema.schemata WHERE schema_name NOT IN ('information_schema', 'performance_schema') ORDER BY schema_name")
	if err != nil {
		return nil, err
	}
	for _, db := range dbs {
		fmt.Fprintln(&text, "database", db)
		name, _ := strconv.Unquote(db[0])
		if err := s.look(&text, got, name); err != nil {
			return nil, err
		}
	}
	got.text = text.String()
	return got, nil
}

// look describes the tables and views of a database.
func (s session) look(text *strings.Builder, got *image, db string) error {
	names, err := s.rows("SHOW FULL TABLES FROM " + catalog.QuoteName(db))
	if err != nil {
		return err
	}
	for _, row := range names {
		name, _ := strconv.Unquote(row[0])
		qualified := catalog.QuoteName(db) + "." + catalog.QuoteName(name)
		create, err := s.rows("SHOW CREATE TABLE " + qualified)
		if err != nil {
			return err
		}
		definition := create[0][1]
		if strings.Contains(definition, " AUTO_INCREMENT") {
			got.counter[qualified] = 1
		}
		if m := counterPattern.FindStringSubmatch(definition); m != nil {
			got.counter[qualified], _ = strconv.ParseUint(m[1], 10, 64)
			definition = strings.Replace(definition, m[0], "", 1)
		}
		definition = keysSorted(definition)
		rows, err := s.rows("SELECT * FROM " + qualified)
		var known *sqlerr.Error
		if errors.As(err, &known) && strings.Contains(row[1], "VIEW") && known.Code != sqlerr.InternalError {
			rows, err = [][]string{{fmt.Sprint("error ", known.Code)}}, nil // its tables are gone
		}
		if code(err) == sqlerr.InternalError {
			err = fmt.Errorf("%w: %v", err, errors.Unwrap(err)) // the stack
		}
		if err != nil {
			return fmt.Errorf("%s: %w", qualified, err)
		}
		section := fmt.Sprintln(qualified, definition, rows)
		got.sections[qualified] = section
		text.WriteString(section)
	}
	return nil
}

// keysSorted sorts the keys of a quoted definition. ALTER TABLE puts them in another order than CREATE
// INDEX, and tests run it in order to set a counter.
func keysSorted(definition string) string {
	lines := strings.Split(definition, `\n`)
	isKey := func(line string) bool { return strings.Contains(line, " KEY ") && strings.HasPrefix(line, "  ") }
	first := slices.IndexFunc(lines, isKey)
	if first < 0 {
		return definition
	}
	end := first
	for end < len(lines) && isKey(lines[end]) {
		lines[end] = strings.TrimSuffix(lines[end], ",")
		end++
	}
	slices.Sort(lines[first:end])
	return strings.Join(lines, `\n`)
}

// must stops the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
