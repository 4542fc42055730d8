package parse

import (
	"slices"
	"strings"

	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// foreign lists the first words of MySQL statements that neither gsql nor the grammar supports.
var foreign = []string{"HANDLER", "XA", "CHECKSUM", "CACHE", "RESET", "CHANGE", "STOP", "CLONE", "INSTALL", "UNINSTALL", "PURGE", "SIGNAL", "RESIGNAL"}

// unsupported returns error 1235 instead of a syntax error for features that MySQL has and gsql
// does not, and err otherwise.
func unsupported(text string, mode sqlmode.Mode, err error) error {
	l := lexer{text: text, mode: mode}
	first := l.next()
	if word := strings.ToUpper(text[first.start:first.end]); first.kind == tokWord && slices.Contains(foreign, word) {
		return sqlerr.Unsupported(first.start, "%s", word)
	}
	for t := first; t.kind != tokEnd && t.kind != tokOpen; t = l.next() {
		if ahead := l; l.is(t, "JSON_TABLE") && l.isByte(ahead.next(), '(') {
			return sqlerr.Unsupported(t.start, "JSON_TABLE").WithHint("JSON_EXTRACT and JSON_LENGTH read elements of an array.")
		}
	}
	return err
}
