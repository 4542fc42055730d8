package arrow

import (
	"context"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/sql/vec"
	"gsql/storage/files/format"
)

const (
	// streamBytes is how much is read of a stream for PreviewRows rows.
	streamBytes = 4 << 20
	// previewColumns is the number of columns of a stream that are previewed.
	previewColumns = 256
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

// streamPreview reads the previewed rows of all columns from the start of a stream. It returns nil if
// that fails or takes too much.
func (p *part) streamPreview(ctx context.Context) (cols []*vec.Vector) {
	_ = format.Guard(p.Path, func() error { // scans report damage
		var read []int
		for c := range p.cols[:min(len(p.cols), previewColumns)] {
			if p.previews(c) {
				read = append(read, c)
			}
		}
		s, err := p.openStream(ctx, &format.Request{Columns: read, Batch: format.PreviewStretch})
		if err != nil {
			return err
		}
		defer s.Close()
		shown := make([]format.Stretches, len(read))
		for bytes := int64(0); bytes < int64(streamBytes/format.PreviewRows*p.wanted); {
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
			s.batches++
			bytes += bytesOf(rec)
			if err := s.showRecord(rec, shown); err != nil {
				return err
			}
		}
		cols = make([]*vec.Vector, len(p.cols))
		for i, c := range read {
			shown[i].Thin()
			cols[c] = shown[i].Column()
		}
		return nil
	})
	return cols
}

// showRecord adds stretches of a record batch of a stream to shown, and releases it.
func (s *source) showRecord(rec arrow.Record, shown []format.Stretches) error {
	defer rec.Release()
	n := min(int64(s.wanted/format.PreviewStretch), rec.NumRows()/format.PreviewStretch)
	c := &chunk{source: s, rec: rec, num: s.batches}
	for _, from := range format.Starts(rec.NumRows(), n, filepath.Base(s.Path), byte(s.Size), byte(s.batches)) {
		c.at = int(from)
		b, err := c.Read()
		if err != nil {
			return err
		}
		for i, v := range b.Cols {
			shown[i].Add(v)
		}
	}
	return nil
}
