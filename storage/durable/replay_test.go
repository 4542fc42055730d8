package durable

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/chainlog"
	"gsql/storage/contents"
	"gsql/storage/segfile"
	"gsql/storage/vfs"
)

// history makes random commits.
type history struct {
	rng     *rand.Rand
	files   *segfile.Files
	tables  map[uint64]*Table
	alive   map[uint64][]int64 // ids of rows
	next    uint64
	records []chainlog.Record
	seq     uint64
}

var replayTypes = []types.Type{types.T(types.Int64), types.T(types.Float64), types.T(types.String), {ID: types.Decimal, Prec: 30, Scale: 2}, {ID: types.Decimal, Prec: 9, Scale: 2}, types.T(types.Bool)}

func (h *history) schema() *catalog.Schema {
	s := &catalog.Schema{}
	for i := range 1 + h.rng.Intn(4) {
		s.Columns = append(s.Columns, catalog.Column{Name: fmt.Sprint("c", i), Type: replayTypes[h.rng.Intn(len(replayTypes))], NotNull: h.rng.Intn(3) == 0})
	}
	return s
}

// rows returns a batch of n random rows.
func (h *history) rows(s *catalog.Schema, n int) []*vec.Vector {
	out := make([]*vec.Vector, len(s.Columns))
	for c := range out {
		v := vec.NewFlat(s.Columns[c].Type, n)
		some := !s.Columns[c].NotNull && h.rng.Intn(2) == 0
		if some {
			v.Null = make([]bool, n)
		}
		spread := int64(1) << h.rng.Intn(40)
		for i := range n {
			x := h.rng.Int63n(spread)
			switch {
			case some && h.rng.Intn(3) == 0:
				v.Null[i] = true
			case v.Type.ID == types.Bool:
				v.I64[i] = x & 1
			case v.I64 != nil:
				v.I64[i] = x
			case v.F64 != nil:
				v.F64[i] = float64(x) / 7
			case v.Dec != nil && v.Type.Prec > 18:
				v.Dec[i] = decimal128.New(x&1, uint64(x))
			case v.Dec != nil:
				v.Dec[i] = decimal128.FromI64(x % 1e9)
			default:
				v.Str[i] = strings.Repeat("x", int(x%9)) + fmt.Sprint(x%11)
			}
		}
		out[c] = v
	}
	return out
}

// commit makes a commit of one to three changes.
func (h *history) commit() {
	h.seq++
	c := NewCommit(h.seq, h.files)
	for range 1 + h.rng.Intn(3) {
		if len(h.tables) == 0 || h.rng.Intn(80) == 0 && len(h.tables) < 4 {
			t := &Table{ID: h.next, DB: "d", Name: fmt.Sprint("t", h.next), Schema: h.schema(), SegmentRows: 32 << h.rng.Intn(4)}
			h.next++
			h.tables[t.ID] = t
			c.PutTable(t)
		}
		ids := slices.Sorted(maps.Keys(h.tables))
		h.change(c, h.tables[ids[h.rng.Intn(len(ids))]])
	}
	h.records = append(h.records, chainlog.Record{End: chainlog.Pos(h.seq), Contents: c.Record()})
}

func (h *history) change(c *Commit, t *Table) {
	switch k := h.rng.Intn(200); {
	case k == 0:
		c.DropTable(t.ID)
		delete(h.tables, t.ID)
		delete(h.alive, t.ID)
	case k == 1:
		c.Clear(t.ID)
		h.alive[t.ID] = nil
	case k == 2: // other columns, and other rows with them
		t.Schema = h.schema()
		c.PutTable(t)
		n := h.rng.Intn(20)
		x := &Table{ID: t.ID, NextRow: t.NextRow + int64(n), Rows: contents.Rows{}}
		x.Tail.Base = t.NextRow
		var err error
		if x.Tail, err = x.Tail.Append(nil, t.Schema, h.rows(t.Schema, n), n); err != nil {
			panic(err)
		}
		c.Replace(x)
		h.alive[t.ID] = nil
		h.born(t, n)
	case k == 3:
		t.Name += "x"
		c.PutTable(t)
	case k < 20:
		c.SetCounter(t.ID, uint64(h.rng.Intn(1000)))
	case k < 80 && len(h.alive[t.ID]) > 0:
		var ids []int64
		rest := h.alive[t.ID][:0]
		for _, id := range h.alive[t.ID] {
			if len(ids) < 5 && h.rng.Intn(10) == 0 {
				ids = append(ids, id)
			} else {
				rest = append(rest, id)
			}
		}
		h.alive[t.ID] = rest
		c.Delete(t.ID, ids)
	default:
		var batches [][]*vec.Vector
		n := 0
		for range 1 + h.rng.Intn(2) {
			k := 1 + h.rng.Intn(1+h.rng.Intn(30))
			batches, n = append(batches, h.rows(t.Schema, k)), n+k
		}
		if h.rng.Intn(30) == 0 {
			t.NextRow += int64(h.rng.Intn(3)) // ids that a commit has not used
		}
		c.Insert(t.ID, t.NextRow, n, EncodeRows(nil, batches))
		h.born(t, n)
	}
}

// born assigns ids to n rows of a table.
func (h *history) born(t *Table, n int) {
	for range n {
		h.alive[t.ID] = append(h.alive[t.ID], t.NextRow)
		t.NextRow++
	}
}

func newHistory(t *testing.T, seed int64) *history {
	t.Helper()
	fs, err := vfs.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &history{rng: rand.New(rand.NewSource(seed)), files: segfile.New(fs, nil, 0), tables: map[uint64]*Table{}, alive: map[uint64][]int64{}, next: 1}
}

// TestReplay repeats random commits in spans, some of which are decoded long before they are
// repeated, and one by one. The tables must be the same, and have the rows that the commits left.
func TestReplay(t *testing.T) {
	for seed := range int64(150) {
		h := newHistory(t, seed)
		for range 1 + h.rng.Intn(400) {
			h.commit()
		}
		alone := mem.NewRoot("test", 0)
		one := newCatalog(h.files, alone)
		for _, r := range h.records {
			if err := one.apply(r.Contents); err != nil {
				t.Fatal(err)
			}
		}
		limit := int64(0)
		if seed%3 == 0 {
			limit = alone.Peak()*5/4 + 64<<10 // too little for all cores at once
		}
		account := mem.NewRoot("test", limit)
		account.OnFull(account.Collect)
		many := newCatalog(h.files, account)
		many.startReplay()
		var ahead [][]span
		for from := 0; from < len(h.records) || len(ahead) > 0; {
			to := min(len(h.records), from+1+h.rng.Intn(60))
			if to > from {
				ahead = append(ahead, many.replay.divide(h.records[from:to]))
			}
			if from = to; len(ahead) > h.rng.Intn(4) || from == len(h.records) {
				if at, err := many.repeat(ahead[0]); err != nil {
					t.Fatalf("seed %d, record %d: %v", seed, at, err)
				}
				ahead = ahead[1:]
			}
		}
		if err := many.settle(); err != nil {
			t.Fatal(err)
		}
		if a, b := described(t, one), described(t, many); a != b {
			t.Fatalf("seed %d: one by one\n%s\nin spans\n%s", seed, a, b)
		}
		for id, x := range many.Tables {
			if got, want := aliveIn(x), h.alive[id]; !slices.Equal(got, want) {
				t.Fatalf("seed %d: table %d has the rows %v, want %v", seed, id, got, want)
			}
		}
	}
}

// described returns what there is in a catalog, with the rows that are deleted.
func described(t *testing.T, c *Catalog) string {
	t.Helper()
	var out strings.Builder
	fmt.Fprintln(&out, c.Sequence, c.NextTable)
	for _, id := range slices.Sorted(maps.Keys(c.Tables)) {
		x := c.Tables[id]
		fmt.Fprintln(&out, id, x.Name, x.Auto, x.NextRow, x.Churn, x.Tail.Base+int64(x.Tail.N), aliveIn(x))
		values := make([][]string, len(x.Schema.Columns))
		note := func(cols []*vec.Vector) {
			for i, v := range cols {
				values[i] = append(values[i], strings.Fields(shown([]*vec.Vector{v}))...)
			}
		}
		for i := range x.Segs {
			if x.Segs[i].Rows > x.SegmentRows {
				t.Errorf("a segment has %d rows, more than %d", x.Segs[i].Rows, x.SegmentRows)
			}
			cols, err := x.Segs[i].Flat(x.Schema)
			if err != nil {
				t.Fatal(err)
			}
			note(cols)
		}
		for _, b := range x.Tail.Batches() {
			note(b)
		}
		fmt.Fprintln(&out, values)
	}
	return out.String()
}

func aliveIn(t *Table) (ids []int64) {
	for i := range t.Segs {
		s := &t.Segs[i]
		for row := range s.Rows {
			if !s.Del.Has(row) {
				ids = append(ids, s.RowID(row))
			}
		}
	}
	for row := range t.Tail.N {
		if !t.TailDel.Has(row) {
			ids = append(ids, t.Tail.Base+int64(row))
		}
	}
	return ids
}

// TestReplayRefuses repeats commits that do not fit what is there. The errors must be those of
// commits that are repeated one by one.
func TestReplayRefuses(t *testing.T) {
	schema := &catalog.Schema{Columns: []catalog.Column{{Name: "i", Type: types.T(types.Int64)}}}
	row := func(n int) []byte {
		return EncodeRows(nil, [][]*vec.Vector{{vec.NewFlat(schema.Columns[0].Type, n)}})
	}
	for name, change := range map[string]func(c *Commit){
		"a row that is there":       func(c *Commit) { c.Insert(1, 1, 1, row(1)) },
		"fewer rows than it says":   func(c *Commit) { c.Insert(1, 2, 3, row(2)) },
		"more rows than it says":    func(c *Commit) { c.Insert(1, 2, 1, row(2)) },
		"a row that is not there":   func(c *Commit) { c.Delete(1, []int64{7}) },
		"a row that is gone":        func(c *Commit) { c.Delete(1, []int64{0}) },
		"a table that is not there": func(c *Commit) { c.SetCounter(5, 1) },
		"nothing known":             func(c *Commit) { c.e.byte(99) },
		"half a change":             func(c *Commit) { c.Insert(1, 2, 1, row(1)); c.e.buf = c.e.buf[:len(c.e.buf)-1] },
	} {
		h := newHistory(t, 1)
		records := func(changes ...func(c *Commit)) (out []chainlog.Record) {
			for i, f := range changes {
				c := NewCommit(uint64(i+1), h.files)
				f(c)
				out = append(out, chainlog.Record{End: chainlog.Pos(i), Contents: c.Record()})
			}
			return out
		}(func(c *Commit) { c.PutTable(&Table{ID: 1, DB: "d", Name: "t", Schema: schema, SegmentRows: 16}) },
			func(c *Commit) { c.Insert(1, 0, 2, row(2)) }, func(c *Commit) { c.Delete(1, []int64{0}) }, change)
		one, many := newCatalog(h.files, nil), newCatalog(h.files, nil)
		var want error
		for _, r := range records {
			if want == nil {
				want = one.apply(r.Contents)
			}
		}
		many.startReplay()
		_, err := many.repeat(many.replay.divide(records[:1]))
		if err == nil {
			_, err = many.repeat(many.replay.divide(records[1:]))
		}
		if want == nil || fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}
