package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/files/arrow"
	"gsql/storage/files/csv"
	"gsql/storage/files/format"
	"gsql/storage/files/jsonfile"
	"gsql/storage/files/parquet"
)

// Writer writes batches to a file. The file appears under its name when Close succeeds; after a
// failure it does not exist. A Writer must be used by one goroutine.
type Writer interface {
	// Write appends the rows of b, whose columns are those passed to NewWriter. It retains
	// nothing of b.
	Write(b *vec.Batch) error
	// Close completes the file, and releases the memory of its rows. After a failed Write it removes
	// what was written and returns the error of that Write.
	Close() error
	// Abort removes what was written. It does nothing after Close.
	Abort()
}

type fileWriter struct {
	path, temp string   // temp is a name in dir
	dir        *os.Root // open directory of path
	h          *os.File
	layers     []io.Closer // compression and buffer, outermost first
	enc        format.Encoder
	err        error
	finished   bool // the file is complete
	done       bool
}

// NewWriter creates a file in the format of the path's extension: .csv, .tsv, .json, .ndjson, .jsonl,
// .parquet, .arrow, .ipc or .feather, each optionally followed by .gz or .zst. Options may follow, as
// for Open; with partition=a,b the rows go to files in folders a=value/b=value. Errors: 1086 for an
// existing file, 1026 for one that cannot be written, 1210 for a wrong option, 1235 for another
// extension, 1290 if opt.Disk excludes the path.
func NewWriter(name string, cols []catalog.Column, opt WriteOptions) (Writer, error) {
	path, list := splitName(name)
	opt, err := opt.withInPlace(list)
	if err != nil {
		return nil, err
	}
	kind, comp, ok := formatOf(path)
	if opt.format != nil {
		kind, ok = *opt.format, true
	}
	if !ok || kind == xlsxFormat || kind == sqliteFormat {
		return nil, sqlerr.Unsupported(-1, "writing %s", filepath.Base(path)).WithHint("%s", writable)
	}
	f := target{under(opt.Dir, path), kind, comp}
	if len(opt.partition) > 0 {
		return newPartitions(f, cols, opt)
	}
	dir, err := opt.Disk.Dir(filepath.Dir(f.path))
	if err != nil {
		return nil, writeError(f.path, err)
	}
	return f.create(dir, cols, opt)
}

// writable is the hint for files that cannot be written.
const writable = "Files are written by their ending: .csv, .tsv, .json, .ndjson, .parquet or .arrow, each optionally followed by .gz or .zst."

// target is a file to be written.
type target struct {
	path string
	kind fileFormat
	comp format.Compression
}

// create creates the file in the open directory dir, which the writer closes.
func (f target) create(dir *os.Root, cols []catalog.Column, opt WriteOptions) (*fileWriter, error) {
	w := &fileWriter{path: f.path, dir: dir}
	err := w.create()
	if err != nil {
		dir.Close()
		return nil, writeError(f.path, err)
	}
	if w.enc, err = w.encoder(f.kind, f.comp, cols, opt); err != nil {
		w.Abort()
		return nil, writeError(f.path, err)
	}
	return w, nil
}

// create creates the file under a temporary name.
func (w *fileWriter) create() (err error) {
	if _, err := w.dir.Lstat(w.base()); err == nil {
		return exists(w.path)
	}
	for {
		w.temp = fmt.Sprintf(".%s.%d", w.base(), rand.Uint64())
		if w.h, err = w.dir.OpenFile(w.temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); !errors.Is(err, os.ErrExist) {
			return err
		}
	}
}

// base returns the file's name in its directory.
func (w *fileWriter) base() string { return filepath.Base(w.path) }

func (w *fileWriter) encoder(kind fileFormat, comp format.Compression, cols []catalog.Column, opt WriteOptions) (format.Encoder, error) {
	buf := bufio.NewWriterSize(w.h, writeBuffer)
	w.layers = []io.Closer{flusher{buf}}
	var out io.Writer = buf
	switch comp {
	case format.Gzip:
		z := gzip.NewWriter(buf)
		out, w.layers = z, []io.Closer{z, flusher{buf}}
	case format.Zstandard:
		z, err := zstd.NewWriter(buf)
		if err != nil {
			return nil, err
		}
		out, w.layers = z, []io.Closer{z, flusher{buf}}
	}
	switch kind {
	case parquetFormat:
		return parquet.NewEncoder(out, cols, format.Written{Account: opt.Mem, Others: opt.others})
	case arrowFormat:
		return arrow.NewEncoder(out, cols, format.Written{Account: opt.Mem, Others: opt.others})
	case jsonFormat, ndjsonFormat:
		return jsonfile.NewEncoder(out, kind == jsonFormat, cols), nil
	}
	return csv.NewEncoder(out, kind == tsvFormat, cols, opt.WriteOptions)
}

// writeBuffer is the number of bytes that wait for each write to a file.
const writeBuffer = 1 << 18

type flusher struct{ *bufio.Writer }

// Close implements io.Closer.
func (f flusher) Close() error { return f.Flush() }

func exists(path string) error {
	return sqlerr.New(sqlerr.FileExists, "File '%s' already exists", path).
		WithHint("Remove it first, or choose another name.")
}

func writeError(path string, err error) error {
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return err
	}
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return sqlerr.Wrap(sqlerr.ErrorOnWrite, err, "Error writing file '%s'", path)
}

// Write implements Writer.
func (w *fileWriter) Write(b *vec.Batch) error {
	if w.err == nil {
		w.err = w.enc.Write(b)
	}
	if w.err != nil {
		return writeError(w.path, w.err)
	}
	return nil
}

// Close implements Writer.
func (w *fileWriter) Close() error {
	if w.done {
		return nil
	}
	defer w.Abort()
	if err := w.finish(); err != nil {
		return err
	}
	return w.publish()
}

// finish completes the file under its temporary name.
func (w *fileWriter) finish() error {
	if w.finished {
		return nil
	}
	w.finished = true
	if w.err == nil {
		w.err = w.enc.Finish()
	}
	for _, l := range w.layers {
		if err := l.Close(); w.err == nil {
			w.err = err
		}
	}
	if w.err == nil {
		w.err = w.h.Chmod(0o644)
	}
	if w.err == nil {
		w.err = w.h.Close()
	}
	if w.err != nil {
		return writeError(w.path, w.err)
	}
	return nil
}

// publish gives the file its name without replacing another file: unlike a rename, a link fails
// if the name exists. On file systems without links it renames.
func (w *fileWriter) publish() error {
	err := w.dir.Link(w.temp, w.base())
	if errors.Is(err, os.ErrExist) {
		return exists(w.path)
	}
	if err != nil {
		if _, e := w.dir.Lstat(w.base()); e == nil {
			return exists(w.path)
		}
		if err = w.dir.Rename(w.temp, w.base()); err != nil {
			return writeError(w.path, err)
		}
	}
	return nil
}

// Abort implements Writer.
func (w *fileWriter) Abort() {
	if w.done {
		return
	}
	w.done = true
	if f, ok := w.enc.(interface{ Free() }); ok {
		f.Free()
	}
	w.h.Close() // after success it is already closed
	_ = w.dir.Remove(w.temp)
	w.dir.Close()
}
