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

// previewColumns is the number of columns of a stream or a compressed file that are previewed.
const previewColumns = 256

// Preview implements format.Part. It reads columns when they are first needed, and those of streams
// and of compressed files together.
func (p *part) Preview(rows int) *format.Preview {
	if p.shown != nil {
		return p.shown
	}
	switch p.wanted = rows; {
	case p.isStream:
		p.shown = format.NewStreamPreview(p.streamPreview)
	case p.packed != nil:
		p.shown = format.NewStreamPreview(p.packedPreview)
	default:
		p.shown = format.NewLazyPreview(len(p.cols), p.preview)
	}
	return p.shown
}

// packedPreview reads the previewed rows of all columns of a compressed file, from which it takes
// some record batches in one pass. It returns nil if that takes too much or fails.
func (p *part) packedPreview(ctx context.Context) (cols []*vec.Vector) {
	_ = format.Guard(p.Path, func() error { // scans report damage
		f := p.packed.footer
		batches := p.spread(len(f.batches), p.packed.size)
		ranges := []format.Range{{Size: int64(len(magic))}, {At: f.at, Size: p.packed.size - f.at}}
		for _, b := range f.dicts {
			ranges = append(ranges, format.Range{At: b.at, Size: b.head + b.body})
		}
		for _, i := range batches {
			b := f.batches[i]
			ranges = append(ranges, format.Range{At: b.at, Size: b.head + b.body})
		}
		all := int64(0)
		for _, r := range ranges {
			all += r.Size
		}
		if all > 4*previewBytes {
			return nil
		}
		h, err := p.Sparse(ctx, p.packed.size, ranges)
		if err != nil {
			return err
		}
		read := p.previewedColumns()
		s := p.newSource(nil, &format.Request{Columns: read, Batch: format.PreviewStretch})
		if err := s.openRandom(h, p.packed.size); err != nil {
			return err
		}
		defer s.Close()
		s.memory.limit = min(s.memory.limit, previewBytes)
		shown := make([]format.Stretches, len(read))
		for _, i := range batches {
			if err := s.previewBatch(i, len(batches), shown); err != nil {
				return err
			}
		}
		cols = make([]*vec.Vector, len(p.cols))
		for i, c := range read {
			cols[c] = shown[i].Column()
		}
		return nil
	})
	return cols
}

// previewedColumns returns the columns that are previewed if all are read together.
func (p *part) previewedColumns() (read []int) {
	for c := range p.cols[:min(len(p.cols), previewColumns)] {
		if p.previews(c) {
			read = append(read, c)
		}
	}
	return read
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
		shown := make([]format.Stretches, 1)
		batches := p.spread(s.random.NumRecords(), s.Size)
		for _, i := range batches {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.previewBatch(i, len(batches), shown); err != nil {
				return err
			}
		}
		v = shown[0].Column()
		return nil
	})
	return v
}

// spread returns the record batches whose rows are previewed, spread over a file of the given
// numbers of batches and bytes.
func (p *part) spread(all int, size int64) []int {
	if all == 0 {
		return nil
	}
	n := min(all, max(1, previewBatches*p.wanted/format.PreviewRows), max(1, int(previewBytes/max(1, size/int64(all)))))
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
func (s *source) previewBatch(i, several int, shown []format.Stretches) error {
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
		for k, v := range b.Cols {
			shown[k].Add(v)
		}
	}
	return nil
}
