package files

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// mostPartitions bounds the files that a statement writes, each of which has buffers of its own.
const mostPartitions = 1000

// partitionWriter distributes rows to files in folders named key=value, as Open reads them. The files
// appear together when Close succeeds.
type partitionWriter struct {
	target
	cols    []catalog.Column // those of the files
	keys    []int            // columns of the batches that name the folders
	rest    []int            // the others
	names   []string
	opt     WriteOptions
	account *mem.Account // of buffers of the files; may be nil
	root    *os.Root
	files   map[string]*fileWriter
	order   []*fileWriter
	err     error
	key     []byte
}

func newPartitions(f target, cols []catalog.Column, opt WriteOptions) (Writer, error) {
	w := &partitionWriter{target: f, names: opt.partition, opt: opt, files: make(map[string]*fileWriter)}
	if w.opt.others = w.relieve; opt.Mem != nil {
		w.account = opt.Mem.Child("writing files")
	}
	for _, name := range opt.partition {
		at := slices.IndexFunc(cols, func(c catalog.Column) bool { return catalog.EqualFold(c.Name, name) })
		if at < 0 || slices.Contains(w.keys, at) {
			return nil, wrongOption(inPlace{"partition", strings.Join(opt.partition, ",")}, "Its names are those of columns of the query, each once.")
		}
		w.keys = append(w.keys, at)
	}
	for i, c := range cols {
		if !slices.Contains(w.keys, i) {
			w.rest, w.cols = append(w.rest, i), append(w.cols, c)
		}
	}
	if len(w.cols) == 0 {
		return nil, wrongOption(inPlace{"partition", strings.Join(opt.partition, ",")}, "At least one column must remain for the files.")
	}
	var err error
	if w.root, err = opt.Disk.Dir(filepath.Dir(f.path)); err != nil {
		return nil, writeError(f.path, err)
	}
	return w, nil
}

// Write implements Writer.
func (w *partitionWriter) Write(b *vec.Batch) error {
	if w.err == nil {
		w.err = w.write(b)
	}
	return w.err
}

func (w *partitionWriter) write(b *vec.Batch) error {
	rows := map[string][]int32{}
	var folders []string
	for row := range b.N {
		folder := w.folder(b, row)
		if rows[folder] == nil {
			folders = append(folders, folder)
		}
		rows[folder] = append(rows[folder], int32(row))
	}
	part := &vec.Batch{N: b.N}
	for _, c := range w.rest {
		part.Cols = append(part.Cols, b.Cols[c])
	}
	for _, folder := range folders {
		f, err := w.in(folder)
		if err != nil {
			return err
		}
		if err := f.Write(vec.Select(part, rows[folder])); err != nil {
			return err
		}
	}
	return nil
}

// folder returns the folder of a row.
func (w *partitionWriter) folder(b *vec.Batch, row int) string {
	parts := make([]string, len(w.keys))
	for i, k := range w.keys {
		value := noPartition
		if d := catalog.DatumAt(b.Cols[k], row); !d.Null {
			w.key = d.AppendText(w.key[:0])
			value = url.PathEscape(string(w.key))
		}
		parts[i] = url.PathEscape(w.names[i]) + "=" + value
	}
	return filepath.Join(parts...)
}

// in returns the file in a folder.
func (w *partitionWriter) in(folder string) (*fileWriter, error) {
	if f := w.files[folder]; f != nil {
		return f, nil
	}
	if len(w.order) == mostPartitions {
		return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to file: there are more than %d partitions", mostPartitions).
			WithHint("Partition by fewer columns, or by ones with fewer values.")
	}
	if err := w.root.MkdirAll(folder, 0o755); err != nil {
		return nil, writeError(filepath.Join(filepath.Dir(w.path), folder), err)
	}
	dir, err := w.root.OpenRoot(folder)
	if err != nil {
		return nil, writeError(filepath.Join(filepath.Dir(w.path), folder), err)
	}
	if err := w.reserve(); err != nil {
		dir.Close()
		return nil, err
	}
	own := w.target
	own.path = filepath.Join(filepath.Dir(w.path), folder, filepath.Base(w.path))
	f, err := own.create(dir, w.cols, w.opt)
	if err != nil {
		return nil, err
	}
	w.files[folder], w.order = f, append(w.order, f)
	return f, nil
}

// reserve charges for the buffers of one more file. If there is no memory for them, the files write the
// rows that they hold.
func (w *partitionWriter) reserve() error {
	err := w.account.Reserve(bufferBytes[w.comp])
	if !errors.Is(err, sqlerr.OutOfMemory) {
		return err
	}
	if err := w.relieve(); err != nil {
		return err
	}
	return w.account.Reserve(bufferBytes[w.comp])
}

// bufferBytes are about the bytes of a file's buffers by compression.
var bufferBytes = map[format.Compression]int64{format.Plain: writeBuffer, format.Gzip: writeBuffer + 1<<20, format.Zstandard: writeBuffer + 8<<20}

// relieve has all files write the rows that they hold.
func (w *partitionWriter) relieve() error {
	for _, f := range w.order {
		if enc, ok := f.enc.(interface{ Relieve() error }); ok && f.err == nil {
			if err := enc.Relieve(); err != nil {
				return writeError(f.path, err)
			}
		}
	}
	return nil
}

// Close implements Writer.
func (w *partitionWriter) Close() error {
	defer w.Abort()
	for _, f := range w.order {
		if w.err == nil {
			w.err = f.finish()
		}
	}
	for i, f := range w.order {
		if w.err != nil {
			break
		}
		if w.err = f.publish(); w.err != nil {
			for _, done := range w.order[:i] {
				w.err = errors.Join(w.err, done.dir.Remove(done.base()))
			}
		}
	}
	return w.err
}

// Abort implements Writer.
func (w *partitionWriter) Abort() {
	w.account.End()
	for _, f := range w.order {
		f.Abort()
	}
	if w.root != nil {
		w.root.Close()
		w.root = nil
	}
}
