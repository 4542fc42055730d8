package json

import (
	"strings"
	"unicode/utf8"
)

// scan reads a text in normal form without decoding it. It may reject texts that are in normal
// form, but never accepts others.
type scan struct {
	text  string
	wide  bool   // some byte is not ASCII
	found string // text of the selected value
	ok    bool   // the path selects a value
}

// Normal reports whether a text is certainly in normal form.
func Normal(text string) bool {
	s := scan{text: text}
	return s.all(nil)
}

// Normalise returns the normal form of a JSON text. Errors: those of Parse.
func Normalise(text string) (string, error) {
	if Normal(text) {
		return text, nil
	}
	b, err := AppendNormal(nil, text, nil)
	return string(b), err
}

// Cut returns the text of the value that a path without wildcards selects in a text in normal
// form; found is false if there is none. If normal is false, the text must be decoded instead.
func (p *Path) Cut(text string) (value string, found, normal bool) {
	if p.wildcard {
		return "", false, false
	}
	for _, l := range p.legs {
		if l.from.last {
			return "", false, false
		}
	}
	s := scan{text: text}
	normal = s.all(p.legs)
	return s.found, s.ok, normal
}

// all scans the whole text.
func (s *scan) all(legs []leg) bool {
	end := s.value(0, legs, true, 1)
	return end == len(s.text) && (!s.wide || utf8.ValidString(s.text))
}

// The methods below scan the item that begins at byte i and return the position after it, or -1
// if the text may not be in normal form. on is set if legs lead on from that item.

func (s *scan) value(i int, legs []leg, on bool, depth int) (end int) {
	if i >= len(s.text) || depth > MaxDepth {
		return -1
	}
	if on && len(legs) == 0 {
		if end = s.value(i, nil, false, depth); end >= 0 {
			s.found, s.ok = s.text[i:end], true
		}
		return end
	}
	if s.text[i] != '[' {
		for on && legs[0].kind == cell && legs[0].from.n == 0 { // a value counts as an array of itself
			if legs = legs[1:]; len(legs) == 0 {
				return s.value(i, legs, on, depth)
			}
		}
	}
	switch c := s.text[i]; {
	case c == '{':
		return s.object(i, legs, on && legs[0].kind == member, depth)
	case c == '[':
		return s.array(i, legs, on && legs[0].kind == cell, depth)
	case c == '"':
		return s.str(i)
	case c == '-' || c-'0' <= 9:
		return s.number(i)
	}
	for _, word := range []string{"null", "true", "false"} {
		if strings.HasPrefix(s.text[i:], word) {
			return i + len(word)
		}
	}
	return -1
}

// object scans an object, whose names must be sorted by length and then by bytes.
func (s *scan) object(i int, legs []leg, on bool, depth int) int {
	if strings.HasPrefix(s.text[i:], "{}") {
		return i + 2
	}
	before, first := "", true
	for i++; ; i += 2 {
		end := -1
		if i < len(s.text) && s.text[i] == '"' {
			end = s.str(i)
		}
		if end < 0 || !strings.HasPrefix(s.text[end:], ": ") {
			return -1
		}
		name := s.text[i+1 : end-1]
		if strings.IndexByte(name, '\\') >= 0 || !first && (len(name) < len(before) || len(name) == len(before) && name <= before) {
			return -1
		}
		before, first = name, false
		here := on && name == legs[0].key
		rest := legs
		if here {
			rest = legs[1:]
		}
		if i = s.value(end+2, rest, here, depth+1); i < 0 || i >= len(s.text) {
			return -1
		}
		if s.text[i] == '}' {
			return i + 1
		}
		if !strings.HasPrefix(s.text[i:], ", ") {
			return -1
		}
	}
}

func (s *scan) array(i int, legs []leg, on bool, depth int) int {
	if strings.HasPrefix(s.text[i:], "[]") {
		return i + 2
	}
	i++
	for n := 0; ; n++ {
		here := on && n == legs[0].from.n
		rest := legs
		if here {
			rest = legs[1:]
		}
		if i = s.value(i, rest, here, depth+1); i < 0 || i >= len(s.text) {
			return -1
		}
		if s.text[i] == ']' {
			return i + 1
		}
		if !strings.HasPrefix(s.text[i:], ", ") {
			return -1
		}
		i += 2
	}
}

// str scans a string with escapes as AppendString writes them, except those of control
// characters.
func (s *scan) str(i int) int {
	for i++; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i++; i >= len(s.text) || strings.IndexByte(`"\bfnrt`, s.text[i]) < 0 {
				return -1
			}
		case c < 0x20:
			return -1
		case c >= utf8.RuneSelf:
			s.wide = true
		}
	}
	return -1
}

func (s *scan) number(i int) int {
	if s.text[i] == '-' {
		i++
	}
	start := i
	if i = s.digits(i); i == start || i > start+1 && s.text[start] == '0' {
		return -1
	}
	if i < len(s.text) && s.text[i] == '.' {
		start = i + 1
		if i = s.digits(start); i == start {
			return -1
		}
	}
	if i < len(s.text) && s.text[i] == 'e' {
		if i++; i < len(s.text) && (s.text[i] == '-' || s.text[i] == '+') {
			i++
		}
		start = i
		if i = s.digits(i); i == start {
			return -1
		}
	}
	return i
}

func (s *scan) digits(i int) int {
	for i < len(s.text) && s.text[i]-'0' <= 9 {
		i++
	}
	return i
}
