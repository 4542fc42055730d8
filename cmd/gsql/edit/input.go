package edit

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// These stand for characters that came at once, and for the key Delete, which the library takes for Ctrl-D. They are not characters of
// Unicode, so they cannot be typed.
const (
	pasted  = '\uFDD0'
	deleted = '\uFDD1'
)

// sequences are those of keys that the library does not know, and the keys that it does.
var sequences = map[string]string{
	"\x1b[1~": "\x01", "\x1b[7~": "\x01", "\x1b[4~": "\x05", "\x1b[8~": "\x05", // Home, End
	"\x1b[1;5D": "\x1bb", "\x1b[1;5C": "\x1bf", "\x1b[1;3D": "\x1bb", "\x1b[1;3C": "\x1bf", // a word left or right
	"\x1b[3~": string(deleted),
}

// The sequences around what is pasted.
var pasteBegins, pasteEnds = []byte("\x1b[200~"), []byte("\x1b[201~")

// input reads keys. It returns a key at a time, so that it is known whether more have been typed, and the character
// pasted for several characters at once: a long text that is pasted must not be drawn for each of its characters.
type input struct {
	from io.Reader
	idle func() // is called before Read waits for keys

	mu     sync.Mutex
	buf    []byte
	escape rune     // within an escape sequence, its kind: ESC until that is known; 0 outside
	pastes []string // which the character pasted stands for, in this order
	err    error
}

// Read implements io.Reader.
func (in *input) Read(b []byte) (int, error) {
	for {
		in.mu.Lock()
		key := in.key()
		err := in.err
		in.mu.Unlock()
		switch {
		case len(key) > 0:
			return copy(b, key), nil // the library's buffer is larger than any key
		case err != nil:
			return 0, err
		}
		in.idle()
		chunk := make([]byte, 4096)
		n, err := in.from.Read(chunk)
		in.mu.Lock()
		in.buf, in.err = append(in.buf, chunk[:n]...), err
		in.mu.Unlock()
	}
}

// key takes a byte of a key, or the character pasted, from what has been read. It returns nothing if more must be read.
func (in *input) key() []byte {
	if bytes.HasPrefix(in.buf, pasteBegins) {
		end := bytes.Index(in.buf, pasteEnds)
		if end < 0 {
			if in.err == nil {
				return nil
			}
			end = len(in.buf)
		}
		text := string(in.buf[len(pasteBegins):end])
		in.buf = in.buf[min(end+len(pasteEnds), len(in.buf)):]
		return in.paste(cleaned(text))
	}
	if len(in.buf) > 2 && bytes.HasPrefix(pasteBegins, in.buf) && in.err == nil {
		return nil // the rest of the sequence follows
	}
	if key, known := in.sequence(); known {
		return key
	}
	n := 0
	for in.escape == 0 && n < len(in.buf) && in.buf[n] >= ' ' && in.buf[n] != 0x7f && utf8.FullRune(in.buf[n:]) {
		_, size := utf8.DecodeRune(in.buf[n:])
		n += size
	}
	if n > 1 {
		text := string(in.buf[:n])
		in.buf = in.buf[n:]
		return in.paste(text)
	}
	return in.next()
}

// sequence takes the sequence of a key that the library does not know.
func (in *input) sequence() (key []byte, known bool) {
	if rest, ok := bytes.CutPrefix(in.buf, []byte("\x1b\r")); ok { // Alt-Enter
		in.buf = rest
		return in.paste("\n"), true
	}
	for sequence, key := range sequences {
		if rest, ok := bytes.CutPrefix(in.buf, []byte(sequence)); ok {
			in.buf = rest
			return []byte(key), true
		}
	}
	return nil, false
}

// next takes a byte, and follows escape sequences: ESC [ with parameters and a letter, ESC O and a letter, or ESC and a
// character.
func (in *input) next() []byte {
	if len(in.buf) == 0 {
		return nil
	}
	c := rune(in.buf[0])
	switch {
	case c == 0x1b:
		in.escape = c
	case in.escape == 0x1b && (c == '[' || c == 'O'):
		in.escape = c
	case in.escape == '[' && (c == ';' || c >= '0' && c <= '9'):
	default:
		in.escape = 0
	}
	key := in.buf[:1]
	in.buf = in.buf[1:]
	return key
}

// paste keeps a text and returns the character that stands for it.
func (in *input) paste(text string) []byte {
	in.pastes = append(in.pastes, text)
	return []byte(string(pasted))
}

// pop returns the text that the character pasted stands for.
func (in *input) pop() string {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.pastes) == 0 {
		return ""
	}
	text := in.pastes[0]
	in.pastes = in.pastes[1:]
	return text
}

// waiting reports whether there are keys that have not been read.
func (in *input) waiting() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.buf) > 0
}

// cleaned returns what was pasted without control characters, other than tabs and the ends of lines but the last.
func cleaned(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	return strings.TrimRight(text, "\n")
}
