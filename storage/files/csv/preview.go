package csv

import (
	"bytes"
	"context"
	"io"
	"path/filepath"

	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// The preview of a file that is larger than the detected sample has the records at previewPlaces
// places of at most previewBytes.
const (
	previewPlaces  = format.PreviewRows / format.PreviewStretch
	previewBytes   = 16 << 10
	previewColumns = 256
)

// Preview implements format.Part. If the detected sample is not the whole file, columns are read when
// they are first needed.
func (p *Part) Preview() *format.Preview {
	if p.shown == nil && p.known != nil && !p.whole && p.Seekable() {
		p.shown = format.NewLazyPreview(min(len(p.cols), previewColumns), p.preview)
	}
	return p.shown
}

// preview reads the previewed rows of a column. It returns nil if that fails, or if records are not
// found at most places: a place may lie within quotes, where line ends do not end a record.
func (p *Part) preview(ctx context.Context, column int) (v *vec.Vector) {
	_ = format.Guard(p.Path, func() error { // scans report damage
		h, size, err := p.Open(ctx, nil)
		if err != nil {
			return err
		}
		defer h.Close()
		shown, found := &format.Stretches{}, 0
		length := min(previewBytes, (size-p.body)/previewPlaces)
		t, data := p.allFields(len(p.cols)), make([]byte, length)
		for _, from := range format.Starts(size-p.body-length, previewPlaces, filepath.Base(p.Path), byte(size)) {
			if err := ctx.Err(); err != nil {
				return err
			}
			n, err := h.ReadAt(data, p.body+from)
			if err != nil && err != io.EOF {
				return err
			}
			if rows := p.recordsOf(t, data[:n]); rows != nil {
				found++
				shown.Add(&rows[column])
			}
		}
		if found >= previewPlaces/2 {
			v = shown.Column()
		}
		return nil
	})
	return v
}

// recordsOf returns the first columns of a stretch of records in data, which starts and ends within
// records. It returns nil if there are too few records, or values that do not fit: all columns must
// have the same rows.
func (p *Part) recordsOf(t *tokenizer, data []byte) []vec.Vector {
	end := bytes.Index(data, []byte(p.d.lines))
	if end < 0 {
		return nil
	}
	t.reset(data[end+len(p.d.lines):])
	if t.block(format.PreviewStretch+1) <= format.PreviewStretch || len(t.bad) > 0 { // the last record may be cut off
		return nil
	}
	rows, fits := make([]vec.Vector, min(len(p.cols), previewColumns)), true
	for i := range rows {
		p.cols[i].convert(t, t.spans[i], format.PreviewStretch, &rows[i], nil, func(int) { fits = false })
	}
	if !fits {
		return nil
	}
	return rows
}
