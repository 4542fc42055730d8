package parse

import (
	"strings"

	"gsql/sql/sqlmode"
)

// units are the keywords that end INTERVAL x unit.
var units = map[string]bool{
	"MICROSECOND": true, "SECOND": true, "MINUTE": true, "HOUR": true, "DAY": true, "WEEK": true, "MONTH": true, "QUARTER": true, "YEAR": true,
	"SECOND_MICROSECOND": true, "MINUTE_MICROSECOND": true, "MINUTE_SECOND": true, "HOUR_MICROSECOND": true, "HOUR_SECOND": true, "HOUR_MINUTE": true,
	"DAY_MICROSECOND": true, "DAY_SECOND": true, "DAY_MINUTE": true, "DAY_HOUR": true, "YEAR_MONTH": true,
}

// plainIntervals inserts a plus sign between INTERVAL and a parenthesised operand followed by a
// unit. After + and -, the grammar reads INTERVAL ( as the function of that name, which takes at
// least two arguments, so parentheses without a comma never belong to it. The sign replaces a
// space if there is one, so that positions stay valid.
func plainIntervals(text string, mode sqlmode.Mode) string {
	if !strings.Contains(text, "(") || !containsFold(text, "INTERVAL") {
		return text
	}
	out := []byte(text)
	added := 0
	l := lexer{text: text, mode: mode}
	for t := l.next(); t.kind != tokEnd; t = l.next() {
		if !l.is(t, "INTERVAL") || !l.operandFollows() {
			continue
		}
		if at := t.end + added; isSpace(out[at]) {
			out[at] = '+'
		} else {
			out = append(out[:at], append([]byte{'+'}, out[at:]...)...)
			added++
		}
	}
	return string(out)
}

// operandFollows reports whether one parenthesised expression, possibly a subquery, and a unit
// come next. It does not advance.
func (l *lexer) operandFollows() bool {
	ahead := *l
	t := ahead.next()
	if !ahead.isByte(t, '(') {
		return false
	}
	t = ahead.next()
	query := ahead.is(t, "SELECT") || ahead.is(t, "WITH")
	for depth := 1; depth > 0; t = ahead.next() {
		switch {
		case t.kind == tokEnd, t.kind == tokOpen, depth == 1 && !query && ahead.isByte(t, ','):
			return false
		case ahead.isByte(t, '('):
			depth++
		case ahead.isByte(t, ')'):
			depth--
		}
	}
	return t.kind == tokWord && units[strings.ToUpper(ahead.text[t.start:t.end])]
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// containsFold reports whether text contains word, which is given in upper case, ignoring case.
func containsFold(text, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0]|0x20 && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}
