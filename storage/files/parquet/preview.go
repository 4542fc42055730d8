package parquet

import (
	"context"
	"path/filepath"

	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// Limits on what is read for the preview of a column.
const (
	previewGroups = 16       // row groups for PreviewRows rows
	previewedRows = 2 << 20  // rows in these groups
	previewBytes  = 16 << 20 // bytes in the file; twice as many when unpacked
)

// previewColumns is the number of columns of a compressed file that are previewed.
const previewColumns = 256

// Preview implements format.Part. It reads columns when they are first needed, and those of a
// compressed file together, since they take unpacking all of it.
func (p *part) Preview(rows int) *format.Preview {
	if p.shown == nil {
		p.wanted = rows
		if p.Compression == format.Plain {
			p.shown = format.NewLazyPreview(len(p.cols), p.preview)
		} else {
			p.shown = format.NewStreamPreview(p.packedPreview)
		}
	}
	return p.shown
}

// preview reads the previewed rows of a column. It returns nil if that takes too much or fails:
// scans report damage.
func (p *part) preview(ctx context.Context, column int) (v *vec.Vector) {
	groups := p.previewedGroups()
	if !p.cols[column].flat() || !p.cheap(groups, p.cols[column]) {
		return nil
	}
	_ = format.Guard(p.Path, func() error {
		h, size, err := p.Open(ctx, nil)
		if err != nil {
			return err
		}
		defer h.Close()
		v, err = p.previewed(ctx, h, size, column, groups)
		return err
	})
	return v
}

// previewed reads the previewed rows of a column in some row groups.
func (p *part) previewed(ctx context.Context, h format.RandomAccess, size int64, column int, groups []int) (*vec.Vector, error) {
	s := &scan{part: p, h: h, size: size, req: &format.Request{Columns: []int{column}, Batch: vec.BatchSize, Passing: true}}
	shown := &format.Stretches{}
	for _, g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.previewGroup(g, p.stretches(g, len(groups)), shown); err != nil {
			return nil, err
		}
	}
	return shown.Column(), nil
}

// packedPreview reads the previewed rows of all columns of a compressed file, from which it takes the
// chunks of some row groups in one pass.
func (p *part) packedPreview(ctx context.Context) (cols []*vec.Vector) {
	_ = format.Guard(p.Path, func() error { // scans report damage
		groups, columns, ranges := p.packedChunks()
		h, err := p.Sparse(ctx, p.size, ranges)
		if err != nil {
			return err
		}
		defer h.Close()
		cols = make([]*vec.Vector, len(p.cols))
		for _, c := range columns {
			_ = format.Guard(p.Path, func() (err error) { // a damaged column does not hide the others
				cols[c], err = p.previewed(ctx, h, p.size, c, groups)
				return err
			})
		}
		return nil
	})
	return cols
}

// packedChunks chooses the row groups and the columns of a compressed file that are previewed: as
// many groups as possible, then as many columns.
func (p *part) packedChunks() (groups, columns []int, ranges []format.Range) {
	groups = p.previewedGroups()
	var flat []int
	for i, c := range p.cols[:min(len(p.cols), previewColumns)] {
		if c.flat() && p.cheap(groups, c) {
			flat = append(flat, i)
		}
	}
	bytes := func(columns ...int) (n int64) {
		for _, c := range columns {
			for _, g := range groups {
				n += p.meta.groups[g].chunks[p.cols[c].node.leaf].size
			}
		}
		return n
	}
	for len(groups) > 1 && bytes(flat...) > 2*previewBytes {
		var fewer []int
		for i := len(groups) % 2; i < len(groups); i += 2 {
			fewer = append(fewer, groups[i])
		}
		groups = fewer
	}
	all := int64(0)
	for _, c := range flat {
		n := bytes(c)
		if all+n > 2*previewBytes {
			continue
		}
		all, columns = all+n, append(columns, c)
		for _, g := range groups {
			if at, size, ok := p.meta.place(&p.meta.groups[g].chunks[p.cols[c].node.leaf], p.size); ok {
				ranges = append(ranges, format.Range{At: at, Size: size})
			}
		}
	}
	return groups, columns, ranges
}

// previewedGroups returns the row groups whose rows are previewed, spread over the file.
func (p *part) previewedGroups() []int {
	n := min(len(p.meta.groups), max(1, previewGroups*p.wanted/format.PreviewRows))
	if n == 0 {
		return nil
	}
	perGroup := max(1, p.meta.rows/int64(len(p.meta.groups)))
	n = int(min(int64(n), max(1, previewedRows/perGroup)))
	groups := make([]int, n)
	for i := range groups {
		groups[i] = (2*i + 1) * len(p.meta.groups) / (2 * n)
	}
	return groups
}

// cheap reports whether a column of some row groups is small enough to preview.
func (p *part) cheap(groups []int, c *column) bool {
	var packed, unpacked int64
	for _, g := range groups {
		chunk := &p.meta.groups[g].chunks[c.node.leaf]
		if chunk.size < 0 || chunk.unpacked < 0 || chunk.size > previewBytes || chunk.unpacked > previewBytes {
			return false
		}
		packed, unpacked = packed+chunk.size, unpacked+chunk.unpacked
	}
	return packed <= previewBytes && unpacked <= 2*previewBytes
}

// stretches returns the first rows of the previewed stretches of a row group.
func (p *part) stretches(group, groups int) []int64 {
	rows := p.meta.groups[group].rows
	n := min(int64(max(1, p.wanted/format.PreviewStretch/groups)), rows/format.PreviewStretch)
	return format.Starts(rows, n, filepath.Base(p.Path), byte(p.Size), byte(group))
}

// previewGroup adds the stretches of a row group that start at the rows from to shown.
func (s *scan) previewGroup(group int, from []int64, shown *format.Stretches) error {
	g := newRowGroup(s, group)
	defer g.lent.Free()
	reader, err := g.reader(g.column(0), &g.cols[0])
	if err != nil {
		return err
	}
	r, ok := reader.(*columnReader)
	if !ok {
		return errShort
	}
	r.pages.most = min(r.pages.most, 2*previewBytes)
	at := int64(0)
	for _, row := range from {
		if err := r.skip(row - at); err != nil {
			return err
		}
		v, err := r.read(format.PreviewStretch)
		if err != nil {
			return err
		}
		shown.Add(v)
		at = row + format.PreviewStretch
	}
	return nil
}
