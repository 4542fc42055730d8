package arrow

import (
	"context"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// Limits on what is read of a stream for a preview.
const (
	streamBytes    = 4 * previewBytes // of record batches that are decoded
	unpackedBytes  = 256 << 20        // of a compressed stream
	streamMessages = 1 << 18          // record batches
)

// openStream opens a stream for its first record batches. Large ones are an error.
func (p *part) openStream(ctx context.Context, req *format.Request) (*source, error) {
	s, err := p.openSource(ctx, nil, req)
	if err == nil {
		s.memory.limit = min(s.memory.limit, previewBytes)
	}
	return s, err
}

// bytesOf returns the bytes of a record batch without its dictionaries.
func bytesOf(rec arrow.Record) (n int64) {
	var add func(d arrow.ArrayData)
	add = func(d arrow.ArrayData) {
		for _, b := range d.Buffers() {
			if b != nil {
				n += int64(b.Len())
			}
		}
		for _, child := range d.Children() {
			add(child)
		}
	}
	for _, c := range rec.Columns() {
		add(c.Data())
	}
	return n
}

// streamRows estimates the number of rows of a stream from the size of its first record batch.
func (p *part) streamRows(ctx context.Context) int64 {
	rows := p.Size / 32                     // a guess at the size of a row
	_ = format.Guard(p.Path, func() error { // a damaged file is reported when it is read
		s, err := p.openStream(ctx, nil)
		if err != nil {
			return err
		}
		defer s.Close()
		rec, err := s.record()
		if err != nil || rec == nil {
			return err
		}
		defer rec.Release()
		if bytes := bytesOf(rec); bytes > 0 {
			rows = max(rec.NumRows(), int64(float64(p.Size)*p.Ratio(ctx)/float64(bytes)*float64(rec.NumRows())))
		}
		return nil
	})
	return rows
}

// picking chooses record batches that are spread over a stream, which does not tell how many it has.
type picking struct {
	total    int64 // estimated bytes of the stream
	most     int64 // bytes after which no batch is chosen; 0 means no limit
	wanted   int   // number of batches
	at       int   // batches met
	bytes    int64 // in these
	step     int   // distance of the chosen batches
	last     int   // the last chosen batch
	finished func()
}

// skips reports whether the next batch, of size bytes, is not chosen.
func (p *picking) skips(size int64) bool {
	if p.at == 0 {
		p.wanted = max(2, min(p.wanted, int(streamBytes/max(1, size))))
		p.step = int(max(1, min(p.total/max(1, size)/int64(p.wanted), streamMessages)))
	}
	if p.bytes += size; p.most > 0 && p.bytes > p.most || p.at >= streamMessages {
		p.finished()
		return p.at > 0
	}
	i := p.at
	p.at++
	if i > 0 && i < p.last+p.step {
		return true
	}
	p.last = i
	return false
}

// streamPreview reads the previewed rows of all columns from record batches all over a stream. If
// there are many more batches than the stream's size suggests, every other one is dropped and their
// distance doubled. It returns nil if that fails or takes too much.
func (p *part) streamPreview(ctx context.Context) (cols []*vec.Vector) {
	_ = format.Guard(p.Path, func() error { // scans report damage
		read := p.previewedColumns()
		s, err := p.openStream(ctx, &format.Request{Columns: read, Batch: format.PreviewStretch})
		if err != nil {
			return err
		}
		defer s.Close()
		pick := &picking{total: int64(float64(p.Size) * p.Ratio(ctx)), wanted: max(1, previewBatches*p.wanted/format.PreviewRows)}
		pick.finished = func() { s.messages.done = true }
		if p.Compression != format.Plain {
			pick.most = unpackedBytes
		}
		s.messages.skip = pick.skips
		var shown [][]format.Stretches // by chosen batch and column
		for bytes := int64(0); bytes < streamBytes; {
			if err := ctx.Err(); err != nil {
				return err
			}
			rec, err := s.record()
			if err != nil {
				return err
			}
			if rec == nil {
				break
			}
			s.batches = pick.last + 1
			bytes += bytesOf(rec)
			of, err := s.showRecord(rec, 2*p.wanted/format.PreviewStretch/max(1, min(pick.wanted, int(pick.total/max(1, bytesOf(rec))))))
			if err != nil {
				return err
			}
			if shown = append(shown, of); len(shown) > 2*previewBatches {
				for i := range (len(shown) + 1) / 2 {
					shown[i] = shown[2*i]
				}
				shown, bytes, pick.step = shown[:(len(shown)+1)/2], bytes/2, 2*pick.step
			}
		}
		cols = make([]*vec.Vector, len(p.cols))
		for i, c := range read {
			cols[c] = p.together(shown, i)
		}
		return nil
	})
	return cols
}

// together returns equal parts of the stretches of a column from all chosen batches.
func (p *part) together(shown [][]format.Stretches, column int) *vec.Vector {
	all := &format.Stretches{}
	for i := range shown {
		of, stretches := &shown[i][column], p.wanted/format.PreviewStretch
		of.Few((i+1)*stretches/len(shown) - i*stretches/len(shown))
		all.Append(of)
	}
	return all.Column()
}

// showRecord returns up to n stretches of each column of a record batch of a stream, and releases it.
func (s *source) showRecord(rec arrow.Record, n int) ([]format.Stretches, error) {
	defer rec.Release()
	shown := make([]format.Stretches, len(s.req.Columns))
	stretches := min(int64(max(1, n)), rec.NumRows()/format.PreviewStretch)
	c := &chunk{source: s, rec: rec, num: s.batches}
	for _, from := range format.Starts(rec.NumRows(), stretches, filepath.Base(s.Path), byte(s.Size), byte(s.batches)) {
		c.at = int(from)
		b, err := c.Read()
		if err != nil {
			return nil, err
		}
		for i, v := range b.Cols {
			shown[i].Add(v)
		}
	}
	return shown, nil
}
