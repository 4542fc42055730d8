package render

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"math"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// jsonWriter writes an array of objects, or one object per line. Keys are in the order of the
// columns. Numbers are JSON numbers, including DECIMAL with all its digits; bytes are base64.
type jsonWriter struct {
	w              io.Writer
	names          []string
	open, sep, end string
	lines          bool
	rows           int
	buf            []byte
}

// Write implements Writer.
func (j *jsonWriter) Write(b *vec.Batch) error {
	j.buf = j.buf[:0]
	for i := 0; i < b.N; i++ {
		if j.rows == 0 {
			j.buf = append(j.buf, j.open...)
		} else {
			j.buf = append(j.buf, j.sep...)
		}
		j.rows++
		j.buf = append(j.buf, '{')
		for c, col := range b.Cols {
			if c > 0 {
				j.buf = append(j.buf, ',')
			}
			j.buf = append(appendJSONString(j.buf, j.names[c]), ':')
			j.buf = appendJSON(j.buf, catalog.DatumAt(col, i))
		}
		j.buf = append(j.buf, '}')
	}
	_, err := j.w.Write(j.buf)
	return err
}

// Close implements Writer.
func (j *jsonWriter) Close() error {
	text := j.end
	if j.rows == 0 {
		text = j.open + j.end
		if j.lines {
			text = ""
		}
	}
	_, err := io.WriteString(j.w, text)
	return err
}

func appendJSON(dst []byte, d catalog.Datum) []byte {
	switch {
	case d.Null || d.Type.ID == types.Null:
		return append(dst, "null"...)
	case d.Type.ID == types.Bytes:
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), []byte(d.Str)), '"')
	case d.Type.ID == types.JSON:
		return append(dst, d.Str...)
	case d.Type.IsFloat() && (math.IsInf(d.F64, 0) || math.IsNaN(d.F64)):
		return append(dst, "null"...)
	case d.Type.IsNumeric():
		return d.AppendText(dst)
	}
	return appendJSONString(dst, d.Text())
}

func appendJSONString(dst []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil { // strings always marshal: invalid UTF-8 becomes U+FFFD
		return append(dst, `""`...)
	}
	return append(dst, text...)
}
