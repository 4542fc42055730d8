package collate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"gsql/sql/types"
)

// TestOrder compares pairs as in MySQL's documentation and collation charts.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		coll types.Collation
		a, b string
		want int
	}{
		{types.Bin, "a", "A", 1},
		{types.GeneralCI, "a", "A", 0}, {types.GeneralCI, "é", "E", 0}, {types.GeneralCI, "ß", "s", 0}, {types.GeneralCI, "ß", "ss", -1},
		{types.GeneralCI, "a  ", "A", 0}, {types.GeneralCI, "a", "b", -1}, {types.GeneralCI, "_", "a", 1}, {types.GeneralCI, "😀", "🙂", 0},
		{types.UnicodeCI, "ß", "SS", 0}, {types.UnicodeCI, "a ", "a", 0}, {types.UnicodeCI, "_", "a", -1},
		{types.UCA, "a", "A", 0}, {types.UCA, "Ä", "a", 0}, {types.UCA, "ß", "ss", 0}, {types.UCA, "a ", "a", 1}, {types.UCA, "b", "A", 1},
		{types.UCA, "_", "1", -1}, {types.UCA, "1", "a", -1}, {types.UCA, "ab", "a", 1}, {types.UCA, "", "a", -1},
		{types.UCAAccents, "a", "A", 0}, {types.UCAAccents, "ä", "a", 1}, {types.UCAAccents, "ä", "b", -1},
		{types.UCACase, "a", "A", -1}, {types.UCACase, "A", "b", -1}, {types.UCACase, "ä", "A", 1}, {types.UCACase, "x", "x", 0},
	} {
		if got := strings.Compare(Key(c.coll, c.a), Key(c.coll, c.b)); got != c.want {
			t.Errorf("%s: %q against %q: %d, want %d", c.coll, c.a, c.b, got, c.want)
		}
	}
}

// TestASCII compares the fast path with the algorithm itself.
func TestASCII(t *testing.T) {
	order := collate.New(language.Und, collate.Loose)
	r := rand.New(rand.NewPCG(1, 2))
	random := func() string {
		b := make([]byte, r.IntN(6))
		for i := range b {
			b[i] = byte(r.IntN(128))
			if r.IntN(2) == 0 {
				b[i] = "aAbB _-1"[r.IntN(8)]
			}
		}
		return string(b)
	}
	for range 20000 {
		a, b := random(), random()
		if got, want := strings.Compare(Key(types.UCA, a), Key(types.UCA, b)), order.CompareString(a, b); got != want {
			t.Fatalf("%q against %q: %d, want %d", a, b, got, want)
		}
	}
}

func TestFold(t *testing.T) {
	for _, c := range []struct {
		coll    types.Collation
		s, want string
	}{{types.UCA, "aÉz\xff", "AEZ\xff"}, {types.UCAAccents, "aé", "AÉ"}, {types.UCACase, "aé", "aé"}, {types.GeneralCI, "ß%_", "S%_"}} {
		if got := string(AppendFolded(nil, c.coll, c.s)); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.coll, c.s, got, c.want)
		}
	}
}
