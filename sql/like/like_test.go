package like

import (
	"math/rand/v2"
	"testing"
)

// likeOracle implements LIKE by its definition: it matches one element of the pattern after
// another and tries every length for %.
func likeOracle(p, s []rune) bool {
	switch {
	case len(p) == 0:
		return len(s) == 0
	case p[0] == '%':
		for i := range len(s) + 1 {
			if likeOracle(p[1:], s[i:]) {
				return true
			}
		}
		return false
	case p[0] == '\\' && len(p) > 1:
		return len(s) > 0 && s[0] == p[1] && likeOracle(p[2:], s[1:])
	}
	return len(s) > 0 && (p[0] == '_' || p[0] == s[0]) && likeOracle(p[1:], s[1:])
}

func TestLikeAgainstItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	pick := func(alphabet string, n int) []rune {
		from, out := []rune(alphabet), make([]rune, r.IntN(n))
		for i := range out {
			out[i] = from[r.IntN(len(from))]
		}
		return out
	}
	matches := 0
	for range 200_000 {
		p, s := pick(`aaabbé%%__\`, 8), pick("aaabbbé_%", 9)
		want := likeOracle(p, s)
		if got := Compile(string(p), '\\')(string(s)); got != want {
			t.Fatalf("%q LIKE %q: %v, want %v", string(s), string(p), got, want)
		}
		if want {
			matches++
		}
	}
	if matches < 10_000 {
		t.Errorf("only %d matches", matches)
	}
}

func TestLikeOfBrokenText(t *testing.T) {
	for _, c := range []struct {
		s, p string
		want bool
	}{
		{"\xff", "_", true}, {"a\xffb", "a_b", true}, {"\xe9\x80", "__", true}, {"\xe9\x80", "%_", true},
		{"\xff\xff", "_", false}, {"\xff", "", false}, {"", "_", false}, {"", "%_%", false},
	} {
		if got := Compile(c.p, '\\')(c.s); got != c.want {
			t.Errorf("%q LIKE %q: %v, want %v", c.s, c.p, got, c.want)
		}
	}
}

func BenchmarkLike(b *testing.B) {
	const text = "furiously special foxes wake slyly unusual requestt among the deposits"
	for _, p := range []string{"%special%requests%", "furiously%", "%d_posits", "%requ__ts%"} {
		match := Compile(p, '\\')
		b.Run(p, func(b *testing.B) {
			for range b.N {
				match(text)
			}
		})
	}
}
