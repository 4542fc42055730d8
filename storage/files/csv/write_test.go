package csv

import (
	"bytes"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestLongFields writes fields that are not copied: as they are, quoted with doubled quotes, and with
// escapes.
func TestLongFields(t *testing.T) {
	plain := strings.Repeat("word ", longField)
	special := strings.Repeat("a,\"b\"\n"+strings.Repeat("x", 1000), 200)
	cols := []catalog.Column{{Name: "a", Type: types.T(types.String)}, {Name: "b", Type: types.T(types.String)}}
	rows := [][2]string{{plain, "short"}, {"short", special}, {special, plain}, {"q\"", "\"" + plain + "\""}}
	none, quote, escape := byte(0), byte('"'), byte('\\')
	quoted := func(s string) string {
		if !strings.ContainsAny(s, ",\"\n") {
			return s
		}
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	escaped := func(s string) string {
		return strings.NewReplacer("\n", `\n`, ",", `\,`, `"`, `"`).Replace(s)
	}
	for _, c := range []struct {
		name string
		opt  WriteOptions
		want func(string) string
	}{
		{"quoted", WriteOptions{Quote: &quote}, quoted},
		{"escaped", WriteOptions{Quote: &none, Escape: &escape}, escaped},
	} {
		var out bytes.Buffer
		header := false
		c.opt.Header = &header
		e, err := NewEncoder(&out, false, cols, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		b, want := &vec.Batch{N: len(rows)}, ""
		for i := range cols {
			v := vec.NewFlat(cols[i].Type, len(rows))
			for j := range rows {
				v.Str[j] = rows[j][i]
			}
			b.Cols = append(b.Cols, v)
		}
		for _, r := range rows {
			want += c.want(r[0]) + "," + c.want(r[1]) + "\n"
		}
		if err := e.Write(b); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != want {
			t.Errorf("%s: %d bytes are wrong, want %d", c.name, len(got), len(want))
		}
	}
}
