package arrow

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"gsql/internal/mem"
	"gsql/sql/arrowvec"
	"gsql/storage/files/format"
)

// source hands out the record batches of one file.
type source struct {
	*part
	req     *format.Request // nil if only metadata is read
	closer  io.Closer
	memory  *boundedAllocator
	dicts   []arrowvec.DictCache // by column
	batches int                  // handed out so far

	stream   *ipc.Reader // reader of the stream format, or nil
	messages *verifiedStream

	random *ipc.FileReader // reader of the file format, or nil
	footer *footer
	at     io.ReaderAt // the file
	size   int64       // its bytes, unpacked
	index  int         // number of the next record batch
}

func (p *part) openSource(ctx context.Context, account *mem.Account, req *format.Request) (*source, error) {
	s := p.newSource(account, req)
	if p.isStream {
		in, err := p.Stream(ctx)
		if err != nil {
			return nil, err
		}
		s.closer = in
		s.memory.read(p.Size)
		s.messages = &verifiedStream{in: in, most: s.memory.limit}
		if s.stream, err = ipc.NewReader(s.messages, ipc.WithAllocator(s.memory)); err != nil {
			in.Close()
			return nil, err
		}
		return s, nil
	}
	h, size, err := p.Open(ctx, account)
	if err != nil {
		return nil, err
	}
	if err := s.openRandom(h, size); err != nil {
		h.Close()
		return nil, err
	}
	return s, nil
}

func (p *part) newSource(account *mem.Account, req *format.Request) *source {
	return &source{part: p, req: req, dicts: make([]arrowvec.DictCache, len(p.cols)), memory: boundedBy(p.Size, account)}
}

// openRandom reads the footer of a file in the file format.
func (s *source) openRandom(h format.RandomAccess, size int64) (err error) {
	s.closer, s.at, s.size = h, h, size
	if s.footer, err = checkFooter(h, size); err != nil {
		return err
	}
	s.memory.read(size)
	if s.random, err = ipc.NewFileReader(h, ipc.WithAllocator(s.memory)); err != nil {
		return err
	}
	if n := s.random.NumRecords(); n > 0 {
		s.memory.read(size / int64(n))
	}
	return nil
}

// checkFooter verifies the footer of a file and its dictionaries. The footer's length precedes
// the magic at the end of the file.
func checkFooter(h io.ReaderAt, size int64) (*footer, error) {
	const tail = 4 + int64(len(magic))
	var end [tail]byte
	if size < 2*tail {
		return nil, format.ErrCutShort
	}
	if _, err := h.ReadAt(end[:], size-tail); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != magic {
		return nil, format.Fault("its end is missing")
	}
	if length > size-2*tail {
		return nil, errMetadata
	}
	footer := make([]byte, length)
	if _, err := h.ReadAt(footer, size-tail-length); err != nil {
		return nil, err
	}
	f, err := verifyFooter(footer, size)
	f.at = size - tail - length
	for i := 0; err == nil && i < len(f.dicts); i++ {
		err = verifyBlock(h, f.dicts[i], f.views)
	}
	return f, err
}

// recordAt reads record batch i after verifying its metadata.
func (s *source) recordAt(i int) (arrow.Record, error) {
	if err := verifyBlock(s.at, s.footer.batches[i], s.footer.views); err != nil {
		return nil, err
	}
	return s.random.RecordAt(i)
}

func (s *source) schemaOf() *arrow.Schema {
	if s.stream != nil {
		return s.stream.Schema()
	}
	return s.random.Schema()
}

// rows estimates the number of rows of a file: all record batches but the last usually have the same size.
func (s *source) rows() (rows int64, exact bool, err error) {
	n := s.random.NumRecords()
	for i := 0; i < n; i += max(1, n-1) {
		batch, err := s.batchRows(i)
		if err != nil {
			return 0, false, err
		}
		if rows += batch; i == 0 {
			rows += batch * int64(max(0, n-2))
		}
	}
	return rows, n <= 2, nil
}

// Close implements format.Chunks.
func (s *source) Close() error {
	held := s.memory.taken() // memory of dictionaries and of records that no reader took
	return errors.Join(held.Set(0), s.closer.Close())
}

// Next implements format.Chunks.
func (s *source) Next() (c format.Chunk, err error) {
	err = format.Guard(s.Path, func() error {
		rec, err := s.record()
		if rec != nil {
			s.batches++
			c = &chunk{source: s, rec: rec, num: s.batches, size: s.memory.bytes, held: s.memory.taken()}
		}
		return err
	})
	if err != nil {
		return nil, format.ReadError(s.Path, err)
	}
	return c, nil
}

func (s *source) record() (arrow.Record, error) {
	if s.random != nil {
		if s.index == s.random.NumRecords() {
			return nil, nil
		}
		s.index++
		return s.recordAt(s.index - 1)
	}
	if !s.stream.Next() {
		if err := s.stream.Err(); err != nil && err != io.EOF {
			return nil, err
		}
		return nil, nil
	}
	rec := s.stream.Record()
	rec.Retain()
	return rec, nil
}
