package parse

import (
	"errors"
	"strings"

	perrors "github.com/pingcap/errors"
	"github.com/pingcap/tidb/pkg/parser/terror"

	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// maxNear is the length of the text that MySQL shows after "near".
const maxNear = 80

// syntaxError words a parser error as MySQL does. Errors from the grammar's own checks keep their
// number and text.
func syntaxError(text string, mode sqlmode.Mode, err error) error {
	var own *sqlerr.Error
	if errors.As(err, &own) {
		return own
	}
	if te, ok := perrors.Cause(err).(*terror.Error); ok {
		e := terror.ToSQLError(te)
		return sqlerr.New(sqlerr.Code(e.Code), "%s", e.Message)
	}
	return nearError(text, mode, errorPos(text, err.Error()))
}

// nearError returns error 1064 at byte pos.
func nearError(text string, mode sqlmode.Mode, pos int) *sqlerr.Error {
	near := text[pos:]
	if len(near) > maxNear {
		near = strings.ToValidUTF8(near[:maxNear], "")
	}
	e := sqlerr.New(sqlerr.ParseError, "You have an error in your SQL syntax; check the manual that corresponds to your gsql version for the right syntax to use near '%s' at line %d",
		near, 1+strings.Count(text[:pos], "\n")).At(pos)
	e.Hint = advice(text, mode, pos)
	return e
}

// errorPos returns the position where the parser stopped. Its message quotes the rest of the
// statement: line 1 column 9 near "rest".
func errorPos(text, msg string) int {
	_, msg, ok := strings.Cut(msg, ` near "`)
	if !ok {
		return len(text)
	}
	for pos := max(len(text)-len(msg), 0); pos <= len(text); pos++ {
		if rest := text[pos:]; strings.HasPrefix(msg, rest) && strings.HasPrefix(msg[len(rest):], `"`) {
			return pos
		}
	}
	// The parser shortens a long rest to a prefix followed by "(total length n)".
	for n := min(len(msg), 2048); n > 16; n-- {
		if pos := strings.Index(text, msg[:n]); pos >= 0 {
			return pos
		}
	}
	return len(text)
}

// advice guesses what the user meant from the tokens around the error.
func advice(text string, mode sqlmode.Mode, pos int) string {
	l := lexer{text: text, mode: mode}
	var first, prev, prev2, at token
	for n := 0; ; n++ {
		t := l.next()
		if n == 0 {
			first = t
		}
		if t.kind == tokEnd || t.start >= pos {
			at = t
			break
		}
		prev2, prev = prev, t
	}
	word := func(t token) string { return strings.ToUpper(text[t.start:t.end]) }
	switch file := fileNamed(text, l, pos); {
	case file != "":
		return file
	case at.kind == tokOpen:
		return "A quote or comment that starts here has no end."
	case l.isByte(at, ',') && l.isByte(prev, ','):
		return "Two commas in a row: an item is missing between them, or one comma is too many."
	case l.isByte(prev, ',') && (l.is(at, "FROM") || l.isByte(at, ')') || at.kind == tokEnd):
		return "The comma before this has no item after it: remove it."
	case l.is(at, "QUALIFY") || l.is(prev, "QUALIFY"):
		return "QUALIFY is not MySQL's: compute the window function in a derived table and filter outside it."
	case l.isByte(at, '=') && l.isByte(prev, '='):
		return "Equality is a single = in SQL."
	case at.kind == tokEnd && unbalanced(text, mode) > 0:
		return "A closing parenthesis is missing."
	case l.isByte(at, ')') && unbalanced(text, mode) < 0:
		return "There is one closing parenthesis too many."
	case at.kind == tokString && (l.is(prev, "FROM") || l.is(prev, "JOIN")):
		return "The name of a table or file is written in back-quotes: `" + text[at.start+1:at.end-1] + "`."
	case at.start == first.start:
		return misspelt(word(first))
	case prev.start == first.start && prev.kind == tokWord && misspelt(word(first)) != "":
		return misspelt(word(first))
	case prev.kind == tokString && l.is(prev2, "OUTFILE") && (l.is(at, "PARTITION") || l.is(at, "PARTITIONED")):
		return "The file's name says how rows are distributed to folders: INTO OUTFILE 'out/x.parquet?partition=a,b'."
	case l.is(first, "SELECT") && (l.is(at, "WHERE") || l.is(at, "GROUP") || l.is(at, "JOIN") || l.is(at, "LEFT")) && !strings.Contains(strings.ToUpper(text[:pos]), "FROM"):
		return "FROM is missing before this."
	case at.kind == tokEnd:
		return "The statement ends too early."
	case l.is(at, "LIMIT") || l.is(prev2, "LIMIT"):
		return "LIMIT takes a number, or offset, count."
	case at.kind == tokWord && reservedAfter(l, prev):
		return "If " + text[at.start:at.end] + " is a name, write it in back-quotes: it is a reserved word."
	}
	return ""
}

// fileNamed returns a suggestion if the word around pos, after FROM or similar, looks like a file
// name or a call of a function that reads a file.
func fileNamed(text string, l lexer, pos int) string {
	start := strings.LastIndexAny(text[:pos], " \t\r\n(,") + 1
	word := text[start:]
	if end := strings.IndexAny(word, " \t\r\n,;()`'\""); end >= 0 {
		word = word[:end]
	}
	l = lexer{text: text, mode: l.mode}
	var before token
	for t := l.next(); t.kind != tokEnd && t.end <= start; t = l.next() {
		before = t
	}
	from := false
	for _, w := range [...]string{"FROM", "JOIN", "DESCRIBE", "DESC", "INTO"} {
		from = from || l.is(before, w)
	}
	reads := strings.HasPrefix(strings.ToLower(word), "read_") && pos < len(text) && text[pos] == '('
	switch {
	case !from || pos >= start+len(word) && !reads:
		return ""
	case strings.Contains(word, "://"):
		return "gsql reads files from disk only: download it first, then write the local name in back-quotes."
	case reads:
		return "A file is a table: write its name in back-quotes, as in FROM `data.csv`."
	case strings.ContainsAny(word, "./\\"):
		return "A file's name is written in back-quotes: `" + word + "`."
	}
	return ""
}

// reservedAfter reports whether a name may follow prev, so that a reserved word there was
// probably meant as a name.
func reservedAfter(l lexer, prev token) bool {
	for _, w := range [...]string{"SELECT", "FROM", "TABLE", "AS", "JOIN", "INTO", "BY", "UPDATE"} {
		if l.is(prev, w) {
			return true
		}
	}
	return l.isByte(prev, ',') || l.isByte(prev, '(') || l.isByte(prev, '.')
}

// unbalanced returns the number of parentheses that are open at the end of the text.
func unbalanced(text string, mode sqlmode.Mode) int {
	l := lexer{text: text, mode: mode}
	open := 0
	for t := l.next(); t.kind != tokEnd; t = l.next() {
		switch {
		case l.isByte(t, '('):
			open++
		case l.isByte(t, ')'):
			open--
		}
	}
	return open
}
