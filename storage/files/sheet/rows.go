package sheet

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"gsql/storage/files/dynamic"
	"gsql/storage/files/format"
)

// mostColumns is the number of columns of a sheet at most.
const mostColumns = 16384

// rows reads the rows of a sheet. It implements dynamic.Rows.
type rows struct {
	*archive
	*book
	in    *decoder
	row   int // number in the sheet, from 1
	cells []dynamic.Value
	held  charge // for the texts of the row
	used  bool   // some cell has a value
	done  bool   // all rows have been read
}

// rows opens a sheet.
func (a *archive) rows(name string) (*rows, error) {
	b, err := a.readBook()
	if err != nil {
		return nil, err
	}
	part, err := b.find(a.path, name)
	if err != nil {
		return nil, err
	}
	in, err := a.open(part)
	if err != nil {
		return nil, err
	}
	if in == nil {
		return nil, format.Faultf("it lacks %s", part)
	}
	return &rows{archive: a, book: b, in: in, held: charge{Hold: format.Hold{Account: a.texts.Account}}}, nil
}

// Next implements dynamic.Rows. It moves to the next row that has values.
func (r *rows) Next() (bool, error) {
	for !r.done {
		t, err := r.in.token()
		if err != nil {
			return false, err
		}
		switch t := t.(type) {
		case nil:
			return false, format.Faultf("%s is cut short", r.in.part)
		case xml.EndElement:
			r.done = t.Name.Local == "sheetData"
		case xml.StartElement:
			switch t.Name.Local {
			case "sheetData":
				r.row = 0
			case "row":
				if err := r.read(&t); err != nil {
					return false, err
				}
				if r.used {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

// read reads a row.
func (r *rows) read(e *xml.StartElement) error {
	r.row++
	if n, err := strconv.Atoi(attr(e, "r")); err == nil && n > 0 {
		r.row = n
	}
	r.cells, r.used = r.cells[:0], false
	for size := int64(0); ; {
		t, err := r.in.token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case nil:
			return format.Faultf("%s is cut short", r.in.part)
		case xml.EndElement:
			if t.Name.Local == "row" {
				return nil
			}
		case xml.StartElement:
			if t.Name.Local != "c" {
				continue
			}
			at := columnOf(attr(&t, "r"), len(r.cells))
			if at < 0 || at >= mostColumns {
				return format.Faultf("cell '%.20s' of %s lies outside of the sheet", attr(&t, "r"), r.in.part)
			}
			v, err := r.cell(&t)
			if err != nil {
				return err
			}
			if attr(&t, "t") != "s" { // shared texts are charged with the file
				size += int64(len(v.Text))
			}
			if err := r.held.set(size); err != nil {
				return err
			}
			for len(r.cells) <= at {
				r.cells = append(r.cells, dynamic.Value{})
			}
			r.cells[at] = v
			r.used = r.used || v.Kind != dynamic.Null
		}
	}
}

// columnOf returns the column of a reference such as AB12, from 0, next for "", or -1.
func columnOf(ref string, next int) int {
	if ref == "" {
		return next
	}
	n := 0
	for _, c := range ref {
		switch {
		case c >= 'A' && c <= 'Z' && n < mostColumns:
			n = n*26 + int(c-'A') + 1
		case c >= '0' && c <= '9':
			return n - 1
		default:
			return -1
		}
	}
	return n - 1
}

// cell reads a cell.
func (r *rows) cell(e *xml.StartElement) (v dynamic.Value, err error) {
	kind, style := attr(e, "t"), attr(e, "s")
	value, within := "", ""
	for {
		t, err := r.in.token()
		if err != nil {
			return v, err
		}
		switch t := t.(type) {
		case nil:
			return v, format.Faultf("%s is cut short", r.in.part)
		case xml.StartElement:
			if within = t.Name.Local; within == "is" {
				if value, err = r.in.richText("is"); err != nil {
					return v, err
				}
			}
		case xml.CharData:
			if within == "v" {
				value += string(t)
			}
		case xml.EndElement:
			if within = ""; t.Name.Local == "c" {
				return r.valueOf(kind, style, value)
			}
		}
	}
}

// valueOf returns the value of a cell.
func (r *rows) valueOf(kind, style, text string) (dynamic.Value, error) {
	switch kind {
	case "inlineStr", "str":
		return dynamic.Value{Kind: dynamic.Text, Text: text}, nil
	case "e":
		return dynamic.Value{}, nil
	}
	if text = strings.TrimSpace(text); text == "" {
		return dynamic.Value{}, nil
	}
	switch kind {
	case "s":
		i, err := strconv.Atoi(text)
		if err != nil || i < 0 || i >= len(r.book.texts) {
			return dynamic.Value{}, format.Faultf("a cell in row %d refers to a text that does not exist", r.row)
		}
		return dynamic.Value{Kind: dynamic.Text, Text: r.book.texts[i]}, nil
	case "b":
		return dynamic.Value{Kind: dynamic.Bool, Text: strconv.FormatBool(text != "0" && text != "false")}, nil
	case "d":
		return dynamic.Value{Kind: dynamic.Text, Text: text}, nil
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return dynamic.Value{}, format.Faultf("a cell in row %d holds the number '%.30s'", r.row, text)
	}
	if i, err := strconv.Atoi(style); err == nil && i >= 0 && i < len(r.formats) && r.formats[i] != plain {
		if s, ok := r.formats[i].text(text, r.since1904); ok {
			return dynamic.Value{Kind: dynamic.Text, Text: s}, nil
		}
	}
	return dynamic.Value{Kind: dynamic.Number, Text: text}, nil
}

// Value implements dynamic.Rows.
func (r *rows) Value(column int) dynamic.Value {
	if column >= len(r.cells) {
		return dynamic.Value{}
	}
	return r.cells[column]
}

// Where implements dynamic.Rows.
func (r *rows) Where() string { return fmt.Sprint("row ", r.row) }

// Close implements dynamic.Rows.
func (r *rows) Close() error {
	_ = r.held.Set(0) // releasing never fails
	r.in.Close()
	return r.archive.Close()
}
