package kernel

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestASCII compares texts of all lengths and bytes, ASCII and not, with package strings.
func TestASCII(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		b := make([]rune, r.IntN(30))
		for i := range b {
			if b[i] = rune(r.IntN(128)); r.IntN(100) == 0 {
				b[i] = rune(128 + r.IntN(4000))
			}
		}
		s := string(b)
		if got, want := IsASCII(s), len(b) == len(s); got != want {
			t.Fatalf("%q is ASCII: %v", s, got)
		}
		if got := Runes.Count(s); got != utf8.RuneCountInString(s) {
			t.Fatalf("%q has %d characters", s, got)
		}
		up, down := make([]byte, len(s)), make([]byte, len(s))
		raised, ascii := OtherCase(up, s, 'a')
		lowered, both := OtherCase(down, s, 'A')
		if ascii != IsASCII(s) || both != ascii {
			t.Fatalf("%q is ASCII: %v and %v", s, ascii, both)
		}
		if !ascii {
			continue
		}
		turned := []byte(s)
		slices.Reverse(turned)
		if got := AppendReversed([]byte("x"), s); string(got) != "x"+string(turned) {
			t.Fatalf("%q reversed: %q", s, got)
		}
		if want := strings.ToUpper(s); string(up) != want || raised != (want != s) {
			t.Fatalf("%q in upper case: %q, %v", s, up, raised)
		}
		if want := strings.ToLower(s); string(down) != want || lowered != (want != s) {
			t.Fatalf("%q in lower case: %q, %v", s, down, lowered)
		}
	}
}

// TestRoom checks that texts made in room are not changed by later ones.
func TestRoom(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var rt Runtime
	var got, want []string
	for range 5000 {
		s := strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(100))
		if r.IntN(50) == 0 {
			s = strings.Repeat(s, r.IntN(300))
		}
		room := len(s)
		if r.IntN(3) == 0 {
			room = r.IntN(room + 20)
		}
		switch b := append(rt.Room(room), s...); r.IntN(4) {
		case 0: // not kept
			continue
		case 1:
			got = append(got, rt.Text([]byte(s)))
		default:
			got = append(got, rt.Keep(b))
		}
		want = append(want, strings.Clone(s))
	}
	if !slices.Equal(got, want) {
		t.Error("texts changed")
	}
}
