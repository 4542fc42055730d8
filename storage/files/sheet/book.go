package sheet

import (
	"encoding/xml"
	"path"
	"strconv"
	"strings"

	"gsql/sql/sqlerr"
	"gsql/storage/files/format"
)

// book is what the sheets of a file share.
type book struct {
	sheets    []sheetRef
	since1904 bool     // days count from 1904
	texts     []string // referred to by cells
	formats   []clock  // by style: what a number is
}

type sheetRef struct{ name, part string }

// readBook reads all but the sheets.
func (a *archive) readBook() (*book, error) {
	b := &book{}
	targets, err := a.relations("xl/_rels/workbook.xml.rels")
	if err != nil {
		return nil, err
	}
	if err := a.readWorkbook(b, targets); err != nil {
		return nil, err
	}
	if b.texts, err = a.readTexts(); err != nil {
		return nil, err
	}
	b.formats, err = a.readStyles()
	return b, err
}

// relations returns the parts to which the ids of the workbook refer.
func (a *archive) relations(part string) (map[string]string, error) {
	targets := map[string]string{}
	d, err := a.open(part)
	if d == nil || err != nil {
		return targets, err
	}
	defer d.Close()
	for {
		e, err := d.start()
		if e == nil || err != nil {
			return targets, err
		}
		if e.Name.Local == "Relationship" {
			target := attr(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join("xl", target)
			}
			targets[attr(e, "Id")] = target
		}
	}
}

func (a *archive) readWorkbook(b *book, targets map[string]string) error {
	d, err := a.open("xl/workbook.xml")
	if err != nil {
		return err
	}
	if d == nil {
		return format.Fault("it is no Excel file (.xlsx)")
	}
	defer d.Close()
	for {
		e, err := d.start()
		if e == nil || err != nil {
			return err
		}
		switch e.Name.Local {
		case "workbookPr":
			b.since1904, _ = strconv.ParseBool(attr(e, "date1904"))
		case "sheet":
			if part := targets[attr(e, "id")]; part != "" {
				b.sheets = append(b.sheets, sheetRef{attr(e, "name"), part})
			}
		}
	}
}

// find returns the part of the sheet with a name, or of the first one for "".
func (b *book) find(path, name string) (string, error) {
	var names []string
	for _, s := range b.sheets {
		if name == "" || strings.EqualFold(s.name, name) {
			return s.part, nil
		}
		names = append(names, "'"+s.name+"'")
	}
	if len(names) == 0 {
		return "", format.Fault("it has no sheets")
	}
	return "", sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to file '%s': it has no sheet '%s'", path, name).
		WithHint("Its sheets are %s.", strings.Join(names, ", "))
}

// readTexts returns the texts that cells share.
func (a *archive) readTexts() (texts []string, err error) {
	d, err := a.open("xl/sharedStrings.xml")
	if d == nil || err != nil {
		return nil, err
	}
	defer d.Close()
	held := int64(0)
	for {
		e, err := d.start()
		if e == nil || err != nil {
			return texts, err
		}
		if e.Name.Local != "si" {
			continue
		}
		s, err := d.richText("si")
		if err != nil {
			return nil, err
		}
		if held += int64(len(s)) + 24; held > int64(format.ChunkSize) { // the header of a string and the slack of the slice
			if err := a.texts.Set(held); err != nil {
				return nil, err
			}
		}
		texts = append(texts, s)
	}
}

// richText returns the text within an element: that of its t elements, without phonetic hints.
func (d *decoder) richText(element string) (string, error) {
	var b strings.Builder
	defer func() { d.built = 0 }()
	in, hint := false, false
	for {
		t, err := d.token()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case nil:
			return "", format.Faultf("%s is cut short", d.part)
		case xml.StartElement:
			in, hint = t.Name.Local == "t", hint || t.Name.Local == "rPh"
		case xml.EndElement:
			if in = false; t.Name.Local == element {
				return b.String(), nil
			}
			hint = hint && t.Name.Local != "rPh"
		case xml.CharData:
			if in && !hint {
				if b.Len()+len(t) > maxToken {
					return "", format.Faultf("a text of %s is longer than %d MB", d.part, maxToken>>20)
				}
				b.Write(t)
				d.built = b.Len()
			}
		}
	}
}
