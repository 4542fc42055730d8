package arrow

import (
	"context"
	"path/filepath"

	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// Limits on what is read for the preview of a column: record batches are read with all columns.
const (
	previewBatches = 16       // record batches for PreviewRows rows
	previewBytes   = 16 << 20 // bytes in the file, and bytes unpacked at once
)

// Preview implements format.Part. It reads columns when they are first needed. A stream can only be
// read from its start, and a compressed file only as a whole: that has no preview.
func (p *part) Preview(rows int) *format.Preview {
	if p.shown != nil {
		return p.shown
	}
	switch p.wanted = rows; {
	case p.isStream:
		p.shown = format.NewStreamPreview(p.streamPreview)
	case p.Compression == format.Plain:
		p.shown = format.NewLazyPreview(len(p.cols), p.preview)
	}
	return p.shown
}

// preview reads the previewed rows of a column. It returns nil if that takes too much or fails:
// scans report damage.
func (p *part) preview(ctx context.Context, column int) (v *vec.Vector) {
	if !p.previews(column) {
		return nil
	}
	_ = format.Guard(p.Path, func() error {
		s, err := p.openSource(ctx, nil, &format.Request{Columns: []int{column}, Batch: format.PreviewStretch})
		if err != nil {
			return err
		}
		defer s.Close()
		s.memory.limit = min(s.memory.limit, previewBytes)
		shown := &format.Stretches{}
		batches := s.previewed()
		for _, i := range batches {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.previewBatch(i, len(batches), shown); err != nil {
				return err
			}
		}
		v = shown.Column()
		return nil
	})
	return v
}

// previewed returns the record batches whose rows are previewed, spread over the file.
func (s *source) previewed() []int {
	all := s.random.NumRecords()
	if all == 0 {
		return nil
	}
	n := min(all, max(1, previewBatches*s.wanted/format.PreviewRows), int(previewBytes/max(1, s.Size/int64(all))))
	batches := make([]int, n)
	for i := range batches {
		batches[i] = (2*i + 1) * all / (2 * n)
	}
	return batches
}

// previews reports whether a column can have a preview.
func (p *part) previews(column int) bool {
	t := p.cols[column].Type.ID
	return t != types.Null && t != types.JSON
}

// previewBatch adds the previewed rows of record batch i, which is one of several, to shown.
func (s *source) previewBatch(i, several int, shown *format.Stretches) error {
	rec, err := s.recordAt(i)
	if err != nil {
		return err
	}
	defer rec.Release()
	rows := rec.NumRows()
	n := min(int64(max(1, s.wanted/format.PreviewStretch/several)), rows/format.PreviewStretch)
	c := &chunk{source: s, rec: rec, num: i + 1}
	for _, from := range format.Starts(rows, n, filepath.Base(s.Path), byte(s.Size), byte(i)) {
		c.at = int(from)
		b, err := c.Read()
		if err != nil {
			return err
		}
		shown.Add(b.Cols[0])
	}
	return nil
}
