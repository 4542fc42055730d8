package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// NamePos returns the offset of a column name in the text. If the parser did not record the
// offset, NamePos searches for the name from hint on.
func (s *Statement) NamePos(name *ast.ColumnName, hint int) int {
	first := name.Name.O
	if name.Table.O != "" {
		first = name.Table.O
	}
	if name.Schema.O != "" {
		first = name.Schema.O
	}
	if hint > 0 && hint < len(s.Text) && hasName(s.Text[hint:], first) {
		return hint
	}
	return s.Find(first, hint)
}

// hasName reports whether text begins with the identifier, bare or in back-quotes.
func hasName(text, name string) bool {
	text = strings.TrimPrefix(text, "`")
	return len(text) >= len(name) && strings.EqualFold(text[:len(name)], name)
}

// Find returns the offset of the identifier name at or after from, or -1. It takes the first whole word, which
// may be inside a string or comment; only error messages use it.
func (s *Statement) Find(name string, from int) int {
	if name == "" {
		return -1
	}
	for i := max(from, 0); i+len(name) <= len(s.Text); i++ {
		if !strings.EqualFold(s.Text[i:i+len(name)], name) {
			continue
		}
		if (i == 0 || !wordByte(s.Text[i-1])) && (i+len(name) == len(s.Text) || !wordByte(s.Text[i+len(name)])) {
			return i
		}
	}
	return -1
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// StartOf returns the offset at which an expression starts, or -1 if the parser did not record
// it.
func StartOf(e ast.ExprNode) int {
	if pos := e.OriginTextPosition(); pos > 0 {
		return pos
	}
	return -1
}

// DBOf returns the database of a table name.
func (s *Statement) DBOf(t *ast.TableName) string {
	if t.Schema.O != "" {
		return t.Schema.O
	}
	return s.db
}
