package format

import (
	"bytes"
	"context"
	"io"
)

// memoryFile is a compressed file unpacked into memory.
type memoryFile struct {
	*bytes.Reader
	held Hold
}

// Close implements io.Closer.
func (m *memoryFile) Close() error { return m.held.Set(0) }

// readAll reads in to its end, or slightly beyond maxInflated. It reserves memory before
// allocating it.
func (m *memoryFile) readAll(ctx context.Context, in io.Reader) ([]byte, error) {
	data := make([]byte, 0, 1<<16)
	for len(data) <= maxInflated {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			more := int64(2 * cap(data))
			if err := m.held.Set(int64(cap(data)) + more); err != nil {
				return nil, err
			}
			data = append(make([]byte, 0, more), data...)
			if err := m.held.Set(more); err != nil {
				return nil, err
			}
		}
		n, err := in.Read(data[len(data):min(cap(data), len(data)+ChunkSize)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return data, nil
}
