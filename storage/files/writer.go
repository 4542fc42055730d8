package files

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Enclose says which fields of a CSV file are quoted.
type Enclose uint8

// The ways to quote: only where a field would be misread otherwise, all fields
// (ENCLOSED BY), and all text (OPTIONALLY ENCLOSED BY). NULLs are never quoted.
const (
	EncloseNeeded Enclose = iota
	EncloseAll
	EncloseText
)

// WriteOptions says how CSV and TSV files are written; the other formats take none.
// The zero value writes what Open reads back unchanged: a header line, quotes where
// needed, NULL as nothing and the empty text as "".
type WriteOptions struct {
	Dir        string  // directory that relative paths start from; "" is the process's
	Delimiter  string  // FIELDS TERMINATED BY; "" is a comma, for .tsv a tab
	Quote      *byte   // ENCLOSED BY; nil is ", a zero byte none
	Enclose    Enclose // which fields are quoted
	Escape     *byte   // ESCAPED BY; nil and zero mean that quotes are doubled instead
	Lines      string  // LINES TERMINATED BY; "" is \n
	LinePrefix string  // LINES STARTING BY
	Header     *bool   // whether the first line names the columns; nil means yes
	NullText   *string // nil is \N with an escape and nothing without
}

// Writer writes batches to a file. The file appears under its name when Close
// succeeds; until then and after a failure there is nothing. It is for one goroutine.
type Writer interface {
	// Write appends the rows of b, whose columns are those of NewWriter. It keeps
	// nothing of b.
	Write(b *vec.Batch) error
	// Close completes the file. After a failed Write it removes what was written and
	// gives that error again.
	Close() error
	// Abort removes what was written. It does nothing after Close.
	Abort()
}

// encoder is what formats differ in.
type encoder interface {
	write(b *vec.Batch) error
	// finish writes what is still held back and the end of the format.
	finish() error
}

type fileWriter struct {
	path, temp string
	h          *os.File
	layers     []io.Closer // compression and buffer, outermost first
	enc        encoder
	err        error
	done       bool
}

// NewWriter creates a file in the format of the path's ending; CSV and TSV may also end
// in .gz or .zst. Errors: 1086 when the file exists, 1026 when it cannot be written,
// 1235 for another ending.
func NewWriter(path string, cols []catalog.Column, opt WriteOptions) (Writer, error) {
	format, comp, ok := formatOf(path)
	if !ok || comp != plain && format != csvFormat && format != tsvFormat {
		return nil, sqlerr.Unsupported(-1, "writing %s", filepath.Base(path)).
			WithHint("Files are written by their ending: .csv and .tsv (also with .gz or .zst), .parquet or .arrow.")
	}
	if opt.Dir != "" && !filepath.IsAbs(path) {
		path = filepath.Join(opt.Dir, path)
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, exists(path)
	}
	h, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, writeError(path, err)
	}
	w := &fileWriter{path: path, temp: h.Name(), h: h}
	if w.enc, err = w.encoder(format, comp, cols, opt); err != nil {
		w.Abort()
		return nil, writeError(path, err)
	}
	return w, nil
}

func (w *fileWriter) encoder(f format, comp compression, cols []catalog.Column, opt WriteOptions) (encoder, error) {
	buf := bufio.NewWriterSize(w.h, 1<<18)
	w.layers = []io.Closer{flusher{buf}}
	switch f {
	case parquetFormat:
		return newParquetEncoder(buf, cols)
	case arrowFormat:
		return newArrowEncoder(buf, cols)
	}
	var out io.Writer = buf
	switch comp {
	case gzipped:
		z := gzip.NewWriter(buf)
		out, w.layers = z, []io.Closer{z, flusher{buf}}
	case zstandard:
		z, err := zstd.NewWriter(buf)
		if err != nil {
			return nil, err
		}
		out, w.layers = z, []io.Closer{z, flusher{buf}}
	}
	return newCSVEncoder(out, f, cols, opt)
}

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
		w.err = w.enc.write(b)
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
	if w.err == nil {
		w.err = w.enc.finish()
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
	return w.publish()
}

// publish gives the file its name without replacing another: a link fails where a
// rename would not. File systems without links are served by the rename.
func (w *fileWriter) publish() error {
	err := os.Link(w.temp, w.path)
	if errors.Is(err, os.ErrExist) {
		return exists(w.path)
	}
	if err != nil {
		if _, e := os.Lstat(w.path); e == nil {
			return exists(w.path)
		}
		if err = os.Rename(w.temp, w.path); err != nil {
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
	w.h.Close() // closed already after success
	os.Remove(w.temp)
}

// writable gives the type a column is written with: NULL columns become text.
func writable(t types.Type) types.Type {
	if t.ID == types.Null {
		return types.T(types.String)
	}
	return t
}
