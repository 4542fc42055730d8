package segfile

import (
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/segfile/pack"
	"gsql/storage/segment"
	"gsql/storage/stats"
	"gsql/storage/vfs"
)

func packReader(b []byte) *pack.Reader { return pack.NewReader(b) }

// counting counts the reads of files.
type counting struct {
	vfs.FS
	reads atomic.Int64
}

type countedFile struct {
	vfs.File
	fs *counting
}

func (c *counting) Open(name string) (vfs.File, error) {
	f, err := c.FS.Open(name)
	return &countedFile{f, c}, err
}

func (f *countedFile) ReadAt(b []byte, at int64) (int, error) {
	f.fs.reads.Add(1)
	return f.File.ReadAt(b, at)
}

// TestLoadedOnce has many goroutines read the same columns at the same time.
func TestLoadedOnce(t *testing.T) {
	files, fs := newFiles(t, nil, 0)
	schema, seg := sealed(t, rand.New(rand.NewSource(1)), shapesOfColumns[0], 1000)
	description := files.Encode(nil, written(t, files, 1, schema, seg))
	count := &counting{FS: fs}
	f := New(count, nil, 0)
	defer f.Close()
	s, _, err := f.Decode(description, schema)
	must(t, err)
	if n := count.reads.Load(); n != 0 {
		t.Errorf("Decode reads %d times", n)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := readAll(s); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := count.reads.Load(); n != int64(len(schema.Columns))+1 { // and the header
		t.Errorf("%d reads of %d columns", n, len(schema.Columns))
	}
}

// TestEviction reads more columns than the cache holds, in several goroutines.
func TestEviction(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	account := mem.NewRoot("test", 0)
	const limit = 400_000
	f, _ := newFiles(t, account, limit)
	var segs, wants []*segment.Segment
	var schema *catalog.Schema
	for i, s := range shapesOfColumns[:8] {
		var seg *segment.Segment
		schema, seg = sealed(t, rng, s, 2000)
		segs, wants = append(segs, written(t, f, uint64(i), schema, seg)), append(wants, seg)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewSource(int64(g)))
			for range 1000 {
				i, c := rng.Intn(len(segs)), rng.Intn(len(schema.Columns))
				var got, want vec.Vector
				if err := errors.Join(segs[i].Cols[c].Read(&schema.Columns[c], 0, 2000, &got), wants[i].Cols[c].Read(&schema.Columns[c], 0, 2000, &want)); err != nil {
					t.Error(err)
					return
				}
				runtime.Gosched()
				row := rng.Intn(2000)
				if x, y := catalog.DatumAt(&got, row), catalog.DatumAt(&want, row); x.Text() != y.Text() {
					t.Errorf("segment %d, column %d, row %d: %s, want %s", i, c, row, x.Text(), y.Text())
				}
			}
		})
	}
	wg.Wait()
	checkCache(t, f)
	if n := f.Cached(); n > limit || n < limit/2 {
		t.Errorf("the cache holds %d of at most %d bytes", n, limit)
	}
	f.SetLimit(1)
	if n := f.Cached(); n != 0 {
		t.Errorf("the cache holds %d bytes", n)
	}
	account.Collect()
	if n := account.Used(); n != 0 {
		t.Errorf("%d bytes are charged for nothing", n)
	}
	runtime.KeepAlive(wants)
}

// checkCache checks that the ring and the lists of the files name the same columns, and that these add up.
func checkCache(t *testing.T, f *Files) {
	t.Helper()
	listed, bytes := 0, int64(0)
	seen := map[*file]bool{}
	for i, col := range f.cache.ring {
		if bytes += col.size; col.slot != i+1 || col.file.cached[col.place-1] != col {
			t.Fatalf("column %d of %d in the ring has the places %d and %d", i, len(f.cache.ring), col.slot, col.place)
		}
		if !seen[col.file] {
			seen[col.file] = true
			listed += len(col.file.cached)
		}
	}
	if listed != len(f.cache.ring) || bytes != f.Cached() {
		t.Errorf("%d columns of %d bytes are in the ring, %d are listed, %d bytes are counted", len(f.cache.ring), bytes, listed, f.Cached())
	}
}

// TestPurge removes one file after the other. What a file has in the cache goes, and nothing else.
func TestPurge(t *testing.T) {
	f, _ := newFiles(t, nil, 0)
	const files = 20
	var segs []*segment.Segment
	for i := range files {
		schema, seg := tiny(t)
		segs = append(segs, written(t, f, uint64(i), schema, seg))
		must(t, readAll(segs[i]))
	}
	each := f.Cached() / files
	for i := range files {
		must(t, f.Remove(uint64((i*7+3)%files)))
		checkCache(t, f)
		if n := f.Cached(); n != each*int64(files-1-i) {
			t.Errorf("%d bytes are cached of %d files, want %d for each", n, files-1-i, each)
		}
	}
	runtime.KeepAlive(segs)
}

// TestRefusedMemory has an account refuse what the cache would hold.
func TestRefusedMemory(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	plain, fs := newFiles(t, nil, 0)
	var texts [][]byte
	var schema *catalog.Schema
	largest, total := int64(0), int64(0)
	for i := range 5 {
		var seg *segment.Segment
		schema, seg = sealed(t, rng, shapesOfColumns[0], 5000)
		texts = append(texts, plain.Encode(nil, written(t, plain, uint64(i), schema, seg)))
		for c := range seg.Cols {
			largest, total = max(largest, seg.Cols[c].Bytes()), total+seg.Cols[c].Bytes()
		}
	}
	for _, limit := range []int64{4 * largest, largest / 2} {
		if limit > total/3 {
			t.Fatalf("%d of %d bytes are enough for all", limit, total)
		}
		account := mem.NewRoot("test", limit)
		f := New(fs, account.Child("tables"), 0)
		refused := 0
		for range 3 {
			for _, text := range texts {
				s, _, err := f.Decode(text, schema)
				must(t, err)
				if err := readAll(s); errors.Is(err, sqlerr.OutOfMemory) {
					refused++
				} else {
					must(t, err)
				}
			}
		}
		if (refused > 0) != (limit < largest) {
			t.Errorf("limit %d: %d refusals", limit, refused)
		}
		if peak := account.Peak(); peak > limit {
			t.Errorf("%d bytes of at most %d were in use", peak, limit)
		}
		must(t, f.Close())
	}
	root := mem.NewRoot("test", 3*total)
	f := New(fs, root.Child("tables"), 0)
	root.OnFull(f.Relieve)
	for _, text := range texts {
		s, _, err := f.Decode(text, schema)
		must(t, err)
		must(t, readAll(s))
	}
	before := f.Cached()
	if err := root.Child("query").Reserve(3*total - before*9/10); err != nil || f.Cached() > before*9/10 {
		t.Errorf("%v, the cache holds %d of %d bytes", err, f.Cached(), before)
	}
	must(t, f.Close())
}

// TestRemove reads columns of a file that is removed.
func TestRemove(t *testing.T) {
	f, fs := newFiles(t, nil, 0)
	schema, seg := sealed(t, rand.New(rand.NewSource(4)), shapesOfColumns[5], 3000)
	s := written(t, f, 1, schema, seg)
	if _, err := s.Cols[3].Data(); err != nil || f.Cached() == 0 {
		t.Fatal(err, f.Cached())
	}
	must(t, f.Remove(1))
	if list, err := fs.List(); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	same(t, schema, s, seg)
	if n := f.Cached(); n != 0 {
		t.Errorf("the cache holds %d bytes of a removed file", n)
	}
	if err := f.Remove(1); !errors.Is(err, sqlerr.ErrorOnWrite) {
		t.Errorf("removing it again returns %v", err)
	}
	again, err := f.NewWriter(1)
	must(t, err)
	must(t, again.Abort())
	if list, err := fs.List(); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestAddAgain adds a segment that is partly in a file: after ALTER TABLE, and with sketches that
// are known only when a load ends.
func TestAddAgain(t *testing.T) {
	f, _ := newFiles(t, nil, 0)
	schema, seg := sealed(t, rand.New(rand.NewSource(5)), shapesOfColumns[1], 3000)
	bare := *seg
	bare.Cols = append([]segment.Column(nil), seg.Cols...)
	for i := range bare.Cols {
		bare.Cols[i].Zone.Sketch = nil
	}
	w, err := f.NewWriter(1)
	must(t, err)
	first, err := w.Add(schema, &bare)
	must(t, err)
	if z, err := first.Cols[5].Counted(); z.Sketch != nil || err != nil {
		t.Fatal("a sketch comes from nowhere", err)
	}
	shared, err := seg.Cols[5].Counted()
	must(t, err)
	for i := range first.Cols {
		first.Cols[i].Zone.Sketch = shared.Sketch
	}
	before := w.Size()
	cached := f.Cached()
	second, err := w.Add(schema, first)
	must(t, err)
	if n := f.Cached(); n != cached {
		t.Errorf("the same columns take %d bytes of the cache, and %d with sketches", cached, n)
	}
	checkCache(t, f)
	if n := w.Size() - before; n > 5000 || n < 100 {
		t.Errorf("one sketch for all columns takes %d bytes", n)
	}
	must(t, w.Finish())
	must(t, errors.Join(f.Check(t.Context(), 1)...))

	altered := *second
	altered.Cols = append(append([]segment.Column(nil), second.Cols[:4]...), seg.Cols[4:]...)
	for i := range altered.Cols {
		altered.Cols[i] = altered.Cols[i].Retyped(schema.Columns[i].Type)
	}
	again := written(t, f, 2, schema, &altered)
	if list := Numbers(again); fmt.Sprint(list) != "[1 2]" {
		t.Errorf("the columns are in files %d", list)
	}
	for i := 4; i < len(seg.Cols); i++ {
		sameColumn(t, &schema.Columns[i], &again.Cols[i], &seg.Cols[i])
	}
	if z, err := again.Cols[0].Counted(); err != nil || z.Sketch.Estimate() != shared.Sketch.Estimate() {
		t.Errorf("the shared sketch is gone: %v", err)
	}
}

// TestSharedSketches has several goroutines write segments of one load: each sketch is written once, so that the
// size of a file does not depend on which of them is first.
func TestSharedSketches(t *testing.T) {
	f, _ := newFiles(t, nil, 0)
	schema, seg := tiny(t)
	w, err := f.NewWriter(1)
	must(t, err)
	const loads, segments = 300, 8
	for range loads {
		s := stats.NewSketch()
		start := make(chan struct{})
		var g errgroup.Group
		for range segments {
			part := *seg
			part.Cols = slices.Clone(seg.Cols)
			for i := range part.Cols {
				part.Cols[i].Zone.Sketch = s
			}
			g.Go(func() error {
				<-start
				_, err := w.Add(schema, &part)
				return err
			})
		}
		close(start)
		must(t, g.Wait())
	}
	out := w.out
	must(t, w.Finish())
	sketches := 0
	for _, x := range out.sections {
		if x.kind == sketchBlock {
			sketches++
		}
	}
	if sketches != loads {
		t.Errorf("%d sketches are written for %d loads", sketches, loads)
	}
}

// TestRetyped reads a column under another type.
func TestRetyped(t *testing.T) {
	f, _ := newFiles(t, nil, 0)
	schema, seg := sealed(t, rand.New(rand.NewSource(6)), shapesOfColumns[3], 2000)
	s := written(t, f, 1, schema, seg)
	at := -1
	for i := range schema.Columns {
		if schema.Columns[i].Type.ID == types.String {
			at = i
		}
	}
	longer := types.T(types.String)
	longer.Prec = 77
	for _, loaded := range []bool{false, true} {
		c := s.Cols[at].Retyped(longer)
		d, err := c.Data()
		must(t, err)
		if d.Dict == nil || d.Dict.Type != longer {
			t.Errorf("loaded before %v: %+v", loaded, d)
		}
		if d, err := s.Cols[at].Data(); err != nil || d.Dict.Type != schema.Columns[at].Type {
			t.Errorf("%v, %v", d, err)
		}
	}
}

// TestBoundsOfTexts checks that long bounds stay bounds when they are cut.
func TestBoundsOfTexts(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	alphabet := []string{"a", "z", "ä", "\u07ff", "\ud7ff", "\uffff", "\U0010ffff", "\xff", "\x80", "\x00"}
	for range 20_000 {
		var b strings.Builder
		letters := alphabet[:7+rng.Intn(4)]
		for range 1 + rng.Intn(60) {
			b.WriteString(letters[rng.Intn(len(letters))])
		}
		s := b.String()
		if rng.Intn(4) == 0 {
			s = strings.Repeat(letters[rng.Intn(len(letters))], 40) + s
		}
		lo, hi := cut(s, lower), cut(s, upper)
		if lo > s || hi < s || utf8.ValidString(s) && !(utf8.ValidString(lo) && utf8.ValidString(hi)) {
			t.Fatalf("%q is not between %q and %q", s, lo, hi)
		}
		if len(lo) > boundBytes || len(hi) > boundBytes+4 && strings.IndexByte("\xff\xf4", s[0]) < 0 { // nothing is greater than these
			t.Fatalf("%q is cut to %q and %q", s, lo, hi)
		}
	}
}
