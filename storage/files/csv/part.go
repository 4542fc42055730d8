package csv

import (
	"unsafe"

	"gsql/sql/catalog"
	"gsql/storage/files/format"
	"gsql/storage/files/notation"
)

// Part is a CSV or TSV file whose dialect and types are known.
type Part struct {
	*format.File
	opt   Options
	d     dialect
	names []string
	masks []notation.Mask // by column: types that all sampled values have
	cols  []column
	body  int64 // offset of the first record
	line  int64 // line number of the first record
	sample
	shown  *format.Preview // set together with the statistics if the sample is the whole file, else by Preview
	wanted int             // number of rows that it has otherwise
}

// Columns implements format.Part.
func (p *Part) Columns() []catalog.Column {
	cols := make([]catalog.Column, len(p.cols))
	for i, c := range p.cols {
		cols[i] = catalog.Column{Name: p.names[i], Type: c.Type}
		if c.Type.IsTemporal() {
			cols[i].Format = c.Form.String()
		}
	}
	return cols
}

// Held implements format.Part.
func (p *Part) Held() int64 {
	return int64(len(p.data)) + int64(len(p.cols))*int64(unsafe.Sizeof(column{})) + p.shown.Held()
}
