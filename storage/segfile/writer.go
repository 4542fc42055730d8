package segfile

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/storage/segfile/pack"
	"gsql/storage/segment"
	"gsql/storage/stats"
	"gsql/storage/vfs"
)

// Writer writes one segment file. Add may be called from several goroutines.
type Writer struct {
	files *Files
	file  *file
	out   vfs.File

	starting atomic.Bool // a goroutine makes the system write

	mu       sync.Mutex
	end      int64 // of the blocks whose place is known
	begun    int64 // end when the system began to write
	sections []section
	sketches map[*stats.Sketch]*placed // that are in the file, or are being written to it
	err      error                     // the first failure; there is no file then
}

// NewWriter creates a file.
func (f *Files) NewWriter(number uint64) (*Writer, error) {
	w := &Writer{files: f, file: f.file(number), end: headBytes, sketches: map[*stats.Sketch]*placed{}}
	var err error
	if w.out, err = f.fs.Create(w.file.name); err != nil {
		f.forget(w.file)
		return nil, writeError(err, w.file.path())
	}
	if _, err = w.out.WriteAt(header(number), 0); err != nil {
		_ = w.Abort() // the error to report is that of the write
		return nil, writeError(err, w.file.path())
	}
	return w, nil
}

// compression returns how the bytes of a table's columns are compressed.
func compression(by catalog.Compression) pack.Compression {
	switch by {
	case catalog.NoCompression:
		return pack.Plain
	case catalog.Zstd:
		return pack.Zstd
	}
	return pack.LZ4
}

// Compressed reports whether all columns of a segment in files are compressed, or not, as by says.
func Compressed(s *segment.Segment, by catalog.Compression) bool {
	for i := range s.Cols {
		if c, ok := s.Cols[i].Source().(*column); ok && c.by != compression(by) {
			return false
		}
	}
	return true
}

// encoders hold buffers for encoding columns.
var encoders = sync.Pool{New: func() any { return new(encoder) }}

// Add writes the columns and the sketches of a segment that are in no file yet, and returns the
// segment whose columns are loaded from files. Columns in memory go to the cache. They can be read
// at once, also before Finish. After an error the file can only be aborted.
func (w *Writer) Add(schema *catalog.Schema, s *segment.Segment) (*segment.Segment, error) {
	out := *s
	out.Cols = slices.Clone(s.Cols)
	var next atomic.Int64
	columns := func() error {
		encoding.Add(1)
		defer encoding.Add(-1)
		e := encoders.Get().(*encoder)
		defer encoders.Put(e)
		e.by = compression(schema.Compression)
		for i := next.Add(1) - 1; i < int64(len(out.Cols)); i = next.Add(1) - 1 {
			if err := w.column(e, &schema.Columns[i], s.Rows, &out.Cols[i]); err != nil {
				next.Store(int64(len(out.Cols)))
				return err
			}
		}
		return nil
	}
	var g errgroup.Group
	for range w.helpers(s) {
		g.Go(func() error { return sqlerr.Guard(columns) })
	}
	err := columns()
	if others := g.Wait(); err == nil {
		err = others
	}
	if err != nil {
		return nil, w.fail(err)
	}
	return &out, nil
}

// encoding is the number of goroutines of the process that encode columns.
var encoding atomic.Int64

// fewest is the number of values from which columns of a segment are encoded side by side.
const fewest = 64 << 10

// helpers returns how many goroutines beside the caller's encode the columns of s: as many as there are cores
// that no other segment keeps busy, such as at the end of a load. Each of them needs memory.
func (w *Writer) helpers(s *segment.Segment) int {
	if s.Rows*len(s.Cols) < fewest || w.files.account.Left() < 4*encodingPart*s.Bytes {
		return 0
	}
	return max(0, min(len(s.Cols), runtime.GOMAXPROCS(0)-int(encoding.Load()))-1)
}

// column replaces c, a column in memory or one whose sketch is, by one that is in the file.
func (w *Writer) column(e *encoder, def *catalog.Column, rows int, c *segment.Column) error {
	old, stored := c.Source().(*column)
	if stored && c.Zone.Sketch == nil {
		return nil
	}
	x := &column{typ: def.Type, rows: rows}
	var data *segment.Data
	var err error
	if stored {
		x.file, x.ref, x.bytes, x.footprint, x.by = old.file, old.ref, old.bytes, old.footprint, old.by
		data = old.data.Load()
	} else {
		if data, err = c.Data(); err != nil {
			return err
		}
		x.file, x.bytes, x.footprint, x.by = w.file, c.Bytes(), data.Footprint(), e.by
		if x.ref, err = w.data(e, def, data); err != nil {
			return err
		}
	}
	if s := c.Zone.Sketch; s != nil {
		x.counted = w.file
		if x.sketch, err = w.sketch(e, s); err != nil {
			return err
		}
	}
	if data != nil {
		x.keep(data)
		if stored {
			w.files.cache.forget(old)
		}
	}
	z := c.Zone
	z.Sketch = nil
	*c = segment.OnDemand(z, x.bytes, c.HasRuns(), x)
	return nil
}

// data writes the data of a column.
func (w *Writer) data(e *encoder, def *catalog.Column, d *segment.Data) (Ref, error) {
	n := encodingPart * d.Footprint()
	if err := w.files.reserve(n, func() error { return w.files.account.Reserve(n) }); err != nil {
		return Ref{}, err
	}
	defer w.files.account.Release(n)
	e.dst = append(e.dst[:0], columnBlock)
	e.column(def.Type, d)
	return w.block(columnBlock, e.dst)
}

// encodingPart is the memory for encoding a column, as a multiple of the column's: integers are
// widened, and texts are compressed to a buffer before they are added to the block.
const encodingPart = 2

// placed is a sketch that one goroutine writes for all whose columns share it.
type placed struct {
	once sync.Once
	ref  Ref
	err  error
}

// sketch writes a sketch, once for all columns that share it.
func (w *Writer) sketch(e *encoder, s *stats.Sketch) (Ref, error) {
	w.mu.Lock()
	p := w.sketches[s]
	if p == nil {
		p = new(placed)
		w.sketches[s] = p
	}
	w.mu.Unlock()
	p.once.Do(func() {
		e.bytes = s.Append(e.bytes[:0])
		e.dst = pack.AppendBytes(append(e.dst[:0], sketchBlock), e.bytes, pack.LZ4)
		p.ref, p.err = w.block(sketchBlock, e.dst)
	})
	return p.ref, p.err
}

// block writes a block behind those before.
func (w *Writer) block(kind byte, block []byte) (Ref, error) {
	w.mu.Lock()
	r := Ref{File: w.file.number, Offset: w.end, Length: int64(len(block) + checkBytes)}
	err := w.err
	w.end += r.Length
	w.sections = append(w.sections, section{kind, r.Length})
	start := w.end-w.begun >= startBytes
	if start {
		w.begun = w.end
	}
	w.mu.Unlock()
	if err != nil {
		return Ref{}, err
	}
	if _, err := w.out.WriteAt(appendCheck(block, r.File, r.Offset), r.Offset); err != nil {
		return Ref{}, writeError(err, w.file.path())
	}
	if start && w.starting.CompareAndSwap(false, true) {
		vfs.StartSync(w.out) // it may take a while if the disk is busy; others go on
		w.starting.Store(false)
	}
	return r, nil
}

// startBytes is the number of bytes after which the disk begins to write them: it then works beside
// those who make segments, and not only in Finish.
const startBytes = 8 << 20

// fail records the first failure and returns it.
func (w *Writer) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	return w.err
}

// Size returns the bytes written so far.
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end
}

// Finish completes the file and makes it durable. Its name is durable after the folder has been
// synced. After an error the file can only be aborted.
func (w *Writer) Finish() error {
	if w.err != nil {
		return w.err
	}
	if _, err := w.out.WriteAt(footer(w.sections), w.end); err != nil {
		return w.fail(writeError(err, w.file.path()))
	}
	if err := w.out.Sync(); err != nil {
		return w.fail(writeError(err, w.file.path()))
	}
	if err := w.out.Close(); err != nil {
		return w.fail(writeError(err, w.file.path()))
	}
	w.out = nil
	return nil
}

// Abort removes an unfinished file. Nothing must be read from it afterwards.
func (w *Writer) Abort() error {
	if w.out == nil {
		return sqlerr.Internal("segment file %s is complete", w.file.path())
	}
	_ = w.out.Close() // what it contains does not matter
	w.out = nil
	w.file.close()
	return w.files.unlink(w.file)
}
