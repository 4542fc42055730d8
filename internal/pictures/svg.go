//go:build unix

package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/hinshun/vt10x"
)

// theme has the colours of a picture.
type theme struct {
	name        string
	environment string // $COLORFGBG for the shell
	background  string
	foreground  string
	palette     [16]string
}

var light = theme{"light", "0;15", "#ffffff", "#1f2328", [16]string{"#24292f", "#cf222e", "#116329", "#4d2d00", "#0550ae", "#8250df", "#1b7c83", "#6e7781",
	"#6e7781", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#8c959f"}}

var dark = theme{"dark", "15;0", "#0d1117", "#e6edf3", [16]string{"#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
	"#8b949e", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc"}}

// The size of a character and of the border in a picture.
const (
	charWidth  = 8.0
	lineHeight = 18
	border     = 14
)

// bold is the bit of a character's mode for bold text.
const bold = 1 << 2

// draw returns the lines of a screen as SVG.
func draw(screen [][]vt10x.Glyph, alt string, t *theme) string {
	widest := 0
	for _, line := range screen {
		widest = max(widest, len(line))
	}
	width, height := float64(widest)*charWidth+2*border, len(screen)*lineHeight+2*border
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%d" viewBox="0 0 %[1]g %[2]d" role="img" aria-label="%s">`+"\n", width, height, html.EscapeString(alt))
	fmt.Fprintf(&b, "<style>text{font:13.3px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:%s}.b{font-weight:bold}</style>\n", t.foreground)
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%g" height="%d" rx="6" fill="%s" stroke="%s" stroke-opacity="0.3"/>`+"\n", width-1, height-1, t.background, t.foreground)
	for y, line := range screen {
		for x := 0; x < len(line); {
			end := x + 1
			for end < len(line) && line[end].FG == line[x].FG && line[end].Mode&bold == line[x].Mode&bold {
				end++
			}
			run(&b, line[x:end], x, y, t)
			x = end
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// run writes characters of one style. The length of the text is set, so that columns are aligned in every font.
func run(b *strings.Builder, chars []vt10x.Glyph, x, y int, t *theme) {
	s := text(chars)
	left := len(s) - len(strings.TrimLeft(s, " "))
	if s = strings.Trim(s, " "); s == "" {
		return
	}
	style := ""
	if chars[0].Mode&bold != 0 {
		style += ` class="b"`
	}
	if c := chars[0].FG; c < 16 {
		style += ` style="fill:` + t.palette[c] + `"`
	}
	fmt.Fprintf(b, `<text x="%g" y="%d" textLength="%g"%s>%s</text>`+"\n", border+float64(x+left)*charWidth, border+y*lineHeight+13,
		float64(len([]rune(s)))*charWidth, style, html.EscapeString(strings.ReplaceAll(s, " ", "\u00a0"))) // SVG shows only the first of several blanks
}
