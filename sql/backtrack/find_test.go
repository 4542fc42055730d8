package backtrack

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFind compares the matches of random patterns in random texts with those of package regexp.
func TestFind(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	atom := func() string {
		return pick("a", "b", "/", "é", "ab", ".", "[^/]", "[^a]", "[ab]", "(?s:.)", `\.`)
	}
	var part func(depth int) string
	part = func(depth int) string {
		switch r.IntN(8) {
		case 0, 1:
			return pick("a", "b", "/", ".", "[^/]", "[^b]", "[ab]") + pick("*", "+", "*?", "+?", "?")
		case 2:
			if depth > 0 {
				return "(" + part(depth-1) + part(depth-1) + ")" + pick("", "?")
			}
		case 3:
			if depth > 0 {
				return "(?:" + part(depth-1) + atom() + ")?"
			}
		}
		return atom()
	}
	compiled, found, gave := 0, 0, 0
	for range 4000 {
		pattern := pick("", "", "^")
		for range 1 + r.IntN(4) {
			pattern += part(2)
		}
		pattern += pick("", "", "$")
		m := Compile(pattern)
		if m == nil {
			continue
		}
		compiled++
		re := regexp.MustCompile(pattern)
		var st State
		for range 8 {
			var text strings.Builder
			for range r.IntN(12) {
				text.WriteString(pick("a", "b", "/", "é", "\n", ".", "日"))
			}
			s := text.String()
			got, ok := m.Find(s, 0, &st)
			if !ok {
				gave++
				continue
			}
			want := re.FindStringSubmatchIndex(s)
			if !slices.Equal(got, want) {
				t.Fatalf("%q in %q: got %v, want %v", pattern, s, got, want)
			}
			if want != nil {
				found++
			}
		}
	}
	if compiled < 2000 || found < 5000 || gave > 500 {
		t.Errorf("%d patterns compiled, %d matches, given up %d times", compiled, found, gave)
	}
}

// TestCompile lists patterns that have another form.
func TestCompile(t *testing.T) {
	for _, p := range []string{"ab|c", "(ab)*", "(?i)a", "[а-я]+", `\bx`, "(?m)^a", "a{2,3}", "(a", "a??"} {
		if Compile(p) != nil {
			t.Errorf("%q is compiled", p)
		}
	}
	if Compile(`^https?://(?:www\.)?([^/]+)/.*$`) == nil {
		t.Error("a sequence is not compiled")
	}
}

// TestGivingUp checks that a search whose choices multiply ends.
func TestGivingUp(t *testing.T) {
	var st State
	if _, ok := Compile("a*a*a*a*a*a*b").Find(strings.Repeat("a", 300), 0, &st); ok {
		t.Error("the search was not given up")
	}
	if _, ok := Compile("a").Find("\xff", 0, &st); ok {
		t.Error("a text that is not UTF-8 was searched")
	}
}

func BenchmarkFind(b *testing.B) {
	const pattern, text = `^https?://(?:www\.)?([^/]+)/.*$`, "http://www.example1234.ru/category/some-page/?key=12345&other=67890"
	b.Run("sequence", func(b *testing.B) {
		m := Compile(pattern)
		var st State
		for b.Loop() {
			m.Find(text, 0, &st)
		}
	})
	b.Run("regexp", func(b *testing.B) {
		re := regexp.MustCompile(pattern)
		for b.Loop() {
			re.FindStringSubmatchIndex(text)
		}
	})
}
