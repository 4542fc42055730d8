package files

import (
	"context"
	"errors"
	"io"
)

// readAhead unpacks a compressed file in a goroutine of its own.
type readAhead struct {
	blocks chan []byte
	cancel context.CancelFunc
	done   chan struct{}
	err    error // of the goroutine; valid when blocks is closed
	block  []byte
	ctx    context.Context
}

func startReadAhead(ctx context.Context, in io.Reader) *readAhead {
	ctx, cancel := context.WithCancel(ctx)
	a := &readAhead{blocks: make(chan []byte, 4), cancel: cancel, done: make(chan struct{}), ctx: ctx}
	go func() {
		defer close(a.done)
		defer close(a.blocks)
		for a.err == nil {
			buf := make([]byte, chunkSize)
			n, err := io.ReadFull(in, buf)
			if err == io.ErrUnexpectedEOF {
				err = unexpectedEnd(in)
			}
			a.err = err
			select {
			case a.blocks <- buf[:n]:
			case <-ctx.Done():
				a.err = ctx.Err()
			}
		}
	}()
	return a
}

// unexpectedEnd tells a short last block from a compressed file that was cut short:
// the reader repeats the latter's error.
func unexpectedEnd(in io.Reader) error {
	_, err := in.Read(make([]byte, 1))
	if err == io.ErrUnexpectedEOF {
		return errCutShort
	}
	return err
}

var errCutShort = errors.New("the compressed data is cut short")

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

func (a *readAhead) stop() {
	a.cancel()
	<-a.done
}
