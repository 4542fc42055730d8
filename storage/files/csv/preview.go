package csv

import (
	"bytes"
	"context"
	"io"
	"path/filepath"

	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// The preview of a file that is larger than the detected sample has the records at places of at most
// previewBytes.
const (
	previewBytes   = 16 << 10
	previewColumns = 256
	// streamBytes is how much is unpacked at most of a file that can only be read from its start.
	streamBytes = 256 << 20
)

// Preview implements format.Part. If the detected sample is not the whole file, columns are read when
// they are first needed. A pipe cannot be read again.
func (p *Part) Preview(rows int) *format.Preview {
	switch p.wanted = rows; {
	case p.shown != nil || p.known == nil || p.whole:
	case p.Seekable():
		p.shown = format.NewLazyPreview(min(len(p.cols), previewColumns), p.preview)
	case p.Pipe == nil:
		p.shown = format.NewStreamPreview(p.streamPreview)
	}
	return p.shown
}

// streamPreview reads the previewed rows of all columns from places all over a file that can only be
// read from its start. The distance of the places is doubled whenever there are too many of them,
// since the file's size is not known. It returns nil if that fails.
func (p *Part) streamPreview(ctx context.Context) (cols []*vec.Vector) {
	_ = format.Guard(p.Path, func() error { // scans report damage
		in, err := p.Stream(ctx)
		if err != nil {
			return err
		}
		defer in.Close()
		if _, err := io.CopyN(io.Discard, in, p.body); err != nil {
			return err
		}
		shown := make([]format.Stretches, min(len(p.cols), previewColumns))
		t, data, apart := p.allFields(len(p.cols)), make([]byte, previewBytes), int64(previewBytes)
		for done := int64(0); done < streamBytes; done += apart {
			if err := ctx.Err(); err != nil {
				return err
			}
			if _, err := io.ReadFull(in, data); err != nil {
				break // the last bytes matter little
			}
			for i, rows := 0, p.recordsOf(t, data); i < len(rows); i++ {
				shown[i].Add(&rows[i])
			}
			if len(shown) > 0 && shown[0].Len() >= 2*p.wanted/format.PreviewStretch {
				apart *= 2
				for i := range shown {
					shown[i].Halve()
				}
			}
			if _, err := io.CopyN(io.Discard, in, apart-previewBytes); err != nil {
				break
			}
		}
		for i := range shown {
			shown[i].Few(p.wanted / format.PreviewStretch)
			cols = append(cols, shown[i].Column())
		}
		return nil
	})
	return cols
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
		shown, found, places := &format.Stretches{}, 0, int64(p.wanted/format.PreviewStretch)
		length := min(previewBytes, (size-p.body)/places)
		t, data := p.allFields(len(p.cols)), make([]byte, length)
		for _, from := range format.Starts(size-p.body-length, places, filepath.Base(p.Path), byte(size)) {
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
		if int64(found) >= places/2 {
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
