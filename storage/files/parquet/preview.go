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

// Preview implements format.Part. It reads columns when they are first needed.
func (p *part) Preview(rows int) *format.Preview {
	if p.shown == nil && p.Compression == format.Plain {
		p.wanted = rows
		p.shown = format.NewLazyPreview(len(p.cols), p.preview)
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
		s := &scan{part: p, h: h, size: size, req: &format.Request{Columns: []int{column}, Batch: vec.BatchSize, Passing: true}}
		shown := &format.Stretches{}
		for _, g := range groups {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.previewGroup(g, p.stretches(g, len(groups)), shown); err != nil {
				return err
			}
		}
		v = shown.Column()
		return nil
	})
	return v
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
	reader, err := g.reader(g.column(0), &g.cols[0], 0)
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

// skip skips rows: it decodes those of the current page and seeks beyond it.
func (r *columnReader) skip(rows int64) error {
	for rows > 0 && r.left > 0 {
		n := min(rows, int64(r.left), vec.BatchSize)
		if _, err := r.read(int(n)); err != nil {
			return err
		}
		rows -= n
	}
	return r.seek(rows)
}
