package parse

import (
	"strings"

	"gsql/internal/suggest"
)

// verbs lists the words that begin statements.
var verbs = []string{
	"SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER", "TRUNCATE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN",
	"ANALYZE", "SET", "USE", "BEGIN", "START", "COMMIT", "ROLLBACK", "LOAD", "IMPORT", "WITH", "VALUES", "TABLE", "PREPARE", "EXECUTE",
}

// misspelt returns the hint for a statement that begins with an unknown word.
func misspelt(word string) string {
	for _, v := range verbs {
		if v == word {
			return ""
		}
	}
	if near := suggest.Nearest(strings.ToUpper(word), verbs); near != "" {
		return "Did you mean " + near + "?"
	}
	return "A statement begins with a word such as SELECT, INSERT, CREATE or EXPLAIN."
}
