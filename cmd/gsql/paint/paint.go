// Package paint colours SQL while it is typed. It uses colours of the terminal's own palette that are legible on its
// background.
package paint

import (
	"strings"
	"unicode"
)

// The escape sequences of terminals (ECMA-48).
const (
	reset   = "\x1b[0m"
	keyword = "\x1b[1m"  // bold
	text    = "\x1b[32m" // green
	number  = "\x1b[36m" // cyan
	onLight = "\x1b[34m" // blue: numbers on a light background, where cyan is hard to read
	comment = "\x1b[2m"  // dim
	command = "\x1b[35m" // magenta
)

// Painter colours texts.
type Painter struct {
	Light    bool // the background is light
	keywords map[string]bool
}

// New returns a painter that knows the given keywords, in upper case.
func New(keywords []string) *Painter {
	p := &Painter{keywords: make(map[string]bool, len(keywords))}
	for _, k := range keywords {
		p.keywords[k] = true
	}
	return p
}

// Tokens calls yield for the tokens of a text, one after the other, with the escape sequences of their styles. Between two
// tokens, the style must be reset. "" is no style.
func (p *Painter) Tokens(text []rune, yield func(start, end int, style string)) {
	for i := 0; i < len(text); {
		end, style := p.token(text, i)
		yield(i, end, style)
		i = end
	}
}

// token returns the end of the token at i and its style.
func (p *Painter) token(line []rune, i int) (end int, style string) {
	switch c := line[i]; {
	case i == 0 && (c == '.' || c == '\\'):
		return wordEnd(line, 1), command
	case c == '\'' || c == '"':
		return quoted(line, i, c), text
	case c == '`':
		return quoted(line, i, c), ""
	case c == '#', c == '-' && i+1 < len(line) && line[i+1] == '-' && (i+2 == len(line) || unicode.IsSpace(line[i+2])):
		return lineEnd(line, i), comment
	case c == '/' && i+1 < len(line) && line[i+1] == '*':
		return block(line, i), comment
	case c >= '0' && c <= '9':
		for end = i + 1; end < len(line) && (isWord(line[end]) || line[end] == '.'); {
			end++
		}
		if p.Light {
			return end, onLight
		}
		return end, number
	case isWord(c):
		end = wordEnd(line, i)
		if p.keywords[strings.ToUpper(string(line[i:end]))] && (i == 0 || line[i-1] != '.' && line[i-1] != '@') {
			return end, keyword
		}
		return end, ""
	}
	return i + 1, ""
}

func isWord(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func wordEnd(line []rune, i int) int {
	for i < len(line) && isWord(line[i]) {
		i++
	}
	return i
}

func lineEnd(text []rune, i int) int {
	for i < len(text) && text[i] != '\n' {
		i++
	}
	return i
}

// quoted returns the end of what is quoted by q from i on, or of the text.
func quoted(line []rune, i int, q rune) int {
	for i++; i < len(line); i++ {
		switch {
		case line[i] == '\\' && q != '`':
			i++
		case line[i] == q:
			return i + 1
		}
	}
	return len(line)
}

// block returns the end of the comment at i, or of the text.
func block(line []rune, i int) int {
	for i += 2; i+1 < len(line); i++ {
		if line[i] == '*' && line[i+1] == '/' {
			return i + 2
		}
	}
	return len(line)
}
