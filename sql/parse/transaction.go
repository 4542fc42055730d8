package parse

import "strings"

// Words returns the first n words of a statement, without comments, in upper case.
func Words(text string, n int) []string {
	l := lexer{text: text}
	var out []string
	for t := l.next(); t.kind != tokEnd && len(out) < n; t = l.next() {
		out = append(out, strings.ToUpper(text[t.start:t.end]))
	}
	return out
}

// plainTransaction blanks keywords of transaction statements that the grammar does not support
// and that have no effect here: WORK, and WITH CONSISTENT SNAPSHOT next to an access mode. ok is
// false for other texts.
func plainTransaction(text string) (plain string, ok bool) {
	switch w := Words(text, 2); {
	case len(w) < 2:
	case w[1] == "WORK" && (w[0] == "BEGIN" || w[0] == "COMMIT" || w[0] == "ROLLBACK"):
		return blank(text, "WORK"), true
	case w[0] == "START" && w[1] == "TRANSACTION":
		plain = blank(text, "WITH", "CONSISTENT", "SNAPSHOT", ",")
		return plain, plain != text
	}
	return "", false
}

// blank overwrites the words with spaces.
func blank(text string, words ...string) string {
	out := []byte(text)
	l := lexer{text: text}
	for t := l.next(); t.kind != tokEnd; t = l.next() {
		for _, w := range words {
			if strings.EqualFold(text[t.start:t.end], w) {
				copy(out[t.start:t.end], strings.Repeat(" ", t.end-t.start))
			}
		}
	}
	return string(out)
}
