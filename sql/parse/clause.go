package parse

import "gsql/sql/sqlmode"

// Clause finds the first occurrence of word, given in capitals, outside strings, quoted names and comments. It
// returns where the word starts and where the text after it starts. Both are the text's length if the word is
// missing.
func Clause(text, word string, mode sqlmode.Mode) (start, after int) {
	l := lexer{text: text, mode: mode}
	for {
		t := l.next()
		if t.kind == tokEnd {
			return len(text), len(text)
		}
		if l.is(t, word) {
			return t.start, t.end
		}
	}
}
