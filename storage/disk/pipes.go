package disk

import (
	"bytes"
	"context"
	"io"
	"io/fs"

	"gsql/sql/sqlerr"
)

// Pipes holds the pipes that a statement has begun to read, for calls that open the same files
// again with other options: data read from a pipe cannot be read again. The zero value is ready
// to use.
type Pipes struct{ open map[string]*Pipe }

// IsPipe reports whether a file is a pipe or a terminal, which can be read only once.
func IsPipe(info fs.FileInfo) bool { return info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0 }

// Find returns the pipe with that name and opens it if it is not open.
func (ps *Pipes) Find(ctx context.Context, d *Disk, path string) (*Pipe, error) {
	if p := ps.open[path]; p != nil {
		return p, nil
	}
	in, err := d.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	if ps.open == nil {
		ps.open = make(map[string]*Pipe)
	}
	ps.open[path] = &Pipe{path: path, in: in}
	return ps.open[path], nil
}

// Pipe is an open pipe with the data read from it to detect its contents. It is not safe for
// concurrent use.
type Pipe struct {
	path  string
	in    *File
	seen  []byte
	taken bool
}

// Take prepares the only scan of the pipe, whose reads end with ctx. A second call returns error
// 1024.
func (p *Pipe) Take(ctx context.Context) error {
	if p.taken {
		return sqlerr.New(sqlerr.ErrorOnRead, "Error reading file '%s': it is a pipe, which can be read only once", p.path).
			WithHint("Load it into a table first.")
	}
	p.taken = true
	p.in.EndWith(ctx)
	return nil
}

// Reader returns a reader of the pipe from its start. Before Take it may be called repeatedly.
func (p *Pipe) Reader() io.ReadCloser {
	if !p.taken {
		return &pipeLook{pipe: p}
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(p.seen), p.in), p.in}
}

// pipeLook reads a pipe and keeps the data for later readers.
type pipeLook struct {
	pipe *Pipe
	at   int
}

// Read implements io.Reader.
func (l *pipeLook) Read(b []byte) (int, error) {
	p := l.pipe
	if l.at == len(p.seen) {
		n, err := p.in.Read(b)
		p.seen = append(p.seen, b[:n]...)
		l.at += n
		return n, err
	}
	n := copy(b, p.seen[l.at:])
	l.at += n
	return n, nil
}

// Close implements io.Closer.
func (*pipeLook) Close() error { return nil }
