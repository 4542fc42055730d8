package chainlog

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"

	"gsql/internal/mem"
	"gsql/storage/vfs"
)

// End is where the valid records of a log end. Pos is 0 if a crash interrupted the log's creation;
// Continue then creates it anew.
type End struct {
	Pos  Pos
	Torn int64 // bytes behind Pos that a crash left; Continue removes them

	kind   Kind
	header header
	chain  uint32
	synced Pos  // records say that so much was durable
	marked bool // the last record is a mark
}

// pass moves the end behind a valid record.
func (e *End) pass(r record) {
	e.chain, e.synced = r.chain, max(e.synced, r.synced)
	e.Pos += recordSize + Pos(padded(int64(r.length)))
	e.marked = r.typ == typeMark
}

// Damaged is an error: damage that a crash cannot explain.
type Damaged struct {
	File   string // path
	Offset int64  // of the broken record or header
	Reason string
}

// Error names the file and the place.
func (e *Damaged) Error() string {
	return fmt.Sprintf("%s is damaged at offset %d: %s", e.File, e.Offset, e.Reason)
}

// Scan calls fn for each record of a log, with the position that Append returned for it. The record
// must not be used after fn returns. Scan returns the end of the valid records, also next to an
// error, which is fn's own, that of the file system, or a *Damaged. The log may be open for
// appending, also in another process; Scan then ends somewhere behind what was durable at first.
func Scan(fsys vfs.FS, name string, kind Kind, fn func(at Pos, record []byte) error) (End, error) {
	s, found, err := open(fsys, name, kind)
	if s == nil {
		return End{}, err
	}
	defer s.close()
	if err != nil || !found {
		return s.end, err
	}
	return s.end, s.records(fn)
}

// open opens a log and reads its header; found is false if it has none. A scanner, unless it is nil,
// must be closed, also if there is an error.
func open(fsys vfs.FS, name string, kind Kind) (s *scanner, found bool, err error) {
	if err := kind.check(); err != nil {
		return nil, false, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, false, err
	}
	s = &scanner{
		path: filepath.Join(fsys.String(), name),
		in:   window{file: f, account: mem.NewRoot("reading a log", 0)},
		end:  End{kind: kind},
	}
	if s.in.size, err = f.Size(); err != nil {
		return s, false, err
	}
	found, err = s.header()
	return s, found, err
}

func (s *scanner) close() {
	s.in.free()
	_ = s.in.file.Close() // it was only read
}

// records calls fn for the records behind what is valid.
func (s *scanner) records(fn func(at Pos, record []byte) error) error {
	for {
		if more, err := s.record(fn); err != nil || !more {
			return err
		}
	}
}

// scanner reads the records of a log.
type scanner struct {
	path string
	in   window
	end  End // of what is valid so far
}

// header reads the file's header. There is none if a crash interrupted the log's creation.
func (s *scanner) header() (found bool, err error) {
	b, err := s.in.read(0, headerSize)
	if err != nil {
		return false, err
	}
	if len(b) == headerSize {
		h, kind, version, ok := decodeHeader(b)
		switch {
		case ok && kind != s.end.kind:
			return false, s.damaged(fmt.Sprintf("it begins with %q instead of %q", string(kind), string(s.end.kind)))
		case ok && version != Version:
			return false, fmt.Errorf("%s has version %d of the format of logs; this program knows version %d", s.path, version, Version)
		case ok:
			s.end.header, s.end.chain, s.end.Pos = h, h.crc, headerSize
			return true, nil
		}
	}
	// Nothing is appended before the header is durable.
	last, _, err := s.search(headerSize)
	switch {
	case err != nil:
		return false, err
	case last > headerSize:
		return false, s.damaged("the header is broken")
	}
	s.end.Torn = s.in.size
	return false, nil
}

// record reads the record at the end of what is valid. There are no more if more is false.
func (s *scanner) record(fn func(at Pos, record []byte) error) (more bool, err error) {
	r, contents, broken, err := s.check()
	if err == nil && broken != "" {
		var last, proof Pos
		if last, proof, err = s.search(s.end.Pos); err != nil {
			return false, err
		}
		if proof == 0 {
			s.end.Torn = int64(max(0, last-s.end.Pos))
			return false, nil
		}
		// Read it again: if the log is being written, the record may have been incomplete before
		// the search, and it has been synced since.
		s.in.forget()
		r, contents, broken, err = s.check()
		if err == nil && broken != "" {
			return false, s.damaged(fmt.Sprintf("%s, and the record at offset %d was appended when it was durable", broken, proof))
		}
	}
	if err != nil {
		return false, err
	}
	s.end.pass(r)
	if r.typ == typeMark {
		return true, nil
	}
	return true, fn(s.end.Pos, contents)
}

// check reads the record at the end of what is valid and says what is wrong with it.
func (s *scanner) check() (r record, contents []byte, broken string, err error) {
	pos := s.end.Pos
	b, err := s.in.read(pos, recordSize)
	switch {
	case err != nil:
		return r, nil, "", err
	case len(b) < recordSize:
		return r, nil, "the header of a record is incomplete", nil
	}
	r, ok := s.end.header.record(b, pos)
	if !ok {
		return r, nil, "the header of a record is broken", nil
	}
	size := padded(int64(r.length))
	if int64(pos)+recordSize+size > s.in.size {
		return r, nil, "the contents of a record are incomplete", nil
	}
	if b, err = s.in.read(pos, recordSize+size); err != nil {
		return r, nil, "", err
	}
	if int64(len(b)) < recordSize+size || crc32.Update(s.end.chain, castagnoli, b[recordSize:]) != r.chain {
		return r, nil, "the contents of a record do not match their checksum", nil
	}
	return r, b[recordSize : recordSize+int64(r.length)], "", nil
}

// search looks behind pos for a record that was appended when more than the log up to pos was
// durable, which proof is the place of, and for the end of the last byte that is not zero.
func (s *scanner) search(pos Pos) (last, proof Pos, err error) {
	last = pos
	for at := pos; int64(at) < s.in.size; {
		b, err := s.in.read(at, searchStep)
		if err != nil || len(b) == 0 {
			return last, 0, err
		}
		if n := len(bytes.TrimRight(b, "\x00")); n > 0 {
			last = at + Pos(n)
			if s.end.Pos > 0 {
				if proof := s.proof(b, at, pos); proof > 0 {
					return last, proof, nil
				}
			}
		}
		if len(b) < searchStep {
			break
		}
		at += searchStep - align*(recordSize/align-1) // a header may lie across
	}
	return last, 0, nil
}

// searchStep is the number of bytes that search looks at in one step.
const searchStep = 1 << 16

// proof returns the place of a record in b, which begins at place at, that was appended when more
// than the log up to pos was durable, 0 if there is none.
func (s *scanner) proof(b []byte, at, pos Pos) Pos {
	for i := 0; i+recordSize <= len(b); i += align {
		if typ := binary.LittleEndian.Uint32(b[i+4:]); typ != typeRecord && typ != typeMark {
			continue
		}
		if r, ok := s.end.header.record(b[i:], at+Pos(i)); ok && r.synced > pos {
			return at + Pos(i)
		}
	}
	return 0
}

// damaged returns the error for damage at the end of what is valid.
func (s *scanner) damaged(reason string) error {
	return &Damaged{File: s.path, Offset: int64(s.end.Pos), Reason: reason}
}
