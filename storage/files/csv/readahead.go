package csv

import (
	"context"
	"io"

	"gsql/storage/files/format"
)

// readAhead unpacks a compressed file in a separate goroutine.
type readAhead struct {
	blocks chan []byte
	done   chan struct{}
	err    error // set by the goroutine; valid once blocks is closed
	block  []byte
	ctx    context.Context
}

// startReadAhead reads in until its end or the end of ctx.
func startReadAhead(ctx context.Context, path string, in io.Reader) *readAhead {
	a := &readAhead{blocks: make(chan []byte, 4), done: make(chan struct{}), ctx: ctx}
	go func() {
		defer close(a.done)
		defer close(a.blocks)
		a.err = format.Guard(path, func() error { return a.unpack(in) })
	}()
	return a
}

// unpack sends blocks until an error, including io.EOF.
func (a *readAhead) unpack(in io.Reader) error {
	for {
		buf := make([]byte, format.ChunkSize)
		n, err := io.ReadFull(in, buf)
		if err == io.ErrUnexpectedEOF {
			err = unexpectedEnd(in)
		}
		select {
		case a.blocks <- buf[:n]:
		case <-a.ctx.Done():
			return a.ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// unexpectedEnd distinguishes a short last block (nil) from a compressed file that was cut short,
// for which the reader repeats its error.
func unexpectedEnd(in io.Reader) error {
	_, err := in.Read(make([]byte, 1))
	if err == io.ErrUnexpectedEOF {
		return format.ErrCutShort
	}
	return err
}

// Read implements io.Reader.
func (a *readAhead) Read(p []byte) (int, error) {
	for len(a.block) == 0 {
		var ok bool
		select {
		case a.block, ok = <-a.blocks:
		case <-a.ctx.Done():
			return 0, a.ctx.Err()
		}
		if !ok {
			return 0, a.err
		}
	}
	n := copy(p, a.block)
	a.block = a.block[n:]
	return n, nil
}

// wait waits for the goroutine to end. The context must have ended.
func (a *readAhead) wait() { <-a.done }
