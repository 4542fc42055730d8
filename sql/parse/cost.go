package parse

import (
	"strings"

	"gsql/sql/sqlmode"
)

// costly is the length in bytes from which statements are worth estimating the memory that they
// take.
const costly = 16 << 10

// Bytes that parsing, binding and planning a statement take, as measured: for each token, for each
// token of rows after VALUES, for each item of a list outside of parentheses, such as a column of
// the result, for each SELECT, and for each byte of a string.
const (
	tokenCost  = 260
	valueCost  = 110
	itemCost   = 2200
	selectCost = 2000
	stringCost = 3
)

// Cost estimates how many bytes a text takes until its statements have run, besides the rows that
// they read and the texts that they compute. It returns 0 for short texts, where it does not matter.
func Cost(text string, mode sqlmode.Mode) (bytes int64) {
	if len(text) < costly {
		return 0
	}
	l, depth, values := lexer{text: text, mode: mode}, 0, false
	for {
		t := l.next()
		switch s := text[t.start:t.end]; {
		case t.kind == tokEnd || t.kind == tokOpen:
			return bytes + int64(len(s))
		case t.kind == tokString || t.kind == tokQuotedName:
			bytes += stringCost * int64(len(s))
		case t.kind == tokWord && strings.EqualFold(s, "select"):
			bytes += selectCost
			values = false
		case t.kind == tokWord && len(s) <= len("values") && (strings.EqualFold(s, "values") || strings.EqualFold(s, "value")):
			values = true
		case s == "(":
			depth++
		case s == ")":
			depth--
		case s == ";":
			values = false
		case s == "," && depth <= 0 && !values:
			bytes += itemCost
		}
		if values {
			bytes += valueCost
		} else {
			bytes += tokenCost
		}
	}
}
