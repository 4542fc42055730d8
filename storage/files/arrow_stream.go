package files

import (
	"encoding/binary"
	"io"
)

// verifiedStream hands on an Arrow stream whose messages it verifies before the library meets
// them.
type verifiedStream struct {
	in   io.Reader
	most int64  // bytes of a message at most
	head []byte // of the message at hand: what is left of its length and metadata
	body int64  // and of its body
	done bool
}

// continuation stands before the length of a message, but in old streams.
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

// message reads up to the body of the next message.
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
		return errArrowMetadata
	}
	before := len(head)
	if head, err = s.take(head, size); err != nil {
		return err
	}
	if s.body, err = verifyMessage(head[before:]); err == nil && s.body > s.most {
		err = errArrowMetadata
	}
	s.head = head
	return err
}

// take appends the next n bytes to b. Memory is taken as they come.
func (s *verifiedStream) take(b []byte, n int64) ([]byte, error) {
	more, err := io.ReadAll(io.LimitReader(s.in, n))
	if err == nil && int64(len(more)) < n {
		if err = io.ErrUnexpectedEOF; len(b) == 0 && len(more) == 0 {
			err = io.EOF
		}
	}
	return append(b, more...), err
}
