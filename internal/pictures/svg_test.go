//go:build unix

package main

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hinshun/vt10x"
)

// TestDraw draws a screen with text that XML escapes, bold and coloured text.
func TestDraw(t *testing.T) {
	screen := vt10x.New(vt10x.WithSize(40, lines))
	if _, err := screen.Write([]byte("  a<b \x1b[1mSELECT\x1b[0m \x1b[34m42\x1b[0m│\r\n")); err != nil {
		t.Fatal(err)
	}
	s := &session{screen: screen, columns: 40}
	got := draw([][]vt10x.Glyph{s.line(0)}, `"x"`, &light)
	for _, want := range []string{
		`<text x="30" y="27" textLength="24">a&lt;b</text>`, `<text x="62" y="27" textLength="48" class="b">SELECT</text>`,
		`<text x="118" y="27" textLength="16" style="fill:#0550ae">42</text>`, `aria-label="&#34;x&#34;"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	valid(t, got)
}

func valid(t *testing.T, svg string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestPictures checks that every picture exists, light and dark, shows what is typed for it, and is small.
func TestPictures(t *testing.T) {
	for _, p := range pictures {
		for _, th := range []*theme{&light, &dark} {
			name := p.name + "-" + th.name + ".svg"
			svg, err := os.ReadFile(filepath.Join("..", "..", "docs", "img", name))
			if err != nil {
				t.Fatal(err)
			}
			valid(t, string(svg))
			if len(svg) > 40<<10 || !strings.Contains(string(svg), th.background) {
				t.Errorf("%s: %d bytes, or the background is not %s", name, len(svg), th.background)
			}
			for _, line := range p.typed {
				if word := strings.Fields(line)[0]; !strings.Contains(string(svg), word) {
					t.Errorf("%s lacks %s: run go run ./internal/pictures", name, word)
				}
			}
		}
	}
}
