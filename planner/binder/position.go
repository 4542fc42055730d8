package binder

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// namePos gives where a column name stands in the text. The grammar notes the place
// of expressions; where it did not, the name is looked for from hint on.
func (s *statement) namePos(name *ast.ColumnName, hint int) int {
	first := name.Name.O
	if name.Table.O != "" {
		first = name.Table.O
	}
	if name.Schema.O != "" {
		first = name.Schema.O
	}
	if hint > 0 && hint < len(s.text) && hasName(s.text[hint:], first) {
		return hint
	}
	return s.find(first, hint)
}

// hasName tells whether text begins with the identifier, bare or in back-quotes.
func hasName(text, name string) bool {
	text = strings.TrimPrefix(text, "`")
	return len(text) >= len(name) && strings.EqualFold(text[:len(name)], name)
}

// find gives the offset of the identifier name at or after from, or -1. It takes the
// first whole word, so that it may be wrong within strings and comments: it serves
// error messages alone.
func (s *statement) find(name string, from int) int {
	if name == "" {
		return -1
	}
	for i := max(from, 0); i+len(name) <= len(s.text); i++ {
		if !strings.EqualFold(s.text[i:i+len(name)], name) {
			continue
		}
		if (i == 0 || !wordByte(s.text[i-1])) && (i+len(name) == len(s.text) || !wordByte(s.text[i+len(name)])) {
			return i
		}
	}
	return -1
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// cutLast cuts s at its last dot.
func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return "", strings.ToLower(s), false
	}
	return s[:i], strings.ToLower(s[i+1:]), true
}

// startOf gives the offset at which an expression starts, or -1 where the parser did
// not note it.
func startOf(e ast.ExprNode) int {
	if pos := e.OriginTextPosition(); pos > 0 {
		return pos
	}
	return -1
}
