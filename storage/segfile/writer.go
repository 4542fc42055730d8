package segfile

import (
	"errors"
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
)

// Writer writes one segment file. Add may be called from several goroutines.
type Writer struct {
	files *Files
	file  *file
	out   *output // nil after Finish or Abort

	mu       sync.Mutex
	sketches map[*stats.Sketch]*placed // that are in the file, or are being written to it
	size     int64                     // of a complete file
}

// NewWriter creates a file.
func (f *Files) NewWriter(number uint64) (*Writer, error) {
	w := &Writer{files: f, file: f.file(number), sketches: map[*stats.Sketch]*placed{}}
	out, err := f.fs.Create(w.file.name)
	if err != nil {
		f.forget(w.file)
		return nil, writeError(err, w.file.path())
	}
	w.out = newOutput(out, w.file.path(), f.account)
	w.file.out.Store(w.out)
	if err = w.out.write(header(number), 0); err != nil {
		_ = w.Abort() // the error to report is that of the write
		return nil, err
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
		return nil, w.out.fail(err)
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
	return w.out.add(w.file.number, columnBlock, e.dst)
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
		p.ref, p.err = w.out.add(w.file.number, sketchBlock, e.dst)
	})
	return p.ref, p.err
}

// Size returns the bytes of the file so far.
func (w *Writer) Size() int64 {
	if w.out == nil {
		return w.size
	}
	return w.out.size()
}

// Finish completes the file and makes it durable. Its name is durable after the folder has been
// synced. After an error the file can only be aborted.
func (w *Writer) Finish() error {
	o := w.out
	o.stop()
	if err := o.failed(); err != nil {
		return err
	}
	if err := o.write(footer(o.sections), o.end); err != nil {
		return err
	}
	if err := o.file.Sync(); err != nil {
		return o.fail(writeError(err, o.path))
	}
	if err := o.file.Close(); err != nil {
		return o.fail(writeError(err, o.path))
	}
	w.size, w.out = o.end, nil
	w.file.out.Store(nil)
	return nil
}

// errAborted is why nothing is written any more.
var errAborted = errors.New("the file is removed")

// Abort removes an unfinished file. Nothing must be read from it afterwards.
func (w *Writer) Abort() error {
	o := w.out
	if o == nil {
		return sqlerr.Internal("segment file %s is complete", w.file.path())
	}
	_ = o.fail(errAborted) // what waits is not written
	o.stop()
	_ = o.file.Close() // what it contains does not matter
	w.out = nil
	w.file.out.Store(nil)
	w.file.close()
	return w.files.unlink(w.file)
}
