package paint

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// painted returns a text with the escape sequences of its styles.
func painted(p *Painter, text string) string {
	var out strings.Builder
	p.Tokens([]rune(text), func(start, end int, style string) {
		out.WriteString(style + string([]rune(text)[start:end]))
		if style != "" {
			out.WriteString(reset)
		}
	})
	return out.String()
}

// TestPaint colours lines.
func TestPaint(t *testing.T) {
	p := New([]string{"SELECT", "FROM", "AS"})
	marks := strings.NewReplacer(reset, ")", keyword, "K(", text, "T(", number, "N(", comment, "C(", command, "D(")
	for line, want := range map[string]string{
		"select a, 'x\\'y' from t":    "K(select) a, T('x\\'y') K(from) t",
		"SELECT 1.5e3, a1 AS `as`":    "K(SELECT) N(1.5e3), a1 K(AS) `as`",
		"SELECT t.from, @as -- FROM":  "K(SELECT) t.from, @as C(-- FROM)",
		"/* select */ select 'open":   "C(/* select */) K(select) T('open)",
		".mode json":                  "D(.mode) json",
		"a--1 # x":                    "a--N(1) C(# x)",
		"":                            "",
		"SELECT 1 -- as\nAS a":        "K(SELECT) N(1) C(-- as)\nK(AS) a",
		"SELECT 'a\nb' AS c\n.mode 1": "K(SELECT) T('a\nb') K(AS) c\n.mode N(1)",
	} {
		if got := marks.Replace(painted(p, line)); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

// TestPaintKeepsText checks that only escape sequences are added, whatever is typed.
func TestPaintKeepsText(t *testing.T) {
	p := New([]string{"SELECT"})
	escape := regexp.MustCompile("\x1b\\[[0-9]+m")
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		line := make([]rune, r.IntN(12))
		for i := range line {
			line[i] = []rune("aS'\"`\\#-/* .0_ü\t")[r.IntN(16)]
		}
		if got := escape.ReplaceAllString(painted(p, string(line)), ""); got != string(line) {
			t.Fatalf("%q became %q", string(line), got)
		}
	}
}
