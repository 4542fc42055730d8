package keyenc

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestPackedTexts packs and unpacks strings of all lengths, including bytes that do not occur in
// text.
func TestPackedTexts(t *testing.T) {
	var all []string
	for n := range textMax + 1 {
		for _, b := range []string{"\x00", "\xff", "abcdefghijklmnop"} {
			all = append(all, strings.Repeat(b, n)[:n])
		}
	}
	met := map[decimal128.Num]string{}
	v := &vec.Vector{Type: PackedText, N: len(all)}
	for _, s := range all {
		x := packText(s)
		if had, ok := met[x]; ok && had != s {
			t.Errorf("%q and %q are the same number", had, s)
		}
		met[x] = s
		v.Dec = append(v.Dec, x)
	}
	v.Dec[3] = decimal128.New(longText, 1)
	all[3] = "more than fifteen bytes"
	got := &vec.Vector{Type: types.T(types.String)}
	var u TextUnpacker
	u.Unpack(v, got, []string{"", all[3]})
	for i, s := range all {
		if got.Str[i] != s {
			t.Errorf("%q became %q", s, got.Str[i])
		}
	}
}
