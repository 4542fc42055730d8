package parse

import "gsql/sql/sqlmode"

// Clause finds the first word of text, given in capitals, outside strings, quoted names
// and comments: where it starts and where what follows it does. Both are the text's length
// when it is not there.
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
