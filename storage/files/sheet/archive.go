package sheet

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"io"
	"path"
	"strings"

	"gsql/internal/mem"
	"gsql/storage/files/format"
)

// Bounds of what a reader of a sheet holds at once, which damaged or hostile files exceed.
const (
	maxToken = 16 << 20 // bytes of a tag or text
	maxDepth = 64       // open elements
)

// freeText is the size up to which the texts of a row are not charged.
const freeText = int64(format.ChunkSize)

// charge is a reservation for a text or a row. Small ones need none.
type charge struct {
	format.Hold
	some bool // more than nothing is reserved
}

// set reserves memory for n bytes.
func (c *charge) set(n int64) error {
	if n <= freeText && !c.some {
		return nil
	}
	c.some = n > freeText
	return c.Set(n - freeText)
}

// archive is an open Excel file.
type archive struct {
	ctx   context.Context
	file  format.RandomAccess
	zip   *zip.Reader
	path  string
	texts format.Hold // charge for shared texts
}

func openArchive(ctx context.Context, f *format.File, account *mem.Account) (*archive, error) {
	h, size, err := f.Open(ctx, account)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(h, size)
	if err != nil {
		h.Close()
		if format.IsFinal(err) {
			return nil, err
		}
		return nil, format.Fault("it is no Excel file (.xlsx)")
	}
	return &archive{ctx: ctx, file: h, zip: z, path: f.Path, texts: format.Hold{Account: account}}, nil
}

// Close releases the file.
func (a *archive) Close() error {
	_ = a.texts.Set(0) // releasing never fails
	return a.file.Close()
}

// open opens a part of the archive for reading XML. It returns nil if there is none.
func (a *archive) open(name string) (*decoder, error) {
	name = strings.TrimPrefix(path.Clean(name), "/")
	for _, f := range a.zip.File {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		d := &decoder{ctx: a.ctx, in: in, part: name, held: charge{Hold: format.Hold{Account: a.texts.Account}}}
		d.xml = xml.NewDecoder(d)
		return d, nil
	}
	return nil, nil
}

// decoder reads the XML of a part. It bounds the size of tokens and the depth of elements.
type decoder struct {
	ctx   context.Context
	in    io.ReadCloser
	xml   *xml.Decoder
	part  string
	since int // bytes read since the last token began
	built int // bytes of the text that tokens make up
	held  charge
	depth int
}

// charge reserves memory for the token that is read and for the text that is made up. The buffers of both grow by doubling.
func (d *decoder) charge() error { return d.held.set(2 * int64(d.since+d.built)) }

// Read implements io.Reader for the XML decoder.
func (d *decoder) Read(p []byte) (int, error) {
	if err := d.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := d.in.Read(p)
	if d.since += n; d.since > maxToken {
		return n, format.Faultf("a text of %s is longer than %d MB", d.part, maxToken>>20)
	}
	if err := d.charge(); err != nil {
		return n, err
	}
	return n, err
}

// Close releases the part.
func (d *decoder) Close() error {
	_ = d.held.Set(0) // releasing never fails
	return d.in.Close()
}

// token returns the next tag or text, or nil at the end.
func (d *decoder) token() (xml.Token, error) {
	d.since = 0
	if err := d.charge(); err != nil {
		return nil, err
	}
	t, err := d.xml.Token()
	switch t.(type) {
	case xml.StartElement:
		if d.depth++; d.depth > maxDepth {
			return nil, format.Faultf("the elements of %s are nested too deeply", d.part)
		}
	case xml.EndElement:
		d.depth--
	}
	if err == io.EOF {
		return nil, nil
	}
	return t, d.fault(err)
}

// fault describes an error of the XML or zip reader.
func (d *decoder) fault(err error) error {
	if err == nil || format.IsFinal(err) {
		return err
	}
	if f := format.Reason(err); f != nil && strings.HasPrefix(f.Error(), "a text of") {
		return f
	}
	return format.Faultf("%s is damaged", d.part)
}

// start returns the next start tag, or nil at the end.
func (d *decoder) start() (*xml.StartElement, error) {
	for {
		t, err := d.token()
		if t == nil || err != nil {
			return nil, err
		}
		if s, ok := t.(xml.StartElement); ok {
			return &s, nil
		}
	}
}

// attr returns an attribute, or "".
func attr(e *xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
