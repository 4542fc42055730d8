package files

import (
	"strings"
	"testing"
	"unicode/utf16"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/storage/files/csv"
)

// utf16Text encodes a text in UTF-16, big endian if big is set, with a byte order mark if mark is
// set.
func utf16Text(s string, big, mark bool) string {
	units := utf16.Encode([]rune(s))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	var b strings.Builder
	for _, u := range units {
		if big {
			u = u>>8 | u<<8
		}
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

// TestUTF16 reads files with byte order marks, and files without them by their character set, in
// one chunk and in many.
func TestUTF16(t *testing.T) {
	text := "name,n\n\"Zoë, 🐟\nżółw\",1\n日本,22\n"
	want := []string{`"Zoë, 🐟` + `\n` + `żółw"|"1"|`, `"日本"|"22"|`}
	for _, big := range []bool{false, true} {
		for _, ext := range []string{"", ".gz"} {
			for _, opt := range []Options{{}, {Options: csv.Options{ChunkBytes: 7}}} {
				tab := open(t, compressed(t, tempFile(t, "x.csv", utf16Text(text, big, true)), ext), opt)
				if got := schemaText(tab); got != "name:text n:bigint" {
					t.Errorf("big %t: %s", big, got)
				}
				compareRows(t, "with a mark", rowsOf(t, tab, catalog.ScanSpec{}), want)
			}
		}
		name := "utf16"
		if !big {
			name = "utf16le"
		}
		e, ok := csv.Charset(name)
		if !ok {
			t.Fatal(name)
		}
		compareRows(t, name, rowsOf(t, open(t, tempFile(t, "x.csv", utf16Text(text, big, false)), Options{Options: csv.Options{Charset: e}}), catalog.ScanSpec{}), want)
	}
	many := "a,b\n" + strings.Repeat("ä,7\n", 700_000)
	tab := open(t, tempFile(t, "x.csv", utf16Text(many, false, true)), Options{})
	if got := count(t, tab, 2, catalog.ScanSpec{Columns: []int{0, 1}}); got != 700_000 {
		t.Errorf("%d rows", got)
	}
}

// TestCharsets reads non-ASCII bytes in the character sets that have them.
func TestCharsets(t *testing.T) {
	for name, c := range map[string]struct{ bytes, text string }{
		"latin1": {"caf\xe9 \x80", "café €"}, "latin2": {"\xb3\xf3d\xbc", "łódź"}, "CP1251": {"\xe4\xe0", "да"}, "koi8r": {"\xc4\xc1", "да"},
		"cp850": {"\x84", "ä"}, "greek": {"\xe1", "α"}, "utf8mb4": {"ä", "ä"}, "binary": {"ä", "ä"},
	} {
		e, ok := csv.Charset(name)
		if !ok {
			t.Fatal(name)
		}
		tab := open(t, tempFile(t, "x.csv", "t;n\n"+c.bytes+";1\n"), Options{Options: csv.Options{Charset: e, Types: map[string]types.Type{"n": types.T(types.Int64)}}})
		compareRows(t, name, rowsOf(t, tab, catalog.ScanSpec{}), []string{`"` + c.text + `"|"1"|`})
	}
	if _, ok := csv.Charset("klingon"); ok {
		t.Error("an unknown character set")
	}
}
