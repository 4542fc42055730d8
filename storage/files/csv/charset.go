package csv

import (
	"bytes"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// charsets maps MySQL's names to the encodings of text files; nil for those read without
// conversion.
var charsets = map[string]encoding.Encoding{
	"latin1": charmap.Windows1252, "latin2": charmap.ISO8859_2, "latin5": charmap.ISO8859_9, "latin7": charmap.ISO8859_13,
	"greek": charmap.ISO8859_7, "hebrew": charmap.ISO8859_8, "tis620": charmap.Windows874,
	"cp850": charmap.CodePage850, "cp852": charmap.CodePage852, "cp866": charmap.CodePage866,
	"cp1250": charmap.Windows1250, "cp1251": charmap.Windows1251, "cp1256": charmap.Windows1256, "cp1257": charmap.Windows1257,
	"koi8r": charmap.KOI8R, "koi8u": charmap.KOI8U, "macroman": charmap.Macintosh,
	"utf16": unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "utf16le": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"utf8": nil, "utf8mb3": nil, "utf8mb4": nil, "ascii": nil, "binary": nil,
}

// Charset returns the encoding with MySQL's name, or nil if it is read without conversion. ok is
// false if it is not supported.
func Charset(name string) (e encoding.Encoding, ok bool) {
	e, ok = charsets[strings.ToLower(name)]
	return e, ok
}

// markedUTF16 reports whether a file begins with a byte order mark of UTF-16.
func markedUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}
