package arrow

import (
	"encoding/binary"
	"io"
)

// verifiedStream passes an Arrow stream to the library, verifying each message first.
type verifiedStream struct {
	in   io.Reader
	most int64  // largest number of bytes in a message
	head []byte // unread part of the current message's length and metadata
	body int64  // unread bytes of its body
	done bool
	// skip reports whether a record batch, a message of the given number of bytes, is to be omitted;
	// nil omits none.
	skip func(size int64) bool

	views viewCounts
}

// continuation precedes the length of a message, except in old streams.
const continuation = 0xffffffff

// Read implements io.Reader.
func (s *verifiedStream) Read(p []byte) (int, error) {
	for len(s.head) == 0 && s.body == 0 {
		if s.done {
			return 0, io.EOF
		}
		if err := s.message(); err != nil {
			return 0, err
		}
	}
	if len(s.head) > 0 {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	n, err := s.in.Read(p[:min(int64(len(p)), s.body)])
	s.body -= int64(n)
	return n, err
}

// message reads the next message up to its body.
func (s *verifiedStream) message() error {
	head, err := s.take(nil, 4)
	if err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(head) == continuation {
		if head, err = s.take(head, 4); err != nil {
			return err
		}
	}
	size := int64(int32(binary.LittleEndian.Uint32(head[len(head)-4:])))
	if s.head = head; size == 0 { // the end
		s.done = true
		return nil
	}
	if size < 0 || size > s.most {
		return errMetadata
	}
	before := len(head)
	if head, err = s.take(head, size); err != nil {
		return err
	}
	kind, body, err := verifyMessage(head[before:], &s.views)
	if err == nil && body > s.most {
		err = errMetadata
	}
	if err == nil && kind == batchMessage && s.skip != nil && s.skip(int64(len(head))+body) {
		s.head = nil
		return s.discard(body)
	}
	s.head, s.body = head, body
	return err
}

// discard skips n bytes.
func (s *verifiedStream) discard(n int64) error {
	if f, ok := s.in.(io.Seeker); ok {
		_, err := f.Seek(n, io.SeekCurrent)
		return err
	}
	_, err := io.CopyN(io.Discard, s.in, n)
	return err
}

// take appends the next n bytes to b. Memory is allocated as they arrive.
func (s *verifiedStream) take(b []byte, n int64) ([]byte, error) {
	more, err := io.ReadAll(io.LimitReader(s.in, n))
	if err == nil && int64(len(more)) < n {
		if err = io.ErrUnexpectedEOF; len(b) == 0 && len(more) == 0 {
			err = io.EOF
		}
	}
	return append(b, more...), err
}
