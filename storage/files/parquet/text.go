package parquet

import (
	"unicode/utf8"
	"unsafe"

	"gsql/internal/simd"
	"gsql/sql/json"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// badText reports a value of a text column that is not UTF-8, with its row in the row group.
type badText struct {
	row   int64
	value string
}

// Error implements error.
func (b *badText) Error() string { return "a text is not UTF-8" }

// badJSON reports a value of a JSON column that is not JSON, with its row in the row group.
type badJSON struct {
	row int64
	err error
}

// Error implements error.
func (b *badJSON) Error() string { return "a text is not JSON" }

// isText reports whether the values of a column must be UTF-8.
func (c *column) isText() bool {
	return (c.Type.ID == types.String || c.Type.ID == types.JSON) && c.form == plainForm
}

// pageText classifies the bytes of a page or dictionary, including the lengths between texts.
type pageText uint8

const (
	asciiText   pageText = iota // no text needs validation
	wholeText                   // valid UTF-8, so a text is valid unless a character crosses its ends
	unknownText                 // each text needs validation
)

// textOf classifies bytes that contain consecutive texts, possibly with lengths in between.
func textOf(body []byte) pageText {
	switch {
	case types.IsASCII(body):
		return asciiText
	case simd.ValidUTF8(body):
		return wholeText
	}
	return unknownText
}

// textOf classifies the page whose values r decodes.
func (r *columnReader) textOf(body []byte) pageText {
	d, ok := r.values.(*deltaStrings)
	switch {
	case !ok:
		return textOf(body)
	case d.prefixes == nil:
		return textOf(d.data)
	case types.IsASCII(d.data):
		return asciiText
	}
	return unknownText // values are joined from parts
}

// invalid returns the index of the first of texts that is not UTF-8, or -1 if all are. The texts
// are in bytes of class p.
func (p pageText) invalid(texts []string) int {
	if p == asciiText {
		return -1
	}
	for i, s := range texts {
		if p == wholeText && uncut(s) || simd.ValidUTF8(unsafe.Slice(unsafe.StringData(s), len(s))) {
			continue
		}
		return i
	}
	return -1
}

// uncut reports whether no character crosses the ends of s, which is part of valid UTF-8.
func uncut(s string) bool {
	if len(s) == 0 {
		return true
	}
	if !utf8.RuneStart(s[0]) {
		return false
	}
	if s[len(s)-1] < utf8.RuneSelf {
		return true
	}
	_, size := utf8.DecodeLastRuneInString(s)
	return size > 1
}

// checkText verifies rows [at, at+m) of v, which fill has decoded: values of pages that are not
// all ASCII, and codes of a dictionary with invalid texts. JSON values are brought to their normal
// form; those of a dictionary already are.
func (r *columnReader) checkText(v *vec.Vector, at, m int, view bool) error {
	switch {
	case r.coded && r.shared.badCodes == nil:
	case view:
		for i, code := range r.idx[at : at+m] {
			if code >= 0 && r.shared.badCodes[code] {
				return r.bad(int64(at+i), r.dict.Str[code])
			}
		}
	default:
		texts := v.Str[at : at+m]
		page := r.page
		if r.coded {
			page = unknownText
		}
		if i := page.invalid(texts); i >= 0 {
			return r.bad(int64(at+i), texts[i])
		}
		if v.Type.ID == types.JSON {
			return r.normalise(v, at, m)
		}
	}
	return nil
}

// bad returns the error for a text, in a row of the current batch, that its column cannot have.
func (r *columnReader) bad(row int64, text string) error {
	if utf8.ValidString(text) {
		if _, err := json.Parse(text); err != nil {
			return &badJSON{r.row + row, err}
		}
	}
	return &badText{r.row + row, text}
}

// normalise brings rows [at, at+m) of a JSON vector to their normal form.
func (r *columnReader) normalise(v *vec.Vector, at, m int) error {
	for i := at; i < at+m; i++ {
		if v.Null != nil && v.Null[i] {
			continue
		}
		text, err := json.Normalise(v.Str[i])
		if err != nil {
			return &badJSON{r.row + int64(i), err}
		}
		v.Str[i] = text
	}
	return nil
}

// findBadCodes finds the values of a dictionary that are not UTF-8 or, in a JSON column, not JSON,
// given its page. They are an error only for rows that use them.
func (s *sharedColumn) findBadCodes(body []byte) {
	page := textOf(body)
	for from := 0; ; {
		i := page.invalid(s.dict.Str[from:])
		if i < 0 {
			break
		}
		s.markBad(from + i)
		from += i + 1
	}
	if s.dict.Type.ID != types.JSON {
		return
	}
	for i, text := range s.dict.Str {
		if s.badCodes != nil && s.badCodes[i] {
			continue
		}
		normal, err := json.Normalise(text)
		if err != nil {
			s.markBad(i)
			continue
		}
		s.dict.Str[i] = normal
	}
}

func (s *sharedColumn) markBad(code int) {
	if s.badCodes == nil {
		s.badCodes = make([]bool, len(s.dict.Str))
	}
	s.badCodes[code] = true
}
